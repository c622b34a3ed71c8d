// koya diff NAMESPACE/NAME/SYSTEM|NAMESPACE/TYPE FROM TO

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "base/text.h"
#include "cli/api/api_client.h"
#include "cli/api/connection.h"
#include "cli/program.h"
#include "cli/text/comparison_text.h"
#include "cli/text/named_arguments.h"
#include "wire/comparison.h"

namespace koya::cli {
namespace {

constexpr std::string_view kDiffFooter =
    R"(Says whether the second version's number matches the changes, and then lists the changes:
  +  added      breaking    users have to change something
  ~  changed    read this   users should look before updating
  −  removed    compatible  an addition
  →  moved      safe        no action needed
Only declarations are compared; the behaviour of a module or provider can still change.
For providers these are platforms, protocols, the signing key, and the schema and docs published
with both versions ("koya publish provider --schema --docs").

Exit status: 0, or with --check 1 when the number does not match.

Examples:
  koya diff acme/vpc/aws 1.2.0 1.3.0
  koya diff acme/demo 1.2.0 2.0.0
  koya diff acme/vpc/aws 1.2.0 1.3.0 --check --json
  koya diff acme/vpc/aws 1.2.0 1.3.0 --source)";

struct DiffArguments {
  std::string address;
  std::string from;
  std::string to;
  bool check = false;
  bool source = false;
  ServerFlags server;
};

// Two parts: a provider.
bool NamesProvider(const std::string& address) { return std::ranges::count(address, '/') == 1; }

Result<wire::Comparison> AskForComparison(const DiffArguments& arguments, const Version& from,
                                          const Version& to, ApiClient& api) {
  if (NamesProvider(arguments.address)) {
    ASSIGN_OR_RETURN(ProviderAddress address, ProviderAddress::Parse(arguments.address));
    return api.Send(At(wire::kCompareProvider, address)
                        .With("from", from.ToString())
                        .With("to", to.ToString()));
  }
  ASSIGN_OR_RETURN(ModuleAddress address, ModuleAddress::Parse(arguments.address));
  return api.Send(
      At(wire::kCompareModule, address).With("from", from.ToString()).With("to", to.ToString()));
}

// As a unified diff. Control characters of authors reach files, but no terminal.
void PrintSourceDiff(const wire::SourceDiff& diff, Output& output) {
  const auto safe = [&output](std::string text) {
    if (!output.cuts()) return text;
    std::ranges::replace(text, '\t', ' ');
    return Printable(text, SIZE_MAX);
  };
  for (const wire::FileDiff& file : diff.files) {
    const std::string path = Printable(file.path, SIZE_MAX);
    output.Print("--- " + (file.status == "added" ? "/dev/null" : "a/" + path));
    output.Print("+++ " + (file.status == "removed" ? "/dev/null" : "b/" + path));
    for (const wire::DiffHunk& hunk : file.hunks) {
      std::uint64_t from = 0;
      std::uint64_t to = 0;
      for (const wire::DiffLine& line : hunk.lines) {
        if (line.op == " " || line.op == "-") ++from;
        if (line.op == " " || line.op == "+") ++to;
      }
      // A side without lines stands before its first line.
      output.Print(fmt::format("@@ -{},{} +{},{} @@", hunk.from_line - (from == 0 ? 1 : 0), from,
                               hunk.to_line - (to == 0 ? 1 : 0), to));
      for (const wire::DiffLine& line : hunk.lines) output.Print(line.op + safe(line.text));
    }
    if (file.binary) output.Note(fmt::format("koya: {} is no text", path));
    if (file.cut) output.Note(fmt::format("koya: {} is too long to compare in full", path));
  }
  if (diff.files.empty()) output.Note("koya: the files of both versions are the same");
  if (diff.cut) output.Note("koya: the differences are too large to show in full");
}

Result<int> ShowSourceDiff(const DiffArguments& arguments, const Version& from, const Version& to,
                           ApiClient& api, Output& output) {
  if (NamesProvider(arguments.address)) {
    return FailInvalid("--source compares modules: a provider's packages are no source");
  }
  ASSIGN_OR_RETURN(ModuleAddress address, ModuleAddress::Parse(arguments.address));
  ASSIGN_OR_RETURN(wire::SourceDiff diff, api.Send(At(wire::kCompareModuleSource, address)
                                                       .With("from", from.ToString())
                                                       .With("to", to.ToString())));
  PrintSourceDiff(diff, output);
  output.PrintDocument(wire::Encode(diff));
  return 0;
}

Result<int> ShowDiff(const DiffArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Version from, Version::ParseLookup(arguments.from));
  ASSIGN_OR_RETURN(Version to, Version::ParseLookup(arguments.to));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ApiClient api(std::move(connection));
  if (arguments.source) return ShowSourceDiff(arguments, from, to, api, output);
  ASSIGN_OR_RETURN(wire::Comparison comparison, AskForComparison(arguments, from, to, api));
  PrintComparison(comparison, arguments.address, output);
  output.PrintDocument(wire::Encode(comparison));
  return arguments.check && !comparison.agrees ? 1 : 0;
}

}  // namespace

void AddDiffCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "diff", "Show what changed between two versions of a module or provider");
  auto arguments = std::make_shared<DiffArguments>();
  command
      ->add_option("ADDRESS", arguments->address,
                   "NAMESPACE/NAME/SYSTEM of a module, or NAMESPACE/TYPE of a provider")
      ->required()
      ->check(CheckModuleOrProvider)
      ->type_name("");
  command->add_option("FROM", arguments->from, "A version, as 1.2.0")
      ->required()
      ->check(CheckKnownVersion)
      ->type_name("");
  command->add_option("TO", arguments->to, "The version to compare it with")
      ->required()
      ->check(CheckKnownVersion)
      ->type_name("");
  command->add_flag("--check", arguments->check,
                    "Exit with 1 when the second number does not match the changes");
  command->add_flag("--source", arguments->source, "Print the source as a unified diff")
      ->excludes("--check");
  AddServerFlags(*command, arguments->server);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kDiffFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return ShowDiff(*arguments, output); };
  });
}

}  // namespace koya::cli
