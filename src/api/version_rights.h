// Which pages there are to deprecate or withdraw one version of a module or provider.
#pragma once

#include <string_view>

namespace koya::web {
struct PageFrame;
}

namespace koya::api {

struct Call;

// Which of these pages are there for whoever is shown this page, in this namespace.
struct VersionRights {
  bool may_deprecate = false;
  bool may_withdraw = false;
};
VersionRights VersionRightsOf(const Call& call, const web::PageFrame& frame, std::string_view ns);

}  // namespace koya::api
