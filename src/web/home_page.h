// What is at "/" for people.
#pragma once

#include <string>

#include "web/page_frame.h"

namespace koya::web {

struct HomePage {
  std::string host;  // of this registry, as clients name it
  // Strangers may read nothing here, and this is one: they are shown the way in.
  bool is_closed = false;
  // There is no administrator yet: whoever comes is shown where one is made.
  bool is_new = false;
};
std::string RenderHome(const PageFrame& frame, const HomePage& page);

}  // namespace koya::web
