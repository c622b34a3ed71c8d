// koya audit list | verify

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "cli/api/place.h"
#include "cli/program.h"
#include "wire/audit.h"

namespace koya::cli {
namespace {

// Filters of the audit log, as the user wrote them; empty fields do not restrict.
struct AuditQuery {
  std::string actor;
  std::string action;
  std::string target;
  std::string ns;
  std::string address;
  std::string kind;
  std::string since;
  std::string until;
};

// The page that begins below the entry `below`; "": the first page.
Result<wire::AuditPage> GetPage(ApiClient& api, const AuditQuery& wish, std::uint64_t limit,
                                const std::string& below) {
  return api.Send(At(wire::kListAudit)
                      .With("limit", std::to_string(limit))
                      .WithAny("actor", wish.actor)
                      .WithAny("action", wish.action)
                      .WithAny("target", wish.target)
                      .WithAny("namespace", wish.ns)
                      .WithAny("address", wish.address)
                      .WithAny("kind", wish.kind)
                      .WithAny("since", wish.since)
                      .WithAny("until", wish.until)
                      .WithAny("below", below));
}

constexpr std::string_view kAuditListFooter =
    R"(A time is written 2026-11-21T16:41:10Z, 2026-11-21, or as how long ago it was: 24h, 30d.

Examples:
  koya audit list --since 24h
  koya audit list --namespace acme --action module       published and withdrawn there
  koya audit list --kind denied --address 192.0.2.1
  koya audit list --jsonl > audit.jsonl                  all of it, one JSON object a line)";

constexpr std::string_view kAuditVerifyFooter =
    R"(Checks the hash chain of the entries. Store its output elsewhere, and pass it with --expect next
time: you then notice if the log was rewritten or its end was cut off.
Exit status 0 when the log is intact, 1 when it is not.

Examples:
  koya audit verify
  koya audit verify --expect 1042:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08)";

constexpr std::uint64_t kLongestAuditPage = 1000;

struct AuditListArguments {
  AuditQuery wish;
  std::uint64_t limit = 50;
  bool lines = false;
  PlaceFlags place;
};

struct AuditVerifyArguments {
  std::string expect;
  PlaceFlags place;
};

using AuditTaker = std::function<void(wire::AuditEntry)>;

// Up to `most` entries, page by page. Ends even when a server's pages go in circles.
Status EachEntry(ApiClient& api, const AuditQuery& wish, std::uint64_t most,
                 const AuditTaker& take) {
  std::string below;
  while (most > 0) {
    const std::uint64_t limit = std::min(most, kLongestAuditPage);
    ASSIGN_OR_RETURN(wire::AuditPage page, GetPage(api, wish, limit, below));
    for (wire::AuditEntry& entry : page.entries) take(std::move(entry));
    most -= std::min<std::uint64_t>(most, page.entries.size());
    if (page.next.empty() || page.next == below || page.entries.empty()) break;
    below = std::move(page.next);
  }
  return {};
}

std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

// Servers from before it have no sentence.
std::string SentenceOf(const wire::AuditEntry& entry) {
  if (!entry.sentence.empty()) return entry.sentence;
  return entry.target.empty() ? entry.action : fmt::format("{}: {}", entry.action, entry.target);
}

void PrintEntries(const std::vector<wire::AuditEntry>& entries, Output& output) {
  if (entries.empty()) return output.Note("koya: no entries of the audit log match");
  const bool is_wide = output.is_wide();
  std::vector<std::string> header{"TIME", "WHO", "WHAT HAPPENED"};
  if (is_wide) header = {"TIME", "WHO", "FROM", "ACTION", "NAMESPACE", "WHAT HAPPENED"};
  std::vector<std::vector<std::string>> rows;
  for (const wire::AuditEntry& entry : entries) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {entry.time, entry.actor.empty() ? "anonymous" : entry.actor};
    if (is_wide) row.insert(row.end(), {OrDash(entry.address), entry.action, OrDash(entry.ns)});
    row.push_back(SentenceOf(entry));
  }
  output.PrintTable(header, rows);
}

Result<int> ListAudit(const AuditListArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ApiClient api(place.connection());
  if (arguments.lines) {
    AuditTaker print = [&output](const wire::AuditEntry& entry) {
      output.Print(wire::Encode(entry));
    };
    RETURN_IF_ERROR(EachEntry(api, arguments.wish, UINT64_MAX, print));
    return 0;
  }
  wire::AuditPage page;
  AuditTaker keep = [&page](wire::AuditEntry entry) { page.entries.push_back(std::move(entry)); };
  RETURN_IF_ERROR(EachEntry(api, arguments.wish, arguments.limit, keep));
  PrintEntries(page.entries, output);
  output.PrintDocument(wire::Encode(page));
  return 0;
}

Result<int> VerifyAudit(const AuditVerifyArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(wire::AuditReport report,
                   ApiClient(place.connection())
                       .Send(At(wire::kVerifyAudit).WithAny("expect", arguments.expect)));
  output.PrintDocument(wire::Encode(report));
  if (!report.whole) {
    output.Note(fmt::format("koya: the audit log is damaged: {}. {} entries before it are intact",
                            report.damage.problem, report.checked));
    return 1;
  }
  if (report.anchor.sequence > 0) {
    output.Print(
        fmt::format("Entries up to {} were removed because of their age", report.anchor.sequence));
  }
  output.Print(fmt::format("The audit log is intact: {} entries checked", report.checked));
  output.Print(fmt::format("Its end: {}:{}", report.head.sequence, report.head.hash));
  return 0;
}

void AddAuditList(CLI::App& parent, Invocation& invocation) {
  CLI::App* command = parent.add_subcommand("list", "List entries of the audit log, newest first");
  auto arguments = std::make_shared<AuditListArguments>();
  AuditQuery& wish = arguments->wish;
  const std::vector<std::tuple<const char*, std::string*, const char*>> kFilters = {
      {"--actor", &wish.actor, "Who: user:NAME, service:NAME, token:NAME, or koya, the server"},
      {"--action", &wish.action,
       "Action, for example token.revoke, or kinds, for example grant,group"},
      {"--target", &wish.target, "Target, or its beginning, for example module:acme/"},
      {"--namespace", &wish.ns, "Only entries about this namespace"},
      {"--address", &wish.address, "From this address"},
      {"--since", &wish.since, "From this time on"},
      {"--until", &wish.until, "Before this time"},
  };
  for (const auto& [flag, value, about] : kFilters) {
    command->add_option(flag, *value, about)->type_name("TEXT");
  }
  command->add_option("--kind", wish.kind, "Only changes, or only denied attempts")
      ->check(CLI::IsMember({"change", "denied"}), "kind")
      ->type_name("change|denied");
  command->add_option("--limit", arguments->limit, "Maximum number of entries (50)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
      ->type_name("NUMBER");
  command->add_flag("--jsonl", arguments->lines, "All matches as JSON, one entry per line");
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kAuditListFooter));
  command->callback([arguments, &invocation] {
    if (arguments->lines && invocation.json) {
      throw CLI::ValidationError("--jsonl and --json cannot be combined: use one of them");
    }
    invocation.action = [arguments](Output& output) { return ListAudit(*arguments, output); };
  });
}

void AddAuditVerify(CLI::App& parent, Invocation& invocation) {
  CLI::App* command = parent.add_subcommand("verify", "Verify that the audit log is intact");
  auto arguments = std::make_shared<AuditVerifyArguments>();
  command
      ->add_option("--expect", arguments->expect,
                   "An end that an earlier run printed; it must still be in the log")
      ->type_name("SEQUENCE:HASH");
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kAuditVerifyFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return VerifyAudit(*arguments, output); };
  });
}

}  // namespace

void AddAuditCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* audit = program.add_subcommand(
      "audit", "Who changed what, and who was denied (its owners and administrators)");
  audit->require_subcommand(1);
  AddAuditList(*audit, invocation);
  AddAuditVerify(*audit, invocation);
}

}  // namespace koya::cli
