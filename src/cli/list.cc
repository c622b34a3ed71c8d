// koya list modules | providers, koya open

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/api/provider_client.h"
#include "cli/api/registry_client.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "domain/module_address.h"
#include "domain/name_rules.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "http/url.h"

namespace koya::cli {
namespace {

struct ListArguments {
  std::string ns;
  ServerFlags server;
};

void PrintModules(const wire::ModuleList& list, Output& output) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(list.modules.size());
  for (const wire::ModuleDetails& module : list.modules) {
    rows.push_back({fmt::format("{}/{}/{}", module.ns, module.name, module.system), module.version,
                    module.visibility, module.deprecated ? "deprecated" : "", module.published_at,
                    Printable(module.description)});
  }
  if (rows.empty()) {
    output.Note("koya: no modules");
  } else {
    output.PrintTable({"MODULE", "LATEST", "VISIBILITY", "STATE", "PUBLISHED", "DESCRIPTION"},
                      rows);
  }
  output.PrintDocument(wire::EncodeModuleList(list));
}

void PrintProviders(const wire::ProviderList& list, Output& output) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(list.providers.size());
  for (const wire::ProviderDetails& provider : list.providers) {
    rows.push_back({fmt::format("{}/{}", provider.ns, provider.type), provider.version,
                    provider.visibility, provider.deprecated ? "deprecated" : "",
                    provider.published_at});
  }
  if (rows.empty()) {
    output.Note("koya: no providers");
  } else {
    output.PrintTable({"PROVIDER", "LATEST", "VISIBILITY", "STATE", "PUBLISHED"}, rows);
  }
  output.PrintDocument(wire::EncodeProviderList(list));
}

Result<int> ListModules(const ListArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  RegistryClient client(std::move(connection));
  ASSIGN_OR_RETURN(wire::ModuleList list, client.ListModules(arguments.ns));
  PrintModules(list, output);
  return 0;
}

Result<int> ListProviders(const ListArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ProviderClient client(std::move(connection));
  ASSIGN_OR_RETURN(wire::ProviderList list, client.ListProviders(arguments.ns));
  PrintProviders(list, output);
  return 0;
}

// The namespaces of modules and of providers have different rules.
std::string CheckModulesNamespace(const std::string& text) {
  return ReadableBy([](std::string_view ns) { return ModuleAddress::FromParts(ns, "any", "any"); })(
      text);
}
std::string CheckProvidersNamespace(const std::string& text) {
  return ReadableBy([](std::string_view ns) { return NormalizeProviderNamespace(ns); })(text);
}

using NamespaceCheck = std::string (*)(const std::string&);
using ListAction = Result<int> (*)(const ListArguments&, Output&);

// "modules" or "providers": one listing like the other.
void AddListing(CLI::App& list, Invocation& invocation, const std::string& things,
                NamespaceCheck check, ListAction action) {
  CLI::App* command =
      list.add_subcommand(things, fmt::format("List the {}, with their latest version", things));
  auto arguments = std::make_shared<ListArguments>();
  command
      ->add_option("--namespace", arguments->ns,
                   fmt::format("Only the {} of this namespace", things))
      ->check(check)
      ->type_name("NAMESPACE");
  AddServerFlags(*command, arguments->server);
  AddJsonFlag(*command, invocation);
  command->callback([arguments, action, &invocation] {
    invocation.action = [arguments, action](Output& output) { return action(*arguments, output); };
  });
}

struct OpenArguments {
  std::string address;
  std::string version;
  bool print = false;
  ServerFlags server;
};

// "/modules/acme/vpc/aws/1.0.0". Fails: kInvalid.
Result<std::string> PagePath(const std::string& address, const std::string& version) {
  const auto slashes = std::ranges::count(address, '/');
  std::string path;
  if (slashes == 0) {
    RETURN_IF_ERROR(ParseNamespaceName(address));
    if (!version.empty()) return FailInvalid("a namespace has no version: leave {} out", version);
    return "/namespaces/" + address;
  }
  if (slashes == 1) {
    RETURN_IF_ERROR(ProviderAddress::Parse(address));
    path = "/providers/" + address;
  } else {
    RETURN_IF_ERROR(ModuleAddress::Parse(address));
    path = "/modules/" + address;
  }
  return version.empty() ? path : path + "/" + http::PercentEncode(version);
}

Result<int> OpenPage(const OpenArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ASSIGN_OR_RETURN(std::string path, PagePath(arguments.address, arguments.version));
  const std::string url = connection.server.Origin() + path;
  const Shell& shell = output.shell();
  if (arguments.print || !shell.open_browser || !shell.open_browser(url)) output.Print(url);
  return 0;
}

}  // namespace

void AddListCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* list = program.add_subcommand("list", "List the modules or providers of the registry");
  list->require_subcommand(1);
  AddListing(*list, invocation, "modules", CheckModulesNamespace, ListModules);
  AddListing(*list, invocation, "providers", CheckProvidersNamespace, ListProviders);
}

void AddOpenCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("open", "Open the page of a module, provider or namespace");
  auto arguments = std::make_shared<OpenArguments>();
  command
      ->add_option("ADDRESS", arguments->address,
                   "NAMESPACE/NAME/SYSTEM, NAMESPACE/TYPE or NAMESPACE")
      ->required()
      ->type_name("");
  command->add_option("VERSION", arguments->version, "A version of it")
      ->check(ReadableBy([](std::string_view text) { return Version::Parse(text); }))
      ->type_name("");
  command->add_flag("--print", arguments->print, "Print the page's URL instead");
  AddServerFlags(*command, arguments->server);
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return OpenPage(*arguments, output); };
  });
}

}  // namespace koya::cli
