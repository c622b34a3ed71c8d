#include "cli/impact.h"

#include <fmt/format.h>

#include <optional>

#include "base/text.h"
#include "cli/api/usage_client.h"
#include "cli/text/usage_text.h"
#include "domain/access.h"
#include "wire/namespaces.h"

namespace koya::cli {
namespace {

constexpr std::size_t kMostConsumers = 10;
constexpr std::size_t kLongestReply = 10;

// Up to the end of the line.
std::string ReadReply(std::istream& in) {
  std::string reply;
  for (char c = 0; in.get(c) && c != '\n';) {
    if (reply.size() < kLongestReply) reply += c;
  }
  return reply;
}

}  // namespace

void TellImpact(const RegistryClientOptions& connection, const std::string& address,
                const Version& version, Output& output) {
  Result<CountedThing> thing = CountedThing::Parse(address);
  if (!thing || !thing->is_ours()) return;
  Result<wire::UsageImpact> impact = ApiClient(connection).Send(thing->ImpactLine(version));
  if (!impact) {
    // The change itself will be told this.
    const ErrorKind kind = impact.error().kind;
    if (kind == ErrorKind::kUnavailable || kind == ErrorKind::kUnauthenticated) return;
    output.Note(fmt::format("koya: cannot find the users of {} {}: {}", address, version.ToString(),
                            impact.error().message));
    return;
  }
  for (const std::string& line : ImpactLines(*impact, kMostConsumers)) output.Note(line);
}

bool CanAsk(const Shell& shell) { return shell.show_input && shell.in != nullptr; }

Status Confirm(const std::string& question, Output& output) {
  const Shell& shell = output.shell();
  shell.err << question << " [y/N] " << std::flush;
  const std::string reply = ReadReply(*shell.in);
  if (reply == "y" || reply == "Y" || reply == "yes") return {};
  return FailRefused("nothing was done: the reply was not \"y\"; use --yes to skip the question");
}

Status ConfirmNewNamespace(const RegistryClientOptions& connection, std::string_view ns,
                           Output& output) {
  const Shell& shell = output.shell();
  if (!shell.show_input || shell.in == nullptr) return {};
  const Result<wire::Namespace> there = ApiClient(connection).Send(At(wire::kShowNamespace, ns));
  if (there || there.error().kind != ErrorKind::kNotFound) return {};
  const std::string& said = there.error().message;
  output.Note("koya: " + said.substr(0, said.find('\n')));  // without where it was asked
  return Confirm(fmt::format("Create the namespace {}?", ns), output);
}

void PrintVisibility(std::string_view label, std::string_view visibility, Output& output) {
  const std::optional<Visibility> known = ParseVisibility(visibility);
  if (known) output.Print(fmt::format("  {}{}: {}", label, visibility, WhoReads(*known)));
}

void NoteNewNamespace(std::string_view ns, std::string_view made, Output& output) {
  if (made.empty()) return;
  const std::optional<Visibility> visibility = ParseVisibility(made);
  output.Note(fmt::format("koya: created the namespace \"{}\", which is {}{}", ns,
                          Printable(made, 40),
                          visibility ? fmt::format(": {}", WhoReads(*visibility)) : ""));
}

}  // namespace koya::cli
