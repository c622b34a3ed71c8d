// koya list modules, koya search WORDS

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/connection.h"

namespace koya::cli {
namespace {

struct ListArguments {
  std::string ns;
  std::string words;
  ServerFlags server;
};

void PrintModules(const wire::ModuleList& list, Output& output) {
  std::vector<std::vector<std::string>> rows;
  for (const wire::ModuleDetails& module : list.modules) {
    rows.push_back({fmt::format("{}/{}/{}", module.ns, module.name, module.system), module.version,
                    module.published_at});
  }
  if (rows.empty()) {
    output.Note("koya: no modules");
  } else {
    output.PrintTable({"MODULE", "LATEST", "PUBLISHED"}, rows);
  }
  output.PrintDocument(wire::EncodeModuleList(list));
}

Result<int> List(const ListArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  RegistryClient client(std::move(connection));
  ASSIGN_OR_RETURN(wire::ModuleList list, client.ListModules(arguments.ns));
  PrintModules(list, output);
  return 0;
}

Result<int> Search(const ListArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  RegistryClient client(std::move(connection));
  ASSIGN_OR_RETURN(wire::ModuleList list, client.SearchModules(arguments.words));
  PrintModules(list, output);
  return 0;
}

}  // namespace

void AddListCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* list = program.add_subcommand("list", "List what the registry holds");
  list->require_subcommand(1);
  CLI::App* modules =
      list->add_subcommand("modules", "List the modules, with their latest version");
  auto arguments = std::make_shared<ListArguments>();
  modules->add_option("--namespace", arguments->ns, "Only the modules of this namespace")
      ->type_name("NAMESPACE");
  AddServerFlags(*modules, arguments->server);
  AddJsonFlag(*modules, invocation);
  modules->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return List(*arguments, output); };
  });
}

void AddSearchCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* search = program.add_subcommand("search", "Find modules by a word of their address");
  auto arguments = std::make_shared<ListArguments>();
  search->add_option("WORDS", arguments->words, "What to look for, as vpc")
      ->required()
      ->type_name("");
  AddServerFlags(*search, arguments->server);
  AddJsonFlag(*search, invocation);
  search->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Search(*arguments, output); };
  });
}

}  // namespace koya::cli
