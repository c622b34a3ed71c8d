// Locations of files on this server, as documents tell them: of public things plain, so that caches
// on the way can keep what they lead to; of others with what opens them for whoever asks.
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
  // Plain ones.
  Links() = default;
  // Such as `call`'s principal may be given for what it asks for. Outlived by the call.
  static Links For(const Call& call);

  // `url`: an absolute URL of this server, which may have a query.
  std::string operator()(std::string url) const;

 private:
  const Services* services_ = nullptr;  // null: plain
  auth::CapabilityBearer bearer_;
  UnixSeconds expires_ = 0;
};

}  // namespace koya::api
