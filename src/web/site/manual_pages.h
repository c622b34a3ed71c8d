// Renders the pages of /-/docs: index, one text, the kinds of errors, and the accessibility
// statement. The pages of the API are in api_docs_pages.h.
#pragma once

#include <string>
#include <vector>

#include "markup/fragment.h"
#include "markup/markdown.h"
#include "web/common/page_frame.h"

namespace koya::web {

// Index of all texts, by title, with reading suggestions.
std::string RenderManualIndex(const PageFrame& frame);

struct ManualPage {
  std::string title;
  markup::Rendered text;
};
std::string RenderManualPage(const PageFrame& frame, ManualPage page);

// A kind of error, as in logs and paths.
struct ErrorCode {
  std::string code;  // "not_found"
  unsigned status = 500;
  std::string sentence;  // the first paragraph of its text
};
struct ErrorCodesPage {
  markup::Rendered preface;
  std::vector<ErrorCode> codes;
};
std::string RenderErrorCodes(const PageFrame& frame, ErrorCodesPage page);

struct ErrorCodePage {
  std::string code;
  unsigned status = 500;
  markup::Rendered text;
};
std::string RenderErrorCode(const PageFrame& frame, ErrorCodePage page);

// "/-/docs/errors/not_found".
std::string ErrorCodePath(std::string_view code);

// The accessibility statement: public, even where the registry is not.
std::string RenderAccessibility(const PageFrame& frame);

}  // namespace koya::web
