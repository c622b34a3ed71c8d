// koya trust add | list | remove | tokens

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/api/access_client.h"
#include "cli/api/place.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "domain/name_rules.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

constexpr std::string_view kTrustFooter =
    R"(Jobs of a trusted CI publish in a namespace without a stored token: "koya publish" sends the CI's
identity token of the job, and gets a token for 15 minutes.

Examples:
  koya trust add acme --github acme/infra --ref main
  koya trust add acme --github acme/infra --ref 'refs/tags/v*' --environment release
  koya trust add acme --gitlab acme/infra --issuer https://gitlab.example.com
  koya trust add acme --issuer https://ci.example.com --claim sub=job:acme-release)";

struct TrustArguments {
  std::string ns;
  std::string id;
  wire::TrustRequest request;
  PlaceFlags place;
};

std::string ClaimsOf(const wire::Trust& trust) {
  return fmt::format("{}", fmt::join(trust.claims, " "));
}

Result<int> AddCiTrust(const TrustArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(wire::Trust trust,
                   IdentityClient(place.connection()).AddTrust(arguments.ns, arguments.request));
  output.Print(fmt::format("\"{}\" trusts {} where {}", trust.ns, trust.issuer, ClaimsOf(trust)));
  output.Print("  id  " + trust.id);
  if (trust.any_ref) {
    output.Note(
        "koya: warning: jobs on any branch and tag can publish; restrict them with --ref or "
        "--environment");
  }
  output.PrintDocument(wire::Encode(trust));
  return 0;
}

Result<int> ListCiTrust(const TrustArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(std::vector<wire::Trust> list,
                   IdentityClient(place.connection()).ListTrust(arguments.ns));
  std::vector<std::vector<std::string>> rows;
  for (const wire::Trust& each : list) {
    rows.push_back({each.id, each.issuer, ClaimsOf(each), each.created, each.created_by});
  }
  if (rows.empty()) {
    output.Note(fmt::format("koya: \"{}\" trusts no CI", arguments.ns));
  } else {
    output.PrintTable({"ID", "ISSUER", "CLAIMS", "ADDED", "BY"}, rows);
  }
  output.PrintDocument(wire::EncodeTrustList(list));
  return 0;
}

Result<int> RemoveCiTrust(const TrustArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  RETURN_IF_ERROR(IdentityClient(place.connection()).RemoveTrust(arguments.ns, arguments.id));
  output.Print(fmt::format("\"{}\" no longer trusts {}", arguments.ns, arguments.id));
  output.PrintDocument(wire::EncodeRemoved("id", arguments.id));
  return 0;
}

Result<int> EndJobToken(const TrustArguments& arguments, IdentityClient& client, Output& output) {
  RETURN_IF_ERROR(client.EndJobToken(arguments.ns, arguments.id));
  output.Print(fmt::format("revoked the token \"{}\"", arguments.id));
  output.PrintDocument(wire::EncodeRemoved("name", arguments.id));
  return 0;
}

Result<int> ListOrEndJobTokens(const TrustArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  IdentityClient client(place.connection());
  if (!arguments.id.empty()) return EndJobToken(arguments, client, output);
  ASSIGN_OR_RETURN(std::vector<wire::Token> tokens, client.ListJobTokens(arguments.ns));
  std::vector<std::vector<std::string>> rows;
  for (const wire::Token& each : tokens) {
    rows.push_back({each.name, each.created_by, each.created, each.expires,
                    each.last_used.empty() ? "never" : each.last_used});
  }
  if (rows.empty()) {
    output.Note(fmt::format("koya: no job got a token for \"{}\" recently", arguments.ns));
  } else {
    output.PrintTable({"NAME", "JOB", "CREATED", "ENDS", "USED"}, rows);
  }
  output.PrintDocument(wire::EncodeTokenList(tokens));
  return 0;
}

using TrustAction = Result<int> (*)(const TrustArguments&, Output&);

CLI::App* AddTrustVerb(CLI::App* command, Invocation& invocation, TrustAction action,
                       const std::shared_ptr<TrustArguments>& arguments) {
  command->add_option("NAMESPACE", arguments->ns, "The namespace, for example acme")
      ->required()
      ->check(ReadableBy(ParseNamespaceName))
      ->type_name("");
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->callback([arguments, action, &invocation] {
    invocation.action = [arguments, action](Output& output) { return action(*arguments, output); };
  });
  return command;
}

void AddTrustFlags(CLI::App& add, wire::TrustRequest& request) {
  add.add_option("--issuer", request.issuer,
                 "The issuer of job tokens; not needed for github.com and gitlab.com")
      ->type_name("URL");
  add.add_option("--claim", request.claims,
                 "A claim the token must have; repeatable, all must match")
      ->type_name("NAME=PATTERN");
  auto* github =
      add.add_option("--github", request.github, "Jobs of this repository; NAME can be \"*\"")
          ->type_name("OWNER/NAME");
  add.add_option("--gitlab", request.gitlab, "Jobs of this project")
      ->type_name("GROUP/PROJECT")
      ->excludes(github);
  add.add_option("--ref", request.ref, "A branch, or refs/tags/v* (default: all)")
      ->type_name("REF");
  add.add_option("--environment", request.environment, "The environment that jobs run in")
      ->type_name("NAME");
  add.add_flag("--unprotected", request.unprotected,
               "GitLab: the branch or tag of --ref need not be protected");
  add.add_flag("--own-issuer", request.own_issuer,
               "The issuer signs only for your jobs: any claim can select them");
}

}  // namespace

void AddTrustCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* trust = program.add_subcommand(
      "trust", "Manage trusted CI jobs of a namespace (owners and administrators)");
  trust->require_subcommand(1);
  auto added = std::make_shared<TrustArguments>();
  AddTrustFlags(
      *AddTrustVerb(trust->add_subcommand("add", "Trust a CI"), invocation, AddCiTrust, added),
      added->request);
  AddTrustVerb(trust->add_subcommand("list", "List which CI a namespace trusts"), invocation,
               ListCiTrust, std::make_shared<TrustArguments>());
  auto removed = std::make_shared<TrustArguments>();
  AddTrustVerb(trust->add_subcommand("remove", "Stop trusting a CI"), invocation, RemoveCiTrust,
               removed)
      ->add_option("ID", removed->id, "The ID from \"koya trust list\"")
      ->required()
      ->type_name("");
  auto tokens = std::make_shared<TrustArguments>();
  AddTrustVerb(trust->add_subcommand("tokens", "List the tokens of jobs, or revoke one"),
               invocation, ListOrEndJobTokens, tokens)
      ->add_option("--end", tokens->id, "Revoke this token")
      ->type_name("NAME");
  // Set last: commands that are added inherit it otherwise.
  trust->footer(std::string(kTrustFooter));
}

}  // namespace koya::cli
