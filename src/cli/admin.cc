// koya admin reseal

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/api/place.h"
#include "cli/api/registry_client.h"
#include "cli/commands.h"

namespace koya::cli {
namespace {

constexpr std::string_view kResealFooter =
    R"(To replace server.secret: set the new one, set server.secret_previous to the old one, restart every
server, run this once, and leave server.secret_previous out again. On a stopped server's data the
settings are read as "koya serve" reads them.
Exit status 1 when a secret opens with neither of the two.

Examples:
  koya admin reseal
  koya admin reseal --config /etc/koya/koya.toml      while no server runs)";

Result<int> Reseal(const PlaceFlags& flags, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(flags, output));
  ASSIGN_OR_RETURN(wire::ResealReport report, RegistryClient(place.connection()).ResealSecrets());
  for (const std::string& key : report.lost) {
    output.Note(
        fmt::format("koya: the secret of the key {} was sealed with neither server.secret nor "
                    "server.secret_previous: set server.secret_previous to the one that sealed it, "
                    "or make another key with koya key rotate {}",
                    key, key.substr(0, key.find('/'))));
  }
  output.Print(fmt::format("Sealed with the new secret: {}; sealed with it already: {}",
                           report.renewed, report.current));
  output.PrintDocument(wire::EncodeResealReport(report));
  return report.lost.empty() ? 0 : 1;
}

}  // namespace

void AddAdminCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* admin = program.add_subcommand("admin", "Look after a server (scope admin)");
  admin->require_subcommand(1);
  CLI::App* command = admin->add_subcommand("reseal", "Seal every secret with server.secret");
  auto flags = std::make_shared<PlaceFlags>();
  AddPlaceFlags(*command, *flags);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kResealFooter));
  command->callback([flags, &invocation] {
    invocation.action = [flags](Output& output) { return Reseal(*flags, output); };
  });
}

}  // namespace koya::cli
