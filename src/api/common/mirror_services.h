// Builds MirrorServices, the parts of a mirror that handlers use, from a service::Mirror.
#pragma once

#include "api/common/call.h"
#include "service/mirror/mirror.h"

namespace koya::api {

// The result refers to `mirror`.
inline MirrorServices ServicesOf(service::Mirror& mirror) {
  return {.policy = mirror.policy,
          .states = mirror.states,
          .counter = mirror.counter,
          .context = mirror.context,
          .providers = mirror.providers,
          .modules = mirror.modules,
          .docs = mirror.docs,
          .inventory = mirror.inventory,
          .policies = mirror.policies,
          .import = mirror.import,
          .check = mirror.check};
}

}  // namespace koya::api
