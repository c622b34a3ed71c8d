#include "markup/markdown.h"

#include <md4c.h>

#include <exception>

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
  std::string_view taken = CutBetweenCharacters(text, options.most_input);
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
  out.cut_output = stopped != 0;
  return out;
}

}  // namespace koya::markup
