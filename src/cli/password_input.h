// Secrets that are read from standard input: lines of a pipe, or typed without being shown.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/text/output.h"

namespace CLI {
class App;
}

namespace koya::cli {

// Declares --password-stdin. `given` must outlive the parse.
void AddPasswordFlag(CLI::App& command, bool& given);

// Whether a password may be asked for: on a terminal always, from a pipe when the flag says that
// there is one, so that nobody's script hands over something else. Fails: kInvalid.
Status RequirePasswordInput(bool flag_given, const Shell& shell);

// One line, without its end; `what` names it in prompts and errors: "the token". On a terminal it
// is asked for, and not shown. Fails: kInvalid: nothing is there, it is empty, or over 4 KiB.
Result<std::string> ReadSecret(const Shell& shell, std::string_view what);

// A password that somebody chooses for the user `name`: on a terminal asked for twice, from a pipe
// one line. Fails: as ReadSecret; kInvalid: the two differ, or it may not be one
// (auth::CheckNewPassword).
Result<std::string> ReadNewPassword(const Shell& shell, std::string_view name);

// What is to be known where a password or a token goes to `origin` in the clear. "": nothing.
std::string ClearTextWarning(std::string_view scheme, std::string_view host,
                             std::string_view origin);

}  // namespace koya::cli
