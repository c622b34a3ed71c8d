// Reads lines from standard input, and secrets: lines of a pipe, or input typed without echo.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/text/output.h"

namespace CLI {
class App;
}

namespace koya::cli {

// Reads a line without its end, byte by byte and at most `most` of them: following input is the
// next reader's.
std::string ReadLine(std::istream& in, std::size_t most);

// Declares --password-stdin. `given` must outlive the parse.
void AddPasswordFlag(CLI::App& command, bool& given);

// Checks that a password may be read: always from a terminal; from a pipe only with the flag, so
// that a script does not pass other input by mistake. Fails: kInvalid.
Status RequirePasswordInput(bool flag_given, const Shell& shell);

// Reads one line, without its line end; `what` names it in prompts and errors: "the token". On a
// terminal it prompts, and disables echo. Fails: kInvalid: no input, an empty line, or over 4 KiB.
Result<std::string> ReadSecret(const Shell& shell, std::string_view what);

// Reads a new password for the user `name`: twice on a terminal, one line from a pipe. Fails: as
// ReadSecret; kInvalid: the two differ, or the password is not allowed (auth::CheckNewPassword).
Result<std::string> ReadNewPassword(const Shell& shell, std::string_view name);

// Warning to show when a password or token is sent to `origin` in clear text. "": none is needed.
std::string ClearTextWarning(std::string_view scheme, std::string_view host,
                             std::string_view origin);

}  // namespace koya::cli
