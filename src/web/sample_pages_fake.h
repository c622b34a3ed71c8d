// For tests: every page in every state that its struct can have, filled with texts of one kind.
#pragma once

#include <string>
#include <vector>

#include "web/common/page_frame.h"

namespace koya::web {

struct SamplePage {
  std::string name;  // "sign_in-refused"
  std::string html;
};

// A frame with a site, a path, csrf and, if wanted, a signed-in user.
PageFrame SampleFrame(Language language, Theme theme = Theme::kAuto);

// As people will see them.
std::vector<SamplePage> SamplePages(const PageFrame& frame);

// The same pages, with `text` in every field that holds a text, those of the frame too.
std::vector<SamplePage> PagesFilledWith(const std::string& text, Language language);

}  // namespace koya::web
