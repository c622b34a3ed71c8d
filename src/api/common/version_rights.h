// Permissions to deprecate or withdraw versions of modules and providers, as pages need them.
#pragma once

#include <string_view>

namespace koya::web {
struct PageFrame;
}

namespace koya::api {

struct Call;

// Which of the pages for this the reader of `frame` may open in namespace `ns`.
struct VersionRights {
  bool may_deprecate = false;
  bool may_withdraw = false;
};
VersionRights VersionRightsOf(const Call& call, const web::PageFrame& frame, std::string_view ns);

}  // namespace koya::api
