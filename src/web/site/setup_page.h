// Renders the pages that set up clients. "Set me up": the configuration and commands that make a
// client use this registry, for one tool on one system. A form (GET) with its result below; each
// combination has a path to share. The page never contains a token, only a placeholder. And the
// page of koya's own client, /-/cli/. Pure and thread-safe.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/host_name.h"
#include "web/common/addresses.h"
#include "web/common/page_frame.h"
#include "web/site/small_texts.h"

namespace koya::web {

enum class SetupTool { kOpenTofu, kTerraform, kTerragrunt };
enum class SetupSystem { kLinux, kMacOs, kWindows, kGitHub, kGitLab, kJenkins, kDocker };
enum class SetupPurpose {
  kOwn,     // only packages published here
  kAll,     // also providers and modules of other registries, through this one
  kMirror,  // also their providers, with this registry as a network mirror
};
enum class SetupSignIn { kLogin, kFile, kVariable };

struct SetupChoice {
  SetupTool tool = SetupTool::kOpenTofu;
  SetupSystem system = SetupSystem::kLinux;
  SetupPurpose purpose = SetupPurpose::kOwn;
  SetupSignIn sign_in = SetupSignIn::kLogin;
  bool direct = false;               // of kMirror: clients also ask other registries directly
  std::vector<HostName> hosts = {};  // other registries; none: the tool's own

  // Parses the query's values; an unknown value selects the first choice. `hosts`: names separated
  // by blanks or commas, of which the first eight valid ones count. `direct`: "yes".
  static SetupChoice Read(std::string_view tool, std::string_view system, std::string_view purpose,
                          std::string_view sign_in, std::string_view hosts,
                          std::string_view direct = {});
};

struct SetupPage {
  SetupChoice choice;
  std::string url;               // of this registry, without a slash at its end
  std::optional<HostName> host;  // its name for clients; nullopt: clients do not accept it
  bool mirror_wants_token = false;
};
std::string RenderSetup(const PageFrame& frame, const SetupPage& page);

// The programs that this server hands out.
struct ClientProgramsPage {
  std::string url;                      // of this registry, without a slash at its end
  std::vector<ClientProgram> programs;  // none: the server does not run from a release
};
std::string RenderClientPrograms(const PageFrame& frame, const ClientProgramsPage& page);

}  // namespace koya::web
