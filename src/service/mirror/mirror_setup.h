// Holds the settings of each part of the mirror.
#pragma once

#include "service/mirror/docs_mirror.h"
#include "service/mirror/import.h"
#include "service/mirror/module_fetch.h"
#include "service/mirror/module_mirror.h"
#include "service/mirror/provider_fetch.h"
#include "service/mirror/provider_mirror.h"
#include "service/mirror/pull_policy.h"

namespace koya::service {

struct MirrorSetup {
  PullPolicy policy = {};
  FetchOptions provider_fetch = {};
  MirrorOptions providers = {};
  ModuleFetchOptions module_fetch = {};
  ModuleMirrorOptions modules = {};
  DocsMirrorOptions docs = {};
  ImportOptions import = {};
};

}  // namespace koya::service
