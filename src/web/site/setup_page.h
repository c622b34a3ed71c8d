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

#include "base/result.h"
#include "domain/host_name.h"
#include "web/common/page_frame.h"
#include "web/common/page_paths.h"
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

// ---- the texts of the page: files, commands and CI steps

// Whether the system runs without a user at the keyboard.
bool IsUnattended(SetupSystem system);
// How the client gets its token: as chosen, but always from a variable on an unattended system,
// because a token must not be in the files of a pipeline.
SetupSignIn PossibleSignIn(const SetupPage& page);

// "tofu", "terraform", "terragrunt".
std::string_view ToolCommand(SetupTool tool);
// "~/.tofurc", "%APPDATA%\\terraform.rc".
std::string SetupFileName(const SetupChoice& choice);
// Contents of that file; "": no file is needed. Fails: kInvalid: no client would accept it; the
// message has the reason.
Result<std::string> SetupFile(const SetupPage& page);
// Removes comments from such a file.
std::string WithoutRemarks(std::string_view text);
// The command that installs koya from the server at `url`.
std::string InstallCommand(std::string_view url);
// Commands that sign in or set the variable, with a placeholder; "": neither is needed.
std::string SetupCommands(const SetupPage& page);
// A CI step or a Dockerfile that contains `file`; "" for a desktop system.
std::string SetupStep(const SetupPage& page, std::string_view file);
std::string SetupStepName(SetupSystem system);
std::string SetupCheck(const SetupPage& page);
std::string SetupUndo(const SetupPage& page);

}  // namespace koya::web
