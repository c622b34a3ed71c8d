// The texts that the set-up page shows: files, commands and steps of CI. Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "web/setup_page.h"

namespace koya::web {

// Whether there is nobody at the keyboard.
bool IsUnattended(SetupSystem system);
// How the client gets its token: as it was chosen, and from a variable where nobody signs in, since
// a token has no place in the files of a pipeline.
SetupSignIn PossibleSignIn(const SetupPage& page);

// "tofu", "terraform", "terragrunt".
std::string_view ToolCommand(SetupTool tool);
// "~/.tofurc", "%APPDATA%\\terraform.rc".
std::string SetupFileName(const SetupChoice& choice);
// What goes into that file; "": nothing has to. Fails: kInvalid: no client would take it, and why.
Result<std::string> SetupFile(const SetupPage& page);
// Such a file without what is only for people who read it: comments.
std::string WithoutRemarks(std::string_view text);
// How to sign in, or to set the variable, with a placeholder; "": neither.
std::string SetupCommands(const SetupPage& page);
// A step of CI, or a Dockerfile, with `file` in it; "" of a computer.
std::string SetupStep(const SetupPage& page, std::string_view file);
std::string SetupStepName(SetupSystem system);
std::string SetupCheck(const SetupPage& page);
std::string SetupUndo(const SetupPage& page);

}  // namespace koya::web
