// The texts of the set-up page: files, commands and CI steps. Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "web/site/setup_page.h"

namespace koya::web {

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
