// koya namespace set | list | show

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/noun.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "domain/name_rules.h"
#include "domain/namespace_record.h"
#include "wire/namespaces.h"

namespace koya::cli {
namespace {

constexpr std::string_view kNamespaceFooter =
    R"(A public namespace can be read by all users of this registry, an internal one by everyone
with a valid token, a private one by accounts with a role in it ("koya grant").
--semver applies when a module's version number understates the changes since the version before:
"warn" warns the publisher, "refuse-breaking" rejects a breaking version without a major step,
"refuse" rejects every number that is too small, "off" compares nothing, "default" uses the server's
publish.semver.
--publish ci-only: new versions come from jobs of a CI that the namespace trusts ("koya trust") only;
an administrator can override that for one publish with --break-glass and a reason.
Pages show a title (one line, up to 80 characters) and a description (up to 500 characters of plain
text) beside the name; an empty one ("") removes it.

Examples:
  koya namespace set acme --visibility private       creates it if it does not exist
  koya namespace set acme --semver refuse
  koya namespace set acme --publish ci-only
  koya namespace set acme --title "Platform team" --description "Networks. Ask in #platform."
  koya namespace list
  koya namespace show acme)";

// Bytes of a line that a server says: the longest description.
constexpr std::size_t kMostShown = 4 * kLongestNamespaceDescription;

struct NamespaceArguments {
  std::string ns;
  std::string visibility;
  std::string semver;
  std::string publish;
  std::optional<std::string> title, description;  // nullopt: not said
  PlaceFlags place;
};

std::string RuleText(const wire::Namespace& ns) {
  return ns.semver.empty() ? "the server default" : ns.semver;
}

Result<int> SetNamespace(ApiClient& api, const NamespaceArguments& arguments, Output& output) {
  const wire::NamespaceRequest request{.visibility = arguments.visibility,
                                       .semver = arguments.semver,
                                       .title = arguments.title,
                                       .description = arguments.description,
                                       .publish = arguments.publish};
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api.Call(At(wire::kSetNamespace, arguments.ns), request));
  ASSIGN_OR_RETURN(wire::Namespace ns, wire::Decode<wire::Namespace>(response.body));
  return PrintDone(
      {},
      fmt::format("{} {}: it is {}{}{}",
                  response.status == 201 ? "Created the namespace" : "Set the namespace", ns.name,
                  ns.visibility,
                  ns.semver.empty() ? "" : ", and its rule for versions is " + ns.semver,
                  ns.publish == "ci-only" ? "; CI alone publishes there" : ""),
      wire::Encode(ns), output);
}

std::string OwnersText(const wire::Namespace& ns) {
  std::string text;
  for (const wire::NamespaceOwner& owner : ns.owners) {
    text += (text.empty() ? "" : ", ") + owner.kind + " " + owner.name;
  }
  const std::uint64_t more = ns.more_owners.value_or(0);
  return more == 0 ? text : text + fmt::format(" and {} more", more);
}

// A column of a number that a server reports to administrators.
Column<wire::Namespace> NumberColumn(std::string heading,
                                     std::optional<std::uint64_t> wire::Namespace::* number) {
  return {std::move(heading),
          [number](const wire::Namespace& ns) {
            return ns.*number ? std::to_string(*(ns.*number)) : std::string();
          },
          "-"};
}

Result<int> ListNamespaces(ApiClient& api, const NamespaceArguments&, Output& output) {
  Result<wire::NamespaceList> list = api.Send(At(wire::kListNamespaces));
  std::vector<Column<wire::Namespace>> columns = {{"NAME", &wire::Namespace::name},
                                                  {"VISIBILITY", &wire::Namespace::visibility},
                                                  {"CREATED", &wire::Namespace::created}};
  const bool has_contents = list && !list->items.empty() && list->items.front().bytes;
  if (has_contents) {
    columns.push_back({"OWNERS", OwnersText, "-"});
    columns.push_back(NumberColumn("MODULES", &wire::Namespace::modules));
    columns.push_back(NumberColumn("PROVIDERS", &wire::Namespace::providers));
    columns.push_back(NumberColumn("BYTES", &wire::Namespace::bytes));
    columns.push_back({"LAST PUBLISHED", &wire::Namespace::last_published, "never"});
  } else {
    columns.push_back({"CREATED BY", &wire::Namespace::created_by, "-"});
  }
  return PrintList(list, columns, "koya: no namespaces that you can see", output);
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

Result<int> ShowNamespace(ApiClient& api, const NamespaceArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(wire::Namespace ns, api.Send(At(wire::kShowNamespace, arguments.ns)));
  output.Print(ns.name);
  if (!ns.title.empty()) output.Print("  title       " + Printable(ns.title, kMostShown));
  PrintDescription(ns.description, output);
  output.Print("  visibility  " + ns.visibility);
  output.Print("  semver      " + RuleText(ns));
  if (!ns.publish.empty()) output.Print("  publish     " + ns.publish);
  output.Print("  created     " + ns.created);
  output.Print("  created by  " + (ns.created_by.empty() ? "-" : ns.created_by));
  output.PrintDocument(wire::Encode(ns));
  return 0;
}

void DeclareNamespace(CLI::App& command, NamespaceArguments& arguments) {
  command.add_option("NAME", arguments.ns, "The namespace, for example acme")
      ->required()
      ->check(ReadableBy(ParseNamespaceName))
      ->type_name("");
}

// REQUIRES: `arguments` outlives the command. An empty text is one, too.
void DeclareWords(CLI::App& command, NamespaceArguments& arguments) {
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

void DeclareSettings(CLI::App& set, NamespaceArguments& arguments) {
  DeclareNamespace(set, arguments);
  set.add_option("--visibility", arguments.visibility, "public, internal or private")
      ->check(CLI::IsMember({"public", "internal", "private"}), "visibility")
      ->type_name("WHO");
  set.add_option(
         "--semver", arguments.semver,
         "Version numbers that understate changes: off, warn, refuse-breaking, refuse or default")
      ->check(CLI::IsMember({"off", "warn", "refuse-breaking", "refuse", "default"}), "rule")
      ->type_name("RULE");
  set.add_option("--publish", arguments.publish,
                 "Who may publish: any (with the right to), or ci-only (trusted CI jobs)")
      ->check(CLI::IsMember({"any", "ci-only"}), "rule")
      ->type_name("RULE");
  DeclareWords(set, arguments);
  set.parse_complete_callback([&arguments] {
    const bool has_words = arguments.title || arguments.description;
    if (arguments.visibility.empty() && arguments.semver.empty() && arguments.publish.empty() &&
        !has_words) {
      throw CLI::RequiredError("--visibility, --semver, --publish, --title or --description:");
    }
  });
}

}  // namespace

void AddNamespaceCommand(CLI::App& program, Invocation& invocation) {
  AddNoun<NamespaceArguments>(
      program, invocation, "namespace", "Manage namespaces (owners and administrators)",
      kNamespaceFooter,
      {{"set", "Set a namespace's description, visibility and version rule", AtPlace<SetNamespace>,
        nullptr, DeclareSettings},
       {"list", "List the namespaces that you can see", AtPlace<ListNamespaces>},
       {"show", "Show a namespace", AtPlace<ShowNamespace>, nullptr, DeclareNamespace}});
}

}  // namespace koya::cli
