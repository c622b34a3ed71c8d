// koya config show

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "cli/api/settings_flags.h"
#include "cli/commands.h"

namespace koya::cli {
namespace {

constexpr std::string_view kConfigFooter =
    R"(Takes the flags of "koya serve", and shows the settings it would run with. Secrets are not shown.

Examples:
  koya config show --sources
  koya config show --config koya.toml --json)";

struct ConfigArguments {
  SettingsFlags flags;
  bool sources = false;
};

Result<int> Show(const ConfigArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(LoadedSettings settings,
                   ReadSettings(arguments.flags, output.shell().variables));
  std::string text =
      RenderSettings(settings, {.json = output.json(), .sources = arguments.sources});
  while (text.ends_with('\n')) text.pop_back();
  output.Print(text);
  output.PrintDocument(text);
  return 0;
}

}  // namespace

void AddConfigCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* config = program.add_subcommand("config", "Show the server's settings");
  config->require_subcommand(1);
  CLI::App* show = config->add_subcommand("show", "Print every setting with its value");
  auto arguments = std::make_shared<ConfigArguments>();
  show->add_flag("--sources", arguments->sources, "Also print where each value comes from");
  AddJsonFlag(*show, invocation);
  AddSettingsFlags(*show, arguments->flags);
  show->footer(std::string(kConfigFooter));
  show->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Show(*arguments, output); };
  });
}

}  // namespace koya::cli
