// Shared parts of the pages below /-/docs.
#pragma once

#include <string>

#include "web/common/addresses.h"
#include "web/common/page_frame.h"
#include "web/common/words.h"

namespace koya::api {

// Topic of these pages, which change only with a new version of the program.
inline constexpr const char* kManualTopic = "manual";

// Places a page in the header's section for docs, below its index.
inline void EnterManual(web::PageFrame& frame) {
  frame.current = web::Section::kDocs;
  frame.crumbs = {{.name = std::string(web::Word(frame.language, "frame.docs")),
                   .path = std::string(web::kDocsAddress)}};
}

}  // namespace koya::api
