// koya trust add | list | remove | tokens

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "cli/noun.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "domain/name_rules.h"
#include "wire/command_results.h"
#include "wire/identity.h"

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

Result<int> AddCiTrust(ApiClient& api, const TrustArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(wire::Trust trust,
                   api.Send(At(wire::kAddTrust, arguments.ns), arguments.request));
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

Result<int> ListCiTrust(ApiClient& api, const TrustArguments& arguments, Output& output) {
  return PrintList(api.Send(At(wire::kListTrust, arguments.ns)),
                   {{"ID", &wire::Trust::id},
                    {"ISSUER", &wire::Trust::issuer},
                    {"CLAIMS", ClaimsOf},
                    {"ADDED", &wire::Trust::created},
                    {"BY", &wire::Trust::created_by}},
                   fmt::format("koya: \"{}\" trusts no CI", arguments.ns), output);
}

Result<int> RemoveCiTrust(ApiClient& api, const TrustArguments& arguments, Output& output) {
  return PrintDone(api.Send(At(wire::kRemoveTrust, arguments.ns, arguments.id)),
                   fmt::format("\"{}\" no longer trusts {}", arguments.ns, arguments.id),
                   wire::EncodeDone("removed", {{"id", arguments.id}}), output);
}

Result<int> ListOrEndJobTokens(ApiClient& api, const TrustArguments& arguments, Output& output) {
  if (!arguments.id.empty()) {
    return PrintDone(api.Send(At(wire::kEndJobToken, arguments.ns, arguments.id)),
                     fmt::format("revoked the token \"{}\"", arguments.id),
                     wire::EncodeDone("removed", {{"name", arguments.id}}), output);
  }
  return PrintList(api.Send(At(wire::kListJobTokens, arguments.ns)),
                   {{"NAME", &wire::Token::name},
                    {"JOB", &wire::Token::created_by},
                    {"CREATED", &wire::Token::created},
                    {"ENDS", &wire::Token::expires},
                    {"USED", &wire::Token::last_used, "never"}},
                   fmt::format("koya: no job got a token for \"{}\" recently", arguments.ns),
                   output);
}

void DeclareTrustingNamespace(CLI::App& command, TrustArguments& arguments) {
  command.add_option("NAMESPACE", arguments.ns, "The namespace, for example acme")
      ->required()
      ->check(ReadableBy(ParseNamespaceName))
      ->type_name("");
}

void DeclareTrustFlags(CLI::App& add, TrustArguments& arguments) {
  wire::TrustRequest& request = arguments.request;
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

void DeclareTrustId(CLI::App& command, TrustArguments& arguments) {
  command.add_option("ID", arguments.id, "The ID from \"koya trust list\"")
      ->required()
      ->type_name("");
}

void DeclareEndedToken(CLI::App& command, TrustArguments& arguments) {
  command.add_option("--end", arguments.id, "Revoke this token")->type_name("NAME");
}

}  // namespace

void AddTrustCommand(CLI::App& program, Invocation& invocation) {
  AddNoun<TrustArguments>(
      program, invocation, "trust",
      "Manage trusted CI jobs of a namespace (owners and administrators)", kTrustFooter,
      {{"add", "Trust a CI", AtPlace<AddCiTrust>, DeclareTrustingNamespace, DeclareTrustFlags},
       {"list", "List which CI a namespace trusts", AtPlace<ListCiTrust>, DeclareTrustingNamespace},
       {"remove", "Stop trusting a CI", AtPlace<RemoveCiTrust>, DeclareTrustingNamespace,
        DeclareTrustId},
       {"tokens", "List the tokens of jobs, or revoke one", AtPlace<ListOrEndJobTokens>,
        DeclareTrustingNamespace, DeclareEndedToken}});
}

}  // namespace koya::cli
