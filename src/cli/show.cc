// koya show module NAMESPACE/NAME/SYSTEM [VERSION], koya show provider NAMESPACE/TYPE [VERSION]

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/api/provider_client.h"
#include "cli/api/registry_client.h"
#include "cli/impact.h"
#include "cli/program.h"
#include "cli/release_docs.h"
#include "cli/text/module_report.h"
#include "cli/text/named_arguments.h"
#include "cli/text/readable.h"
#include "cli/text/usage_block.h"
#include "cli/text/verdict_text.h"
#include "domain/host_name.h"
#include "inspect/module_block.h"
#include "inspect/module_json.h"
#include "wire/identity.h"
#include "wire/policy.h"
#include "wire/provider_docs.h"

namespace koya::cli {
namespace {

constexpr std::string_view kShowModuleFooter =
    R"(The server analyzed the contents when the version was published: nothing is run. Without flags you
get a summary: licence, requirements, counts, and unreadable parts. Of another registry's module it
shows whether clients get the version, and why or why not.

Examples:
  koya show module acme/vpc/aws
  koya show module acme/vpc/aws 1.2.0 --inputs
  koya show module acme/vpc/aws --outputs --submodule modules/subnets --json)";

constexpr std::string_view kShowProviderFooter =
    R"(Of another registry's provider it shows whether clients get the version, and why or why not. Its docs
are available if the server mirrors them (setting mirror.docs).

Examples:
  koya show provider acme/demo
  koya show provider acme/demo 1.2.0 --docs
  koya show provider registry.opentofu.org/hashicorp/aws 6.0.0
  koya show provider registry.opentofu.org/hashicorp/aws 6.0.0 --docs)";

struct ShowArguments {
  std::string address;
  std::string version;
  // Of a module: only these sections of its contents, and of which folder.
  bool inputs = false;
  bool outputs = false;
  bool resources = false;
  std::string folder;
  bool docs = false;  // of a provider: the list of its pages

  bool inside() const { return inputs || outputs || resources; }
  ServerFlags server;
};

// nullopt: the latest.
Result<std::optional<Version>> GivenVersion(const ShowArguments& arguments) {
  if (arguments.version.empty()) return std::nullopt;
  return Version::ParseLookup(arguments.version);
}

// The host that the server itself writes before the address, so that the shown text can be pasted.
// Earlier versions of Koya send "HOST/NAMESPACE/NAME/SYSTEM" as source; registries send the URL of
// a repository there.
std::string SourceHost(const wire::ModuleDetails& module, const http::Url& server) {
  std::size_t slash = module.source.find('/');
  bool full = slash != std::string::npos && module.source.find("://") == std::string::npos &&
              module.source.substr(slash + 1).find('/') != std::string::npos &&
              module.source.find_first_of(".:") < slash;
  return full ? module.source.substr(0, slash) : server.Authority();
}

// The page of the source; of servers before it the repository. Still earlier ones send an address
// there, which the heading shows.
template <class Details>
void PrintSource(const Details& details, Output& output) {
  const std::string& url = details.source_url.empty() ? details.source : details.source_url;
  if (url.contains("://")) output.Print("  source       " + Printable(url, 4096));
}

void PrintProvenance(const wire::Provenance& provenance, Output& output) {
  if (provenance.empty()) return;
  output.Print("  provenance");
  for (const auto& [name, value] : provenance) {
    output.Print(fmt::format("    {:<12} {}", Printable(name, 40), Printable(value, 600)));
  }
}

void PrintAttachments(const std::vector<wire::Attachment>& attachments, Output& output) {
  for (const wire::Attachment& each : attachments) {
    output.Print(fmt::format("  attachment   {} ({} bytes)", Printable(each.name), each.size));
  }
}

// Contents as the server reports them. nullopt, with a note, when it cannot report them right now:
// the rest of the version is shown all the same.
std::optional<inspect::ModuleContents> InsideOf(RegistryClient& client,
                                                const ModuleAddress& address,
                                                const std::string& version, Output& output) {
  auto read = [&]() -> Result<inspect::ModuleContents> {
    ASSIGN_OR_RETURN(Version known, Version::ParseLookup(version));
    ASSIGN_OR_RETURN(std::string body, client.ModuleContents(address, known));
    return inspect::ReadAnsweredModule(body);
  };
  Result<inspect::ModuleContents> inside = read();
  if (inside) return *std::move(inside);
  output.Note("koya: the contents are unavailable: " + inside.error().message);
  return std::nullopt;
}

void PrintModule(const wire::ModuleDetails& module,
                 const std::optional<inspect::ModuleContents>& inside, const ModuleAddress& address,
                 const std::string& host, Output& output) {
  output.Print(output.Bold(fmt::format("{} {}", address.ToString(), module.version)));
  if (!module.description.empty()) output.Print("  description  " + module.description);
  if (!module.deprecation.empty()) {
    output.Print("  deprecated   " + output.Yellow(Printable(module.deprecation, 2000)));
  }
  PrintVisibility("access       ", module.visibility, output);
  if (!module.owner.empty()) output.Print("  published by " + module.owner);
  output.Print("  published    " + module.published_at);
  if (module.downloads > 0) {
    output.Print(fmt::format("  fetched      {}", module.downloads == 1
                                                      ? "once"
                                                      : fmt::format("{} times", module.downloads)));
  }
  PrintSource(module, output);
  PrintProvenance(module.provenance, output);
  PrintAttachments(module.attachments, output);
  if (!module.versions.empty()) {
    output.Print(fmt::format("  versions     {}", fmt::join(module.versions, ", ")));
  }
  if (inside) PrintSummary(*inside, output);
  output.Print("");
  output.Print(ModuleBlock(host, address, module.version,
                           inside ? inspect::FoldersToUse(*inside) : std::vector<std::string>()));
  std::string warning = HostWarning(host);
  if (!warning.empty() && !output.json()) output.Note(warning);
  output.PrintDocument(wire::EncodeModuleDetails(module));
}

// "3 resources, 1 overview", of kinds in the order of the document.
std::string CountsText(const std::vector<wire::KindCount>& counts) {
  std::vector<std::string> words;
  words.reserve(counts.size());
  for (const wire::KindCount& each : counts) {
    words.push_back(fmt::format("{} {}", each.count, Printable(each.kind, 40)));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

constexpr std::size_t kMostWarningsShown = 20;

void PrintInside(const wire::ProviderInside& inside, Output& output) {
  auto unsigned_note = [](bool is_signed) { return is_signed ? "" : " (not signed)"; };
  if (!inside.docs.empty()) {
    output.Print(fmt::format("  docs         {}{}", CountsText(inside.docs.pages),
                             unsigned_note(inside.docs.is_signed)));
  }
  if (!inside.docs.languages.empty()) {
    output.Print(fmt::format("               also in {}", fmt::join(inside.docs.languages, ", ")));
  }
  if (!inside.schema.empty()) {
    output.Print(fmt::format("  schema       {}{}", CountsText(inside.schema.items),
                             unsigned_note(inside.schema.is_signed)));
  }
  for (std::size_t i = 0; i < inside.warnings.size(); ++i) {
    if (i == kMostWarningsShown) {
      output.Print(fmt::format("  warning      and {} more", inside.warnings.size() - i));
      return;
    }
    output.Print("  warning      " + output.Yellow(DocsWarningText(inside.warnings[i])));
  }
}

void PrintDocs(const wire::DocList& list, Output& output) {
  std::string group;
  for (const wire::DocEntry& each : list.docs) {
    std::string next = Printable(each.kind, 40);
    if (each.language != "hcl") next += fmt::format(" ({})", Printable(each.language, 40));
    if (next != group) output.Print(output.Bold(next));
    group = std::move(next);
    output.Print(fmt::format("  {:<30} {}{}", Printable(each.name, 200), Printable(each.title, 300),
                             each.deprecated ? " (deprecated)" : ""));
  }
  output.PrintDocument(wire::Encode(list));
}

void PrintProvider(const wire::ProviderDetails& provider, const wire::ProviderInside& inside,
                   const ProviderAddress& address, const std::string& host, Output& output) {
  std::vector<std::string> platforms;
  platforms.reserve(provider.platforms.size());
  for (const wire::PlatformName& platform : provider.platforms) {
    platforms.push_back(platform.os + "_" + platform.arch);
  }
  output.Print(output.Bold(fmt::format("{} {}", address.ToString(), provider.version)));
  if (!provider.deprecation.empty()) {
    output.Print("  deprecated   " + output.Yellow(Printable(provider.deprecation, 2000)));
  }
  PrintVisibility("access       ", provider.visibility, output);
  if (!provider.owner.empty()) output.Print("  published by " + provider.owner);
  output.Print("  published    " + provider.published_at);
  output.Print(fmt::format("  protocols    {}", fmt::join(provider.protocols, ", ")));
  output.Print(fmt::format("  platforms    {}", fmt::join(platforms, ", ")));
  if (!provider.key_fingerprint.empty()) {
    output.Print("  signed by    " + provider.key_fingerprint);
  }
  if (!provider.shasums_digest.empty()) output.Print("  SHA256SUMS   " + provider.shasums_digest);
  PrintSource(provider, output);
  PrintProvenance(provider.provenance, output);
  PrintAttachments(provider.attachments, output);
  if (!provider.versions.empty()) {
    output.Print(fmt::format("  versions     {}", fmt::join(provider.versions, ", ")));
  }
  PrintInside(inside, output);
  output.Print("");
  output.Print(ProviderBlock(host, address, provider.version));
  output.PrintDocument(wire::Encode(provider));
}

// {"inputs": […], …}: the requested sections, as the server sent them.
std::string InsideDocument(const inspect::ParsedModuleJson& inside,
                           const ShowArguments& arguments) {
  std::vector<std::string> members;
  if (arguments.inputs) members.push_back("\"inputs\":" + inside.inputs);
  if (arguments.outputs) members.push_back("\"outputs\":" + inside.outputs);
  if (arguments.resources) members.push_back("\"resources\":" + inside.resources);
  return fmt::format("{{{}}}", fmt::join(members, ","));
}

Result<int> ShowInside(RegistryClient& client, const ModuleAddress& address,
                       std::optional<Version> version, const ShowArguments& arguments,
                       Output& output) {
  if (!version) {
    ASSIGN_OR_RETURN(wire::ModuleDetails latest, client.ShowModule(address, std::nullopt));
    ASSIGN_OR_RETURN(version, Version::ParseLookup(latest.version));
  }
  ASSIGN_OR_RETURN(std::string body, client.ModuleContents(address, *version));
  ASSIGN_OR_RETURN(inspect::ParsedModuleJson inside,
                   inspect::ReadAnsweredPart(body, arguments.folder));
  std::string title = fmt::format("{} {}", address.ToString(), version->ToString());
  if (!arguments.folder.empty()) title += " " + Printable(arguments.folder);
  output.Print(output.Bold(title));
  if (arguments.inputs) PrintInputs(inside.part, output);
  if (arguments.outputs) PrintOutputs(inside.part, output);
  if (arguments.resources) PrintResources(inside.part, output);
  output.PrintDocument(InsideDocument(inside, arguments));
  return 0;
}

// HOST/NAMESPACE/NAME/SYSTEM.
bool NamesUpstreamModule(std::string_view text) { return std::ranges::count(text, '/') == 3; }

// A version of another registry: whether clients get it, and why. koya mirror list has what is
// stored of it.
Result<int> ShowMirrored(const ShowArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ApiClient api(std::move(connection));
  ASSIGN_OR_RETURN(const wire::PolicyVerdict verdict,
                   api.Send(At(wire::kExplainPolicy)
                                .With("address", arguments.address)
                                .WithAny("version", arguments.version)));
  PrintVerdict(verdict, output);
  output.PrintDocument(wire::Encode(verdict));
  return 0;
}

Result<int> ShowModule(const ShowArguments& arguments, Output& output) {
  if (NamesUpstreamModule(arguments.address)) {
    if (!arguments.inside()) return ShowMirrored(arguments, output);
    return FailInvalid(
        "the contents of another registry's module cannot be shown: leave out "
        "--inputs, --outputs and --resources");
  }
  ASSIGN_OR_RETURN(ModuleAddress address, ModuleAddress::Parse(arguments.address));
  ASSIGN_OR_RETURN(std::optional<Version> version, GivenVersion(arguments));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  RegistryClient client(std::move(connection));
  if (arguments.inside()) {
    return ShowInside(client, address, std::move(version), arguments, output);
  }
  if (!arguments.folder.empty()) {
    return FailInvalid("--submodule needs --inputs, --outputs or --resources");
  }
  ASSIGN_OR_RETURN(wire::ModuleDetails module, client.ShowModule(address, version));
  std::optional<inspect::ModuleContents> inside;
  if (!output.json()) inside = InsideOf(client, address, module.version, output);
  PrintModule(module, inside, address, SourceHost(module, client.server()), output);
  return 0;
}

Result<int> ShowMirroredProvider(const ShowArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(UpstreamProvider provider, ParseUpstreamProvider(arguments.address));
  ASSIGN_OR_RETURN(std::optional<Version> version, GivenVersion(arguments));
  if (!arguments.docs) return ShowMirrored(arguments, output);
  if (!version) {
    return FailInvalid(
        "the docs of another registry's provider need a version: use koya "
        "show provider {} VERSION --docs",
        provider.Key());
  }
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ApiClient api(std::move(connection));
  ASSIGN_OR_RETURN(wire::DocList docs, api.Send(At(wire::kListMirroredDocs, provider.host,
                                                   provider.address, *version)));
  PrintDocs(docs, output);
  return 0;
}

Result<int> ShowProvider(const ShowArguments& arguments, Output& output) {
  if (NamesUpstream(arguments.address)) return ShowMirroredProvider(arguments, output);
  ASSIGN_OR_RETURN(ProviderAddress address, ProviderAddress::Parse(arguments.address));
  ASSIGN_OR_RETURN(std::optional<Version> version, GivenVersion(arguments));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ProviderClient client(std::move(connection));
  ASSIGN_OR_RETURN(wire::ProviderDetails provider, client.ShowProvider(address, version));
  if (arguments.docs) {
    ASSIGN_OR_RETURN(wire::DocList docs,
                     client.Send(At(wire::kListProviderDocs, address, provider.version)));
    PrintDocs(docs, output);
    return 0;
  }
  ASSIGN_OR_RETURN(wire::ProviderInside inside, client.ShowInside(address, provider.version));
  PrintProvider(provider, inside, address, ProviderHost(provider.source, client.server()), output);
  return 0;
}

using ShowAction = Result<int> (*)(const ShowArguments&, Output&);

std::string CheckAnyModule(const std::string& text) {
  if (!NamesUpstreamModule(text)) return CheckModule(text);
  const std::size_t slash = text.find('/');
  std::string problem = ReadableBy(HostName::Parse)(text.substr(0, slash));
  return problem.empty() ? CheckModule(text.substr(slash + 1)) : problem;
}

struct Showing {
  std::string thing;    // "module"
  std::string address;  // what its address looks like
  std::string (*check)(const std::string& address);
  ShowAction action;
  void (*add_flags)(CLI::App&, ShowArguments&) = nullptr;
  std::string footer = {};
};

void AddInsideFlags(CLI::App& command, ShowArguments& arguments) {
  command.add_flag("--inputs", arguments.inputs, "Only its inputs");
  command.add_flag("--outputs", arguments.outputs, "Only its outputs");
  command.add_flag("--resources", arguments.resources, "Only its resources and data");
  command
      .add_option("--submodule", arguments.folder,
                  "Of this submodule or example, for example modules/vpc")
      ->type_name("PATH");
}

void AddDocsFlag(CLI::App& command, ShowArguments& arguments) {
  command.add_flag("--docs", arguments.docs, "List the pages of its docs instead");
}

void AddShowing(CLI::App& show, Invocation& invocation, const Showing& showing) {
  CLI::App* command = show.add_subcommand(
      showing.thing, fmt::format("Show a version of a {} (default: the latest)", showing.thing));
  auto arguments = std::make_shared<ShowArguments>();
  command->add_option("ADDRESS", arguments->address, showing.address)
      ->required()
      ->check(showing.check)
      ->type_name("");
  command->add_option("VERSION", arguments->version, "A version (default: the latest)")
      ->check(CheckKnownVersion)
      ->type_name("");
  if (showing.add_flags != nullptr) showing.add_flags(*command, *arguments);
  AddServerFlags(*command, arguments->server);
  AddJsonFlag(*command, invocation);
  command->footer(showing.footer);
  command->callback([arguments, action = showing.action, &invocation] {
    invocation.action = [arguments, action](Output& output) { return action(*arguments, output); };
  });
}

}  // namespace

void AddShowCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* show = program.add_subcommand("show", "Show a module or provider of the registry");
  show->require_subcommand(1);
  AddShowing(
      *show, invocation,
      {"module", "NAMESPACE/NAME/SYSTEM, for example acme/vpc/aws, or HOST/NAMESPACE/NAME/SYSTEM",
       CheckAnyModule, ShowModule, AddInsideFlags, std::string(kShowModuleFooter)});
  AddShowing(*show, invocation,
             {"provider", "NAMESPACE/TYPE, for example acme/demo, or HOST/NAMESPACE/TYPE",
              CheckAnyProvider, ShowProvider, AddDocsFlag, std::string(kShowProviderFooter)});
}

}  // namespace koya::cli
