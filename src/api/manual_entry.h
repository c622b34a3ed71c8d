// What the pages below /-/docs have in common.
#pragma once

#include <string>

#include "web/addresses.h"
#include "web/page_frame.h"
#include "web/words.h"

namespace koya::api {

// Nothing changes these pages but another program.
inline constexpr const char* kManualTopic = "manual";

// They are in that section of the header, and below its index.
inline void EnterManual(web::PageFrame& frame) {
  frame.current = web::Section::kDocs;
  frame.crumbs = {{.name = std::string(web::Word(frame.language, "frame.docs")),
                   .path = std::string(web::kDocsAddress)}};
}

}  // namespace koya::api
