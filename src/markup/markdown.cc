#include "markup/markdown.h"

#include <md4c.h>

#include <algorithm>
#include <array>
#include <exception>

#include "base/text.h"
#include "markup/markdown_input.h"
#include "markup/markdown_writer.h"
#include "markup/utf8.h"

namespace koya::markup {
namespace {

constexpr int kStop = 1;

// md4c is C, and lets no exception through: one is kept until it has returned.
struct Parsing {
  MarkdownWriter& writer;
  std::exception_ptr thrown = {};
};

template <class Step>
int Take(void* parsing, Step step) noexcept {
  auto& of = *static_cast<Parsing*>(parsing);
  try {
    return step(of.writer) ? 0 : kStop;
  } catch (...) {
    of.thrown = std::current_exception();
    return kStop;
  }
}

int OnEnterBlock(MD_BLOCKTYPE type, void* detail, void* parsing) {
  return Take(parsing, [&](MarkdownWriter& to) { return to.EnterBlock(type, detail); });
}
int OnLeaveBlock(MD_BLOCKTYPE type, void* detail, void* parsing) {
  return Take(parsing, [&](MarkdownWriter& to) { return to.LeaveBlock(type, detail); });
}
int OnEnterSpan(MD_SPANTYPE type, void* detail, void* parsing) {
  return Take(parsing, [&](MarkdownWriter& to) { return to.EnterSpan(type, detail); });
}
int OnLeaveSpan(MD_SPANTYPE type, void* /*detail*/, void* parsing) {
  return Take(parsing, [&](MarkdownWriter& to) { return to.LeaveSpan(type); });
}
int OnText(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* parsing) {
  return Take(parsing, [&](MarkdownWriter& to) { return to.Text(type, {text, size}); });
}

}  // namespace

Rendered RenderMarkdown(std::string_view text, const MarkdownOptions& options) {
  std::string_view taken = CutUtf8(text, options.most_input);
  std::string fit = FitToParse(taken);
  MarkdownWriter writer(options, fit);
  Parsing parsing{writer};
  MD_PARSER parser = {};
  parser.flags = MD_DIALECT_GITHUB;
  parser.enter_block = OnEnterBlock;
  parser.leave_block = OnLeaveBlock;
  parser.enter_span = OnEnterSpan;
  parser.leave_span = OnLeaveSpan;
  parser.text = OnText;
  int stopped = md_parse(fit.data(), static_cast<MD_SIZE>(fit.size()), &parser, &parsing);
  if (parsing.thrown) std::rethrow_exception(parsing.thrown);
  Rendered out = writer.Finish();
  out.cut_input = taken.size() < text.size();
  out.cut_output = out.cut_output || stopped != 0;
  return out;
}

bool IsMarkdownFile(std::string_view file) {
  const std::string name = AsciiLower(file);
  return name.ends_with(".md") || name.ends_with(".markdown") || name.ends_with(".mdown");
}

Rendered RenderReadme(std::string_view file, std::string_view text,
                      const MarkdownOptions& options) {
  if (IsMarkdownFile(file)) return RenderMarkdown(text, options);
  const std::string_view taken = CutUtf8(text, options.most_input);
  const std::string fit = FitToShow(taken);
  Rendered out;
  PlainText words(options.most_text);
  SafeHtml html({.bytes = options.most_output}, words);
  html.Begin("pre", Shape::kBlock);
  html.Text(fit);
  html.End();
  out.cut_input = taken.size() < text.size();
  out.cut_output = html.full();
  out.html = html.Finish();
  out.text = words.all();
  for (std::string_view rest = fit; !rest.empty() && out.summary.empty();) {
    const std::string_view paragraph = rest.substr(0, rest.find("\n\n"));
    rest.remove_prefix(std::min(rest.size(), paragraph.size() + 2));
    if (!IsLicenceNotice(paragraph)) out.summary = OneLine(paragraph, 300);
  }
  return out;
}

bool IsLicenceNotice(std::string_view text) {
  constexpr std::array<std::string_view, 5> kBegins{"spdx-license", "licensed under",
                                                    "licensed to the", "(c) ", "\xC2\xA9"};
  // What follows "Copyright" there; an input may be the "Copyright holder".
  constexpr std::string_view kCopyright = "copyright ";
  constexpr std::array<std::string_view, 4> kOwners{"(c)", "\xC2\xA9", "the ", "contributors"};
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n*#/"), text.size()));
  const std::string begin = AsciiLower(text.substr(0, 30));
  auto begins_one_of = [](std::string_view with, const auto& words) {
    return std::ranges::any_of(words, [with](auto word) { return with.starts_with(word); });
  };
  if (!begin.starts_with(kCopyright)) return begins_one_of(begin, kBegins);
  const std::string_view owner = std::string_view(begin).substr(kCopyright.size());
  const bool is_year = !owner.empty() && owner.front() >= '0' && owner.front() <= '9';
  return is_year || begins_one_of(owner, kOwners);
}

}  // namespace koya::markup
