// Writes the output of md4c as safe HTML. Included by markdown.cc and its own .cc only, since it
// pulls in md4c. One thread; one text.
#pragma once

#include <md4c.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "markup/link.h"
#include "markup/markdown.h"
#include "markup/plain_text.h"
#include "markup/raw_html.h"
#include "markup/safe_html.h"
#include "markup/slug.h"

namespace koya::markup {

class MarkdownWriter {
 public:
  // `options` must outlive the writer. `text`: the text to be parsed.
  MarkdownWriter(const MarkdownOptions& options, std::string_view text);
  MarkdownWriter(const MarkdownWriter&) = delete;
  MarkdownWriter& operator=(const MarkdownWriter&) = delete;

  // Callbacks for md4c. False: stop, because the output is full, or the parser emits more than a
  // text of this size can mean (it fills up rows of tables).
  bool EnterBlock(MD_BLOCKTYPE type, void* detail);
  bool LeaveBlock(MD_BLOCKTYPE type, void* detail);
  bool EnterSpan(MD_SPANTYPE type, void* detail);
  bool LeaveSpan(MD_SPANTYPE type);
  bool Text(MD_TEXTTYPE type, std::string_view text);

  Rendered Finish();

 private:
  bool GoesOn() { return ++steps_ <= most_steps_ && !html_.full(); }
  void FlushRawHtml();
  void BeginItem(const MD_BLOCK_LI_DETAIL& detail);
  void BeginParagraph();
  void EndParagraph();
  void MarkCallout();
  void BeginHeading(unsigned level);
  void EndHeading();
  void LinkHeading(const std::string& name);
  void BeginQuote();
  void EndCode(const MD_BLOCK_CODE_DETAIL& detail);
  void BeginLink(const MD_SPAN_A_DETAIL& detail);
  bool AtItem() const;
  void NoteArgument();
  std::string WithArgumentNames(std::string html);
  std::string WithFragmentsMatched(std::string html) const;

  struct Argument {
    std::size_t place;  // where an attribute of its tag may be inserted
    std::string slug;
  };

  const MarkdownOptions& options_;
  std::size_t most_steps_;
  std::size_t steps_ = 0;
  PlainText words_;
  SafeHtml html_;
  LinkWriter links_;
  PlaceNames places_;
  RawHtml raw_;
  Rendered out_;

  std::string raw_html_;  // not yet passed to raw_
  std::string code_;      // of the current code block
  bool in_cell_ = false;
  bool in_code_ = false;        // inside a code block
  std::size_t containers_ = 0;  // number of enclosing lists, quotes and tables
  Image image_;
  std::size_t images_ = 0;  // nesting depth; only the outermost is shown

  // Where the content of an open element begins; npos: its tag is not written.
  std::size_t paragraph_ = std::string::npos;
  std::size_t heading_ = std::string::npos;
  std::size_t quote_ = std::string::npos;
  bool begins_quote_ = false;  // the paragraph is a quote's first
  unsigned heading_level_ = 1;
  std::size_t item_ = std::string::npos;
  std::size_t argument_ = std::string::npos;
  std::vector<Argument> arguments_;  // in the order of their places
};

}  // namespace koya::markup
