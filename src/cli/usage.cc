// koya usage ADDRESS [VERSION] | used-by ADDRESS | lag NAMESPACE | unused [NAMESPACE]
//   | forget PRINCIPAL

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/api/usage_client.h"
#include "cli/program.h"
#include "cli/text/named_arguments.h"
#include "cli/text/readable.h"
#include "cli/text/usage_text.h"

namespace koya::cli {
namespace {

constexpr std::string_view kUsageFooter =
    R"(With a version, shows its consumers. Fetched is not deployed: a cache fetches once for many, and a
plan fetches as an apply does. Consumers that want to be listed by name set
TF_APPEND_USER_AGENT=koya-consumer/NAME, or use the token of a service account. Only the namespace's
owners and administrators see names. An address that begins with a host belongs to another registry
and is mirrored here.

Examples:
  koya usage acme/vpc/aws                    which versions are fetched, and how often
  koya usage acme/vpc/aws --by consumer      by whom
  koya usage acme/vpc/aws 1.2.0              who fetches 1.2.0
  koya usage used-by acme/vpc/aws            which consumer has which version; modules that call it
  koya usage lag acme                        who is behind, and how far
  koya usage unused acme --days 365          not fetched for a year)";

constexpr std::string_view kForgetFooter =
    R"(Their fetches stay counted, anonymously and without labels. Needs a token of scope admin for all
namespaces.

Examples:
  koya usage forget user:ada
  koya usage forget service:build)";

struct UsageArguments {
  std::string address;  // or a namespace, or who is forgotten
  std::string version;
  std::string by = "version";
  std::string kind = "modules";
  std::optional<std::uint64_t> days;
  ServerFlags server;

  std::string days_text() const { return days ? std::to_string(*days) : ""; }
};

Result<int> ShowImpact(ApiClient& api, const CountedThing& thing, const UsageArguments& arguments,
                       Output& output) {
  if (!thing.is_ours()) {
    return FailInvalid(
        "versions of another registry cannot be withdrawn here: leave the version out");
  }
  ASSIGN_OR_RETURN(Version version, Version::ParseLookup(arguments.version));
  ASSIGN_OR_RETURN(wire::UsageImpact impact,
                   api.Send(thing.ImpactLine(version).WithAny("days", arguments.days_text())));
  for (const std::string& line : ImpactLines(impact, SIZE_MAX)) output.Print(line);
  output.PrintDocument(wire::Encode(impact));
  return 0;
}

Result<int> ShowUsage(const UsageArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(CountedThing thing, CountedThing::Parse(arguments.address));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ApiClient api(std::move(connection));
  if (!arguments.version.empty()) return ShowImpact(api, thing, arguments, output);
  ASSIGN_OR_RETURN(
      wire::UsageReport report,
      api.Send(thing.UsageLine().With("by", arguments.by).WithAny("days", arguments.days_text())));
  PrintUsage(report, output);
  output.PrintDocument(wire::Encode(report));
  return 0;
}

Result<int> ShowUsedBy(const UsageArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(CountedThing thing, CountedThing::Parse(arguments.address));
  if (!thing.is_ours()) {
    return FailInvalid(
        "the consumers of another registry's package have no versions here: use koya usage {} --by "
        "consumer",
        arguments.address);
  }
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ApiClient api(std::move(connection));
  ASSIGN_OR_RETURN(wire::UsedBy used, FindUsedBy(api, thing, arguments.days_text()));
  PrintUsedBy(used, output);
  output.PrintDocument(wire::Encode(used));
  return 0;
}

Result<int> ShowLag(const UsageArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ApiClient api(std::move(connection));
  ASSIGN_OR_RETURN(wire::UsageLag lag, api.Send(At(wire::kGetUsageLag)
                                                    .With("namespace", arguments.address)
                                                    .WithAny("days", arguments.days_text())));
  PrintLag(lag, output);
  output.PrintDocument(wire::Encode(lag));
  return 0;
}

Result<int> ShowUnused(const UsageArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ApiClient api(std::move(connection));
  ASSIGN_OR_RETURN(wire::UnusedPage unused,
                   ListUnused(api, arguments.kind, arguments.address, arguments.days_text()));
  PrintUnused(unused, output);
  output.PrintDocument(wire::Encode(unused));
  return 0;
}

Result<int> ForgetPrincipal(const UsageArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ApiClient api(std::move(connection));
  ASSIGN_OR_RETURN(wire::ForgottenUsage forgotten,
                   api.Send(At(wire::kForgetUsage), {arguments.address}));
  output.Print(fmt::format("Forgot {}: {} rows are anonymous now", Printable(forgotten.principal),
                           forgotten.rows));
  output.PrintDocument(wire::Encode(forgotten));
  return 0;
}

using UsageAction = Result<int> (*)(const UsageArguments&, Output&);
using Arguments = std::shared_ptr<UsageArguments>;

// What all of them have.
void Finish(CLI::App& command, const Arguments& arguments, Invocation& invocation) {
  AddServerFlags(command, arguments->server);
  AddJsonFlag(command, invocation);
}

void AddDays(CLI::App& command, const Arguments& arguments, const std::string& about) {
  command.add_option("--days", arguments->days, about)
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{3650}))
      ->type_name("NUMBER");
}

// The action of a command, unless one below it was named.
void SetAction(CLI::App& command, const Arguments& arguments, UsageAction action,
               Invocation& invocation) {
  command.callback([&command, arguments, action, &invocation] {
    if (!command.get_subcommands().empty()) return;
    if (arguments->address.empty() && action == ShowUsage) {
      throw CLI::RequiredError("ADDRESS");
    }
    invocation.action = [arguments, action](Output& output) { return action(*arguments, output); };
  });
}

void AddUsedBy(CLI::App& usage, Invocation& invocation) {
  CLI::App* command =
      usage.add_subcommand("used-by", "List the consumers, their versions, and the dependents");
  auto arguments = std::make_shared<UsageArguments>();
  command
      ->add_option("ADDRESS", arguments->address,
                   "A module, for example acme/vpc/aws, or a provider, for example acme/demo")
      ->required()
      ->check(ReadableBy(CountedThing::Parse))
      ->type_name("");
  AddDays(*command, arguments, "Consumers of the last so many days (30)");
  Finish(*command, arguments, invocation);
  SetAction(*command, arguments, ShowUsedBy, invocation);
}

void AddLag(CLI::App& usage, Invocation& invocation) {
  CLI::App* command =
      usage.add_subcommand("lag", "How far behind the consumers of a namespace are");
  auto arguments = std::make_shared<UsageArguments>();
  command->add_option("NAMESPACE", arguments->address, "Its namespace, for example acme")
      ->required()
      ->type_name("");
  AddDays(*command, arguments, "Consumers of the last so many days (30)");
  Finish(*command, arguments, invocation);
  SetAction(*command, arguments, ShowLag, invocation);
}

void AddUnused(CLI::App& usage, Invocation& invocation) {
  CLI::App* command = usage.add_subcommand("unused", "List packages without fetches");
  auto arguments = std::make_shared<UsageArguments>();
  command->add_option("NAMESPACE", arguments->address, "Only of this namespace")->type_name("");
  command->add_option("--kind", arguments->kind, "Modules, or providers (modules)")
      ->check(CLI::IsMember({"modules", "providers"}), "kind")
      ->type_name("modules|providers");
  AddDays(*command, arguments, "Not fetched for so many days (180)");
  Finish(*command, arguments, invocation);
  SetAction(*command, arguments, ShowUnused, invocation);
}

void AddForget(CLI::App& usage, Invocation& invocation) {
  CLI::App* command = usage.add_subcommand("forget", "Forget a consumer, but keep the counts");
  auto arguments = std::make_shared<UsageArguments>();
  command->add_option("PRINCIPAL", arguments->address, "user:NAME, service:NAME or token:NAME")
      ->required()
      ->type_name("");
  Finish(*command, arguments, invocation);
  command->footer(std::string(kForgetFooter));
  SetAction(*command, arguments, ForgetPrincipal, invocation);
}

}  // namespace

void AddUsageCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("usage", "Show who fetches a module or provider");
  auto arguments = std::make_shared<UsageArguments>();
  command
      ->add_option("ADDRESS", arguments->address,
                   "A module, for example acme/vpc/aws, or a provider, for example acme/demo")
      ->check(ReadableBy(CountedThing::Parse))
      ->type_name("");
  command->add_option("VERSION", arguments->version, "Show the consumers of this version")
      ->check(CheckKnownVersion)
      ->type_name("");
  command->add_option("--by", arguments->by, "Group the counts by this (version)")
      ->check(CLI::IsMember({"version", "consumer", "client"}), "by")
      ->type_name("version|consumer|client");
  AddDays(*command, arguments, "In the last so many days (30; with a version 90)");
  Finish(*command, arguments, invocation);
  command->footer(std::string(kUsageFooter));
  SetAction(*command, arguments, ShowUsage, invocation);
  command->require_subcommand(0, 1);
  AddUsedBy(*command, invocation);
  AddLag(*command, invocation);
  AddUnused(*command, invocation);
  AddForget(*command, invocation);
}

}  // namespace koya::cli
