// koya namespace set | list | show

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/api/access_client.h"
#include "cli/api/place.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "domain/name_rules.h"
#include "domain/namespace_words.h"

namespace koya::cli {
namespace {

constexpr std::string_view kNamespaceFooter =
    R"(A public namespace can be read by all users of this registry, an internal one by everyone
with a valid token, a private one by accounts with a role in it ("koya grant").
--semver applies when a module's version number understates the changes since the version before:
"warn" warns the publisher, "refuse-breaking" rejects a breaking version without a major step,
"refuse" rejects every number that is too small, "off" compares nothing, "default" uses the server's
publish.semver.
Pages show a title (one line, up to 80 characters) and a description (up to 500 characters of plain
text) beside the name; an empty one ("") removes it.

Examples:
  koya namespace set acme --visibility private       creates it if it does not exist
  koya namespace set acme --semver refuse
  koya namespace set acme --title "Platform team" --description "Networks. Ask in #platform."
  koya namespace list
  koya namespace show acme)";

// Bytes of a line that a server says: the longest description.
constexpr std::size_t kMostShown = 4 * kLongestNamespaceDescription;

struct NamespaceArguments {
  std::string ns;
  std::string visibility;
  std::string semver;
  std::optional<std::string> title, description;  // nullopt: not said
  PlaceFlags place;
};

std::string RuleText(const wire::Namespace& ns) {
  return ns.semver.empty() ? "the server default" : ns.semver;
}

Result<int> SetNamespace(const NamespaceArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(AccessClient::NamespaceOutcome outcome,
                   AccessClient(place.connection())
                       .SetNamespace(arguments.ns, {.visibility = arguments.visibility,
                                                    .semver = arguments.semver,
                                                    .title = arguments.title,
                                                    .description = arguments.description}));
  output.Print(fmt::format(
      "{} {}: it is {}{}", outcome.created ? "Created the namespace" : "Set the namespace",
      outcome.ns.name, outcome.ns.visibility,
      outcome.ns.semver.empty() ? "" : ", and its rule for versions is " + outcome.ns.semver));
  output.PrintDocument(wire::Encode(outcome.ns));
  return 0;
}

Result<int> ListNamespaces(const NamespaceArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(std::vector<wire::Namespace> namespaces,
                   AccessClient(place.connection()).ListNamespaces());
  std::vector<std::vector<std::string>> rows;
  for (const wire::Namespace& ns : namespaces) {
    rows.push_back(
        {ns.name, ns.visibility, ns.created, ns.created_by.empty() ? "-" : ns.created_by});
  }
  if (rows.empty()) {
    output.Note("koya: no namespaces that you administer");
  } else {
    output.PrintTable({"NAME", "VISIBILITY", "CREATED", "CREATED BY"}, rows);
  }
  output.PrintDocument(wire::EncodeNamespaceList(namespaces));
  return 0;
}

// A line for each of its lines.
void PrintDescription(std::string_view description, Output& output) {
  std::string_view name = "  about       ";
  while (!description.empty()) {
    const std::string_view line = description.substr(0, description.find('\n'));
    description.remove_prefix(std::min(line.size() + 1, description.size()));
    output.Print(std::string(name) + Printable(line, kMostShown));
    name = "              ";
  }
}

Result<int> ShowNamespace(const NamespaceArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(wire::Namespace ns,
                   AccessClient(place.connection()).ShowNamespace(arguments.ns));
  output.Print(ns.name);
  if (!ns.title.empty()) output.Print("  title       " + Printable(ns.title, kMostShown));
  PrintDescription(ns.description, output);
  output.Print("  visibility  " + ns.visibility);
  output.Print("  semver      " + RuleText(ns));
  output.Print("  created     " + ns.created);
  output.Print("  created by  " + (ns.created_by.empty() ? "-" : ns.created_by));
  output.PrintDocument(wire::Encode(ns));
  return 0;
}

using NamespaceAction = Result<int> (*)(const NamespaceArguments&, Output&);

CLI::App* AddNamespaceVerb(CLI::App& parent, Invocation& invocation, const std::string& name,
                           const std::string& about,
                           const std::shared_ptr<NamespaceArguments>& arguments,
                           NamespaceAction action) {
  CLI::App* command = parent.add_subcommand(name, about);
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->callback([arguments, action, &invocation] {
    invocation.action = [arguments, action](Output& output) { return action(*arguments, output); };
  });
  return command;
}

void AddName(CLI::App& command, NamespaceArguments& arguments) {
  command.add_option("NAME", arguments.ns, "The namespace, for example acme")
      ->required()
      ->check(ReadableBy(ParseNamespaceName))
      ->type_name("");
}

// REQUIRES: `arguments` outlives the command. An empty text is one, too.
void AddWords(CLI::App& command, NamespaceArguments& arguments) {
  auto keep = [](std::optional<std::string>& to) {
    return [&to](const std::string& text) { to = text; };
  };
  command
      .add_option_function<std::string>("--title", keep(arguments.title),
                                        "A line that pages show beside the name; \"\": none")
      ->check(ReadableBy(ParseNamespaceTitle))
      ->type_name("TEXT");
  command
      .add_option_function<std::string>("--description", keep(arguments.description),
                                        "Its contents, and a contact; \"\": none")
      ->check(ReadableBy(ParseNamespaceDescription))
      ->type_name("TEXT");
}

}  // namespace

void AddNamespaceCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* parent =
      program.add_subcommand("namespace", "Manage namespaces (owners and administrators)");
  parent->require_subcommand(1);
  auto setting = std::make_shared<NamespaceArguments>();
  CLI::App* set = AddNamespaceVerb(*parent, invocation, "set",
                                   "Set a namespace's description, visibility and version rule",
                                   setting, SetNamespace);
  AddName(*set, *setting);
  set->add_option("--visibility", setting->visibility, "public, internal or private")
      ->check(CLI::IsMember({"public", "internal", "private"}), "visibility")
      ->type_name("WHO");
  set->add_option(
         "--semver", setting->semver,
         "Version numbers that understate changes: off, warn, refuse-breaking, refuse or default")
      ->check(CLI::IsMember({"off", "warn", "refuse-breaking", "refuse", "default"}), "rule")
      ->type_name("RULE");
  AddWords(*set, *setting);
  set->parse_complete_callback([setting] {
    const bool has_words = setting->title || setting->description;
    if (setting->visibility.empty() && setting->semver.empty() && !has_words) {
      throw CLI::RequiredError("--visibility, --semver, --title or --description:");
    }
  });
  AddNamespaceVerb(*parent, invocation, "list", "List the namespaces that you administer",
                   std::make_shared<NamespaceArguments>(), ListNamespaces);
  auto showing = std::make_shared<NamespaceArguments>();
  CLI::App* show =
      AddNamespaceVerb(*parent, invocation, "show", "Show a namespace", showing, ShowNamespace);
  AddName(*show, *showing);
  // Set last: commands that are added inherit it otherwise.
  parent->footer(std::string(kNamespaceFooter));
}

}  // namespace koya::cli
