#include "cli/password_input.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "auth/password.h"
#include "base/file.h"
#include "base/secrets.h"
#include "http/url.h"

namespace koya::cli {
namespace {

constexpr std::size_t kLongestSecret = 4096;

std::string AskHidden(const Shell& shell, std::string_view prompt) {
  if (!shell.show_input) return ReadLine(*shell.in, kLongestSecret + 1);
  shell.err << prompt << ": " << std::flush;
  shell.show_input(false);
  ScopeGuard show([&shell] { shell.show_input(true); });
  std::string line = ReadLine(*shell.in, kLongestSecret + 1);
  shell.err << '\n';
  return line;
}

Result<std::string> ReadPrompted(const Shell& shell, std::string_view what,
                                 std::string_view prompt) {
  std::string line;
  if (shell.in != nullptr) line = AskHidden(shell, prompt);
  if (line.empty()) {
    return FailInvalid("{} is missing: write it to standard input, as one line", what);
  }
  if (line.size() > kLongestSecret) {
    return FailInvalid("{} is longer than {} bytes", what, kLongestSecret);
  }
  return line;
}

}  // namespace

std::string ReadLine(std::istream& in, std::size_t most) {
  std::string line;
  for (char c = 0; line.size() < most && in.get(c) && c != '\n';) line += c;
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

void AddPasswordFlag(CLI::App& command, bool& given) {
  command.add_flag(
      "--password-stdin", given,
      "Read the password from the next line of standard input; a terminal always prompts for it");
}

Status RequirePasswordInput(bool flag_given, const Shell& shell) {
  if (flag_given || shell.show_input) return {};
  return FailInvalid(
      "the password is missing: use --password-stdin and write it to standard input, or "
      "run this in a terminal, which prompts for it");
}

Result<std::string> ReadSecret(const Shell& shell, std::string_view what) {
  return ReadPrompted(shell, what, what);
}

Result<std::string> ReadNewPassword(const Shell& shell, std::string_view name) {
  ASSIGN_OR_RETURN(std::string password,
                   ReadPrompted(shell, "the password", fmt::format("New password of {}", name)));
  RETURN_IF_ERROR(auth::CheckNewPassword(password, name));
  if (!shell.show_input) return password;
  ASSIGN_OR_RETURN(std::string again, ReadPrompted(shell, "the password", "The same again"));
  bool same = EqualSecrets(password, again);
  WipeSecret(again);
  if (!same) {
    return FailInvalid("the two passwords differ: nothing was changed; try again");
  }
  return password;
}

std::string ClearTextWarning(std::string_view scheme, std::string_view host,
                             std::string_view origin) {
  if (scheme != "http" || http::IsLoopbackHost(host)) return {};
  return fmt::format(
      "koya: warning: {} is plain HTTP: anyone on the network path can read the traffic; use "
      "https://",
      origin);
}

}  // namespace koya::cli
