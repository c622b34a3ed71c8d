// koya policy set | show | history | rollback | baseline | explain | held | test | init

#include "policy/policy_file.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "cli/noun.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "cli/text/verdict_text.h"
#include "policy/policy.h"
#include "wire/policy.h"

namespace koya::cli {
namespace {

constexpr std::string_view kPolicyFooter =
    R"(The policy says which releases of other registries this registry hands out, and when. It is a TOML
file, kept as numbered revisions; each server of the registry follows the newest one. Changing it
needs an administrator; users of the mirror can show, explain and test it. docs/policy.md describes the file, docs/cool-down.md the first steps.

Examples:
  koya policy init --cool-down 7d > policy.toml
  koya policy set policy.toml --reason "new releases wait a week"
  koya policy set policy.toml --reason "an exception for aws 6.1.1" --expect 3
  koya policy show > policy.toml
  koya policy history
  koya policy rollback 3 --reason "builds failed"
  koya policy baseline 'registry.opentofu.org/hashicorp/*' --reason "in use already"
  koya policy explain hashicorp/aws 6.1.1
  koya policy held
  koya policy test policy.toml --since 30d)";

constexpr std::string_view kInitFooter =
    R"(Prints a policy with one rule: releases of other registries are handed out when they are so old.
Calls no server.

Examples:
  koya policy init --cool-down 7d > policy.toml
  koya policy init --cool-down 36h | koya policy set - --reason "new releases wait")";

struct PolicyArguments {
  std::string file;
  std::string reason;
  std::string pattern;
  std::string address;
  std::string version;
  std::string at;
  std::string since;
  std::optional<std::uint32_t> expect;
  std::optional<std::uint32_t> revision;
  bool strict = false;
  PlaceFlags place;
};

// ---- set

// One byte more than a policy may have shows that a text is too long.
std::string ReadText(std::istream& stream) {
  std::string text(policy::kMostPolicyBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

Result<std::string> ReadPolicyText(const std::string& file, const Shell& shell) {
  std::string text;
  if (file == "-") {
    if (shell.in != nullptr) text = ReadText(*shell.in);
  } else {
    std::ifstream stream(file, std::ios::binary);
    if (stream) text = ReadText(stream);
    if (!stream.is_open() || stream.bad()) {
      return FailInvalid("cannot read {}: use the file of a policy, or - for standard input",
                         Printable(file));
    }
  }
  if (text.size() <= policy::kMostPolicyBytes) return text;
  return FailInvalid("{} is larger than a policy may be (1 MiB)", Printable(file));
}

// Prints each problem as compilers do. Returns the exit status.
int PrintProblems(const std::string& file, const wire::PolicyProblems& problems,
                  const std::string& document, Output& output) {
  for (const wire::PolicyProblem& each : problems.problems) {
    const std::string place =
        each.line == 0 ? file : fmt::format("{}:{}:{}", file, each.line, each.column);
    output.Note(fmt::format("{}: {}", Printable(place), Printable(each.text, 2000)));
  }
  output.PrintDocument(document);
  return 1;
}

// Sends the file of a policy. Returns the document of the response; nullopt: it has problems, which
// are printed.
template <class Response>
Result<std::optional<Response>> SendPolicyFile(ApiClient& api,
                                               RequestLine<wire::Bytes, Response> line,
                                               const std::string& file, Output& output) {
  ASSIGN_OR_RETURN(std::string text, ReadPolicyText(file, output.shell()));
  http::ClientRequest request;
  request.method = line.method;
  request.fields.emplace_back("Content-Type", "application/toml");
  if (text.empty()) request.fields.emplace_back("Content-Length", "0");
  request.body = std::move(text);
  ASSIGN_OR_RETURN(const http::ClientResponse response,
                   api.Exchange(std::move(request), line.path));
  constexpr unsigned kUnprocessable = 422;
  if (response.status == kUnprocessable) {
    const auto problems = wire::Decode<wire::PolicyProblems>(response.body);
    if (problems) {
      PrintProblems(file, *problems, response.body, output);
      return std::optional<Response>();
    }
  }
  if (response.status != 200) {
    return Failure(api.Explain(response, line.method, line.path));
  }
  return wire::Decode<Response>(response.body);
}

Result<int> SetPolicyFile(ApiClient& api, const PolicyArguments& arguments, Output& output) {
  auto line = At(wire::kSetPolicy).With("reason", arguments.reason);
  if (arguments.expect) line = std::move(line).With("expect", std::to_string(*arguments.expect));
  if (arguments.strict) line = std::move(line).With("strict", "true");
  ASSIGN_OR_RETURN(const std::optional<wire::PolicySet> set,
                   SendPolicyFile(api, std::move(line), arguments.file, output));
  if (!set) return 1;
  output.Print(fmt::format("Revision {} of the policy is in force", set->revision));
  output.PrintDocument(wire::Encode(*set));
  return 0;
}

// ---- verdicts

bool LetsThrough(std::string_view verdict) { return verdict == "allow" || verdict == "note"; }

Result<int> ExplainVerdict(ApiClient& api, const PolicyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(const wire::PolicyVerdict verdict,
                   api.Send(At(wire::kExplainPolicy)
                                .With("address", arguments.address)
                                .WithAny("version", arguments.version)
                                .WithAny("at", arguments.at)));
  PrintVerdict(verdict, output);
  output.PrintDocument(wire::Encode(verdict));
  return LetsThrough(verdict.verdict) ? 0 : 1;
}

Result<int> ListHeldVersions(ApiClient& api, const PolicyArguments& /*arguments*/, Output& output) {
  using Row = wire::HeldVersion;
  ASSIGN_OR_RETURN(const wire::HeldVersions list, api.Send(At(wire::kListHeldVersions)));
  auto join_rules = [](const Row& row) {
    std::string text;
    for (const std::string& each : row.rules) text += (text.empty() ? "" : ", ") + each;
    return Printable(text);
  };
  PrintRows<Row>(list.held,
                 {{"ADDRESS", [](const Row& row) { return Printable(row.address); }},
                  {"VERSION", [](const Row& row) { return Printable(row.version); }},
                  {"VERDICT", [](const Row& row) { return Printable(row.verdict); }},
                  {"UNTIL", [](const Row& row) { return Printable(row.until); }, "-"},
                  {"RULES", join_rules, "-"}},
                 "koya: nothing is held", output);
  if (list.more) output.Note("koya: further versions are held; this list is cut");
  output.PrintDocument(wire::Encode(list));
  return 0;
}

// The rows of one outcome. Returns true if one of them was requested.
bool PrintTested(std::string_view outcome, const std::vector<wire::PolicyTestVersion>& versions,
                 Output& output) {
  bool requested = false;
  for (const wire::PolicyTestVersion& each : versions) {
    requested = requested || each.requests > 0;
    output.Print(fmt::format("{}  {} {}  {} {}", outcome, Printable(each.address),
                             Printable(each.version), each.requests,
                             each.requests == 1 ? "request" : "requests"));
  }
  return requested;
}

Result<int> TestPolicyFile(ApiClient& api, const PolicyArguments& arguments, Output& output) {
  auto line = At(wire::kTestPolicy).WithAny("since", arguments.since);
  ASSIGN_OR_RETURN(const std::optional<wire::PolicyTest> test,
                   SendPolicyFile(api, std::move(line), arguments.file, output));
  if (!test) return 1;
  const bool holds = PrintTested("held   ", test->held, output);
  const bool refuses = PrintTested("refused", test->refused, output);
  PrintTested("lifted ", test->lifted, output);
  if (test->held.empty() && test->refused.empty() && test->lifted.empty()) {
    output.Print("Nothing that is used would change");
  }
  if (test->more) output.Note("koya: further versions would change; this list is cut");
  output.PrintDocument(wire::Encode(*test));
  return holds || refuses ? 1 : 0;
}

// ---- the other verbs

// The rules that did something; on standard error, as the text alone goes to a file.
void NoteRules(const wire::Policy& policy, Output& output) {
  for (const wire::PolicyRule& each : policy.rules) {
    if (each.held + each.refused == 0) continue;
    output.Note(fmt::format("koya: under revision {}, the rule {} held {} and refused {}",
                            policy.revision, Printable(each.name), each.held, each.refused));
  }
}

Result<int> ShowPolicy(ApiClient& api, const PolicyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(const wire::Policy policy,
                   arguments.revision
                       ? api.Send(At(wire::kGetPolicyRevision, std::to_string(*arguments.revision)))
                       : api.Send(At(wire::kGetPolicy)));
  if (policy.revision == 0) output.Note("koya: no policy was ever set");
  if (!output.json()) {
    output.shell().out << policy.toml;  // byte for byte
    NoteRules(policy, output);
  }
  output.PrintDocument(wire::Encode(policy));
  return 0;
}

Result<int> ListPolicyHistory(ApiClient& api, const PolicyArguments& /*arguments*/,
                              Output& output) {
  using Row = wire::PolicyRevision;
  return PrintList(api.Send(At(wire::kListPolicyRevisions)),
                   {{"REVISION", [](const Row& row) { return std::to_string(row.revision); }},
                    {"SET", &Row::at},
                    {"BY", [](const Row& row) { return Printable(row.by); }, "-"},
                    {"REASON", [](const Row& row) { return Printable(row.reason); }}},
                   "koya: no policy was ever set", output);
}

Result<int> RollbackToRevision(ApiClient& api, const PolicyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(const wire::PolicySet set,
                   api.Send(At(wire::kRollbackPolicy), {*arguments.revision, arguments.reason}));
  output.Print(fmt::format("Revision {} of the policy is in force: the text of revision {}",
                           set.revision, *arguments.revision));
  output.PrintDocument(wire::Encode(set));
  return 0;
}

Result<int> AdmitBaseline(ApiClient& api, const PolicyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(const wire::PolicyAdmitted done,
                   api.Send(At(wire::kBaselinePolicy), {arguments.pattern, arguments.reason}));
  output.Print(fmt::format("Admitted {} {} that {} not admitted before", done.admitted,
                           done.admitted == 1 ? "version" : "versions",
                           done.admitted == 1 ? "was" : "were"));
  output.PrintDocument(wire::Encode(done));
  return 0;
}

// ---- flags

constexpr std::chrono::seconds kLongestAge = std::chrono::days(3650);

std::string CheckAge(const std::string& text) {
  const std::optional<std::chrono::seconds> age = ParseDuration(text);
  if (age && age->count() > 0 && *age <= kLongestAge) return {};
  return fmt::format("\"{}\" is not an age from 1s to 3650d: write 36h or 7d", Printable(text, 80));
}

std::string CheckTime(const std::string& text) {
  if (ParseRfc3339(text)) return {};
  return fmt::format("\"{}\" is not a time: write 2026-11-30 or 2026-11-30T12:00:00Z",
                     Printable(text, 80));
}

void DeclareReason(CLI::App& command, PolicyArguments& arguments) {
  command.add_option("--reason", arguments.reason, "Why, for people and the audit log")
      ->required()
      ->type_name("TEXT");
}

void DeclarePolicyFile(CLI::App& command, PolicyArguments& arguments) {
  command.add_option("FILE", arguments.file, "The TOML file, or - for standard input")
      ->required()
      ->type_name("");
  DeclareReason(command, arguments);
  command
      .add_option("--expect", arguments.expect,
                  "Fail unless this revision is in force (0: none was ever set)")
      ->type_name("N");
  command.add_flag("--strict", arguments.strict,
                   "The first revision admits nothing; without it, all versions that are stored "
                   "or pinned by then stay available");
}

void DeclareShownRevision(CLI::App& command, PolicyArguments& arguments) {
  command
      .add_option("REVISION", arguments.revision, "A revision's number (default: the one in force)")
      ->type_name("");
}

void DeclareRollback(CLI::App& command, PolicyArguments& arguments) {
  command.add_option("REVISION", arguments.revision, "The revision whose text is to be in force")
      ->required()
      ->type_name("");
  DeclareReason(command, arguments);
}

void DeclareBaseline(CLI::App& command, PolicyArguments& arguments) {
  command
      .add_option("PATTERN", arguments.pattern,
                  "HOST/NAMESPACE/TYPE, or HOST/NAMESPACE/NAME/SYSTEM; \"*\" is any characters")
      ->required()
      ->check(ReadableBy(policy::PullPattern::Parse))
      ->type_name("");
  DeclareReason(command, arguments);
}

void DeclareQuestion(CLI::App& command, PolicyArguments& arguments) {
  command
      .add_option(
          "ADDRESS", arguments.address,
          "[HOST/]NAMESPACE/TYPE of a provider, or [HOST/]NAMESPACE/NAME/SYSTEM of a module")
      ->required()
      ->type_name("");
  command.add_option("VERSION", arguments.version, "The version (default: the newest known one)")
      ->type_name("");
  command
      .add_option("--at", arguments.at,
                  "Judge as of this time: 2026-11-30, 2026-11-30T12:00:00Z (default: now)")
      ->check(CheckTime)
      ->type_name("TIME");
}

void DeclareTest(CLI::App& command, PolicyArguments& arguments) {
  command.add_option("FILE", arguments.file, "The TOML file, or - for standard input")
      ->required()
      ->type_name("");
  command
      .add_option("--since", arguments.since,
                  "Count the requests of this long: 36h, 90d (default: 90d)")
      ->check(CheckAge)
      ->type_name("AGE");
}

// ---- init

void AddInit(CLI::App& noun, Invocation& invocation) {
  CLI::App* init = noun.add_subcommand("init", "Print a policy that lets new releases wait");
  auto age = std::make_shared<std::string>();
  init->add_option("--cool-down", *age, "How old a release must be: 36h, 7d")
      ->required()
      ->check(CheckAge)
      ->type_name("AGE");
  init->footer(std::string(kInitFooter));
  init->callback([age, &invocation] {
    invocation.action = [age](Output& output) -> Result<int> {
      output.shell().out << policy::CoolDownPolicy(*ParseDuration(*age));
      return 0;
    };
  });
}

}  // namespace

void AddPolicyCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* noun = AddNoun<PolicyArguments>(
      program, invocation, "policy", "Manage which releases of other registries are handed out",
      kPolicyFooter,
      {{"set", "Set the policy", AtPlace<SetPolicyFile>, DeclarePolicyFile},
       {"show", "Print the text of the policy, byte for byte", AtPlace<ShowPolicy>,
        DeclareShownRevision},
       {"history", "List the revisions of the policy", AtPlace<ListPolicyHistory>},
       {"rollback", "Put an earlier revision in force again", AtPlace<RollbackToRevision>,
        DeclareRollback},
       {"baseline", "Admit the versions that are known now", AtPlace<AdmitBaseline>,
        DeclareBaseline},
       {"explain", "Explain the verdict on a version; exits 1 if it is held or refused",
        AtPlace<ExplainVerdict>, DeclareQuestion},
       {"held", "List the versions that are held or refused", AtPlace<ListHeldVersions>},
       {"test", "Say what a policy would change; exits 1 if something in use would be stopped",
        AtPlace<TestPolicyFile>, DeclareTest}});
  AddInit(*noun, invocation);
}

}  // namespace koya::cli
