// "Set me up": what to write and run so that a client uses this registry, for one tool on one
// system. A form (GET) and what it leads to, below it; each combination is an address to share. No
// token is ever in it, but a placeholder for one. Pure and thread-safe.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/host_name.h"
#include "web/addresses.h"
#include "web/page_frame.h"

namespace koya::web {

enum class SetupTool { kOpenTofu, kTerraform, kTerragrunt };
enum class SetupSystem { kLinux, kMacOs, kWindows, kGitHub, kGitLab, kJenkins, kDocker };
enum class SetupPurpose {
  kOwn,     // what is published here
  kAll,     // that, and providers and modules of other registries through here
  kMirror,  // that, and their providers, with this as a network mirror
};
enum class SetupSignIn { kLogin, kFile, kVariable };

struct SetupChoice {
  SetupTool tool = SetupTool::kOpenTofu;
  SetupSystem system = SetupSystem::kLinux;
  SetupPurpose purpose = SetupPurpose::kOwn;
  SetupSignIn sign_in = SetupSignIn::kLogin;
  bool direct = false;               // of kMirror: clients ask the other registries themselves, too
  std::vector<HostName> hosts = {};  // other registries; none: the tool's own

  // From what the address says; whatever is no choice is taken for the first one. `hosts`: names
  // with blanks or commas between them, of which the first eight that can be names count. `direct`:
  // "yes".
  static SetupChoice Read(std::string_view tool, std::string_view system, std::string_view purpose,
                          std::string_view sign_in, std::string_view hosts,
                          std::string_view direct = {});
};

struct SetupPage {
  SetupChoice choice;
  std::string url;               // of this registry, without a slash at its end
  std::optional<HostName> host;  // its name, as clients take it; nullopt: they take none such
  bool mirror_wants_token = false;
};
std::string RenderSetup(const PageFrame& frame, const SetupPage& page);

}  // namespace koya::web
