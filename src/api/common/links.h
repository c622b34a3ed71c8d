// Locations of files on this server, as documents contain them: plain for public files, so that
// caches on the way can store the files; signed for the caller for all others.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "auth/capability_bearer.h"
#include "base/clock.h"

namespace koya::api {

struct Call;
struct Services;

class Links {
 public:
  // Plain locations.
  Links() = default;
  // Locations signed for the principal of `call`, as far as the visibility of the requested thing
  // needs it. The call must outlive them.
  static Links For(const Call& call);

  // `url`: an absolute URL of this server, which may have a query.
  std::string operator()(std::string url) const;

 private:
  const Services* services_ = nullptr;  // null: plain
  auth::CapabilityBearer bearer_;
  UnixSeconds expires_ = 0;
};

}  // namespace koya::api
