// koya serve

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "app/app.h"
#include "cli/api/place.h"
#include "cli/program.h"

namespace koya::cli {
namespace {

constexpr std::string_view kServeFooter =
    R"(Every setting can also be in the TOML file ("[server] listen = …") and in the environment
(KOYA_SERVER_LISTEN, KOYA_LISTEN); flags override the environment, which overrides the file.
"koya config show --sources" prints them all, and where each value comes from.

--dev creates a certificate authority, a certificate and an admin token in DIR/dev:
ca.pem, admin.token, client.tfrc, and env, which a shell reads with ". DIR/dev/env".

"koya: ready URL" is printed on stdout when the server is ready; its log goes to stderr.
SIGTERM and SIGINT let running requests finish.

Examples:
  koya serve --dev
  koya serve --config /etc/koya/koya.toml
  koya serve --listen 0.0.0.0:443 --url https://registry.example.com --tls.certificate chain.pem
             --tls.key key.pem)";

Result<int> ServeUntilStopped(const SettingsFlags& flags, Output& output) {
  const Shell& shell = output.shell();
  ASSIGN_OR_RETURN(LoadedSettings settings, LoadSettings(SettingsOf(flags, shell.variables)));
  RETURN_IF_ERROR(
      Serve(settings, [&shell](std::string_view line) { shell.out << line << std::endl; }));
  return 0;
}

}  // namespace

void AddServeCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("serve", "Run the server");
  auto flags = std::make_shared<SettingsFlags>();
  AddSettingsFlags(*command, *flags);
  command->footer(std::string(kServeFooter));
  command->callback([flags, &invocation] {
    invocation.action = [flags](Output& output) { return ServeUntilStopped(*flags, output); };
  });
}

}  // namespace koya::cli
