// The parts of a mirror that handlers work with, for whoever builds the services.
#pragma once

#include "api/services.h"
#include "service/mirror/mirror.h"

namespace koya::api {

// They refer to `mirror`.
inline MirrorServices ServicesOf(service::Mirror& mirror) {
  return {.policy = mirror.policy,
          .states = mirror.states,
          .counter = mirror.counter,
          .context = mirror.context,
          .providers = mirror.providers,
          .modules = mirror.modules,
          .docs = mirror.docs,
          .inventory = mirror.inventory,
          .import = mirror.import,
          .check = mirror.check};
}

}  // namespace koya::api
