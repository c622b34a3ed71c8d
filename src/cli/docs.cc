// koya docs api | config | cli: the generated pages of docs/. Hidden: for this project's builds.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/app.h"
#include "app/settings.h"
#include "cli/program.h"

namespace koya::cli {
namespace {

void AppendPages(const CLI::App& command, const std::string& above, std::string& page) {
  if (command.get_group().empty()) return;
  std::string name = above.empty() ? command.get_name() : above + " " + command.get_name();
  page += fmt::format("\n## {}\n\n```\n{}```\n", name, command.help(above));
  for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; })) {
    AppendPages(*each, name, page);
  }
}

std::string CommandsMarkdown(const Shell& shell) {
  Invocation unused{.shell = shell, .action = {}};
  std::unique_ptr<CLI::App> program = BuildCommands(unused);
  std::string page = "# Commands\n\nMade by `koya docs cli`; do not edit.\n";
  AppendPages(*program, "", page);
  return page;
}

Result<int> Print(const std::string& page, Output& output) {
  std::string text = page == "api"      ? ApiMarkdown()
                     : page == "config" ? SettingsMarkdown()
                                        : CommandsMarkdown(output.shell());
  output.shell().out << text;
  return 0;
}

}  // namespace

void AddDocsCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("docs", "Print a generated page of the documentation");
  command->group("");
  auto page = std::make_shared<std::string>();
  command->add_option("PAGE", *page, "api, config or cli")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"api", "config", "cli"}), "page");
  command->callback([page, &invocation] {
    invocation.action = [page](Output& output) { return Print(*page, output); };
  });
}

}  // namespace koya::cli
