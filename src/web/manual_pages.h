// The pages of /-/docs: where the texts are, one of them, the kinds of errors, and how far these
// pages can be used by everybody. The pages of the API are in api_docs_pages.h.
#pragma once

#include <string>
#include <vector>

#include "markup/fragment.h"
#include "markup/markdown.h"
#include "web/page_frame.h"

namespace koya::web {

// Where to read what; and every text, by its title.
std::string RenderManualIndex(const PageFrame& frame);

struct ManualPage {
  std::string title;
  markup::Rendered text;
};
std::string RenderManualPage(const PageFrame& frame, ManualPage page);

// A kind of error, as logs and addresses name it.
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

// The accessibility statement: for everybody, whether they may read here or not.
std::string RenderAccessibility(const PageFrame& frame);

}  // namespace koya::web
