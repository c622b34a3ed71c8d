#include "cli/text/usage_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace koya::cli {
namespace {

constexpr std::size_t kName = 26;   // columns
constexpr std::size_t kThing = 36;  // the same, of an address

constexpr const char* kUncounted =
    "koya: the server counts no fetches (usage.enabled is false): these counts are old or empty";
constexpr const char* kPartly = "koya: too many rows to count: the least fetched are left out";

// "1 consumer", "2 consumers".
std::string Several(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}
std::string Fetches(std::uint64_t count) { return Several(count, "fetch", "fetches"); }

// ", by 2 consumers and 1 person"; "" if neither is known.
std::string ByWhom(std::uint64_t consumers, std::uint64_t people) {
  const std::string first = Several(consumers, "consumer", "consumers");
  const std::string second = Several(people, "person", "people");
  if (consumers == 0 && people == 0) return "";
  if (people == 0) return ", by " + first;
  if (consumers == 0) return ", by " + second;
  return fmt::format(", by {} and {}", first, second);
}

std::string Share(std::uint64_t count, std::uint64_t all) {
  return all == 0 ? "-" : fmt::format("{} %", (count * 100 + all / 2) / all);
}

std::string Cell(std::string_view text, std::size_t most) {
  return text.empty() ? "-" : Printable(text, most);
}

using Rows = std::vector<std::vector<std::string>>;

void PrintConsumers(const wire::UsageReport& report, Output& output) {
  Rows rows;
  for (const wire::UsageRow& row : report.rows) {
    rows.push_back({Cell(row.name, kName), Cell(row.principal, kName), std::to_string(row.count),
                    Cell(row.last_day, kName)});
  }
  output.PrintTable({"CONSUMER", "WHO", "FETCHES", "LAST"}, rows);
}

// By version or client.
void PrintSums(const wire::UsageReport& report, const std::string& title, Output& output) {
  Rows rows;
  for (const wire::UsageRow& row : report.rows) {
    rows.push_back({Cell(row.name, kName), std::to_string(row.count),
                    Share(row.count, report.total), std::to_string(row.consumers),
                    std::to_string(row.people), Cell(row.last_day, kName)});
  }
  output.PrintTable({title, "FETCHES", "SHARE", "CONSUMERS", "PEOPLE", "LAST"}, rows);
}

std::string CountingWords(const std::string& counted_since) {
  return counted_since.empty() ? "nothing has been counted yet" : "counting since " + counted_since;
}

// "2 fetches since 2026-11-21": the later day, since no fetch before it is known.
std::string FetchesSince(std::uint64_t count, const std::string& asked,
                         const std::string& counted_since) {
  if (count == 0 && counted_since.empty()) return "no fetches: " + CountingWords(counted_since);
  return fmt::format("{} since {}", Fetches(count), std::max(asked, counted_since));
}

void PrintUsageNotes(bool counted, bool partial, Output& output) {
  if (!counted) output.Note(kUncounted);
  if (partial) output.Note(kPartly);
}

}  // namespace

void PrintUsage(const wire::UsageReport& report, Output& output) {
  output.Print(output.Bold(Printable(report.address, 200)));
  output.Print("  " + FetchesSince(report.total, report.since, report.counted_since) +
               ByWhom(report.consumers, report.people));
  if (report.bots > 0) output.Print(fmt::format("  {} more by bots", Fetches(report.bots)));
  if (!report.rows.empty()) {
    output.Print("");
    if (report.by == "consumer") {
      PrintConsumers(report, output);
    } else {
      PrintSums(report, report.by == "client" ? "CLIENT" : "VERSION", output);
    }
  } else if (report.by == "consumer" && !report.named && report.total > 0) {
    output.Note("koya: only the namespace's owners and administrators see the consumers");
  }
  PrintUsageNotes(report.counted, report.partial, output);
}

void PrintUsedBy(const wire::UsedBy& used, Output& output) {
  output.Print(output.Bold(Printable(used.address, 200)));
  output.Print("  " + FetchesSince(used.total, used.since, used.counted_since) +
               ByWhom(used.meta.total, used.people));
  if (used.meta.total > 0) {
    output.Print(fmt::format("  {} of {} behind the newest release", used.behind,
                             Several(used.meta.total, "consumer", "consumers")));
  }
  Rows rows;
  for (const wire::UsedByConsumer& each : used.consumers) {
    for (const wire::FetchedVersion& fetched : each.versions) {
      const bool is_newest = &fetched == &each.versions.front();
      rows.push_back({is_newest ? Cell(each.name, kName) : "", Cell(fetched.version, 16),
                      fetched.last, is_newest ? std::to_string(each.behind) : ""});
    }
  }
  if (!rows.empty()) {
    output.Print("");
    output.PrintTable({"CONSUMER", "VERSION", "LAST", "BEHIND"}, rows);
  } else if (!used.named && used.meta.total > 0) {
    output.Note("koya: only the namespace's owners and administrators see the consumers");
  }
  rows.clear();
  for (const wire::ImpactCaller& each : used.dependents) {
    rows.push_back({Cell(each.address, kThing), Cell(each.version, 16), Cell(each.part, 16),
                    each.constraint.empty() ? "any" : Printable(each.constraint, 40)});
  }
  if (!rows.empty()) {
    output.Print("");
    output.PrintTable({"DEPENDENT", "VERSION", "FOLDER", "REQUIRES"}, rows);
  }
  if (used.dependents_more) output.Note("koya: there may be other modules that depend on it");
  PrintUsageNotes(used.counted, used.partial, output);
}

void PrintLag(const wire::UsageLag& lag, Output& output) {
  Rows rows;
  for (const wire::UsageLagRow& row : lag.rows) {
    const std::string& name = row.label.empty() ? row.principal : row.label;
    rows.push_back({Cell(name, 22), Cell(row.address, 24), row.version, row.latest,
                    std::to_string(row.behind), std::to_string(row.days)});
  }
  if (rows.empty()) {
    output.Note(fmt::format("koya: no known consumers of {} ({})", Printable(lag.ns, 60),
                            CountingWords(lag.counted_since)));
  } else {
    output.PrintTable({"CONSUMER", "THING", "HAS", "LATEST", "BEHIND", "DAYS"}, rows);
    output.Print("");
    output.Print(fmt::format("Median: {} ({}) behind; 90th percentile: {} ({})",
                             Several(lag.behind_median, "release", "releases"),
                             Several(lag.days_median, "day", "days"), lag.behind_p90,
                             Several(lag.days_p90, "day", "days")));
  }
  PrintUsageNotes(lag.counted, lag.partial, output);
}

void PrintUnused(const wire::UnusedPage& unused, Output& output) {
  Rows rows;
  for (const wire::UnusedRow& row : unused.rows) {
    rows.push_back({Cell(row.address, kThing), Cell(row.latest, 16),
                    Cell(row.published_at.substr(0, 10), kName),
                    row.last_day.empty() ? "never" : row.last_day});
  }
  if (rows.empty()) {
    output.Note(fmt::format("koya: no unused versions older than {} ({})",
                            Several(unused.days, "day", "days"),
                            CountingWords(unused.counted_since)));
  } else {
    output.PrintTable({"THING", "LATEST", "PUBLISHED", "FETCHED"}, rows);
  }
  PrintUsageNotes(unused.counted, false, output);
}

namespace {

// Who fetched it.
std::vector<std::string> FetchLines(const wire::UsageImpact& impact, const std::string& what,
                                    std::size_t most) {
  if (!impact.counted && impact.total == 0) {
    return {fmt::format("{}: the server counts no fetches, so its users are unknown", what)};
  }
  if (impact.total == 0) {
    return {fmt::format("{}: no recorded fetches since {} ({})", what,
                        std::max(impact.since, impact.counted_since),
                        CountingWords(impact.counted_since))};
  }
  std::vector<std::string> lines = {
      what, fmt::format("  {}, {} of all{}",
                        FetchesSince(impact.total, impact.since, impact.counted_since),
                        Share(impact.total, impact.all), ByWhom(impact.consumers, impact.people))};
  for (const wire::UsageRow& row : impact.rows) {
    if (lines.size() - 2 == most) break;
    std::string name = Printable(row.name, kName);
    if (!row.label.empty() && !row.principal.empty()) {
      name += fmt::format(" ({})", Printable(row.principal, kName));
    }
    lines.push_back(fmt::format("  {}, last on {}", name, row.last_day));
  }
  if (impact.rows.size() > most) {
    lines.push_back(fmt::format("  and {} more", impact.rows.size() - most));
  }
  return lines;
}

// "acme/network/aws 1.2.0 (modules/a) asks for ~> 1.2".
std::string CallerText(const wire::CallingModule& caller) {
  std::string text = Printable(caller.address, 120) + " " + Printable(caller.version, 60);
  if (!caller.part.empty()) text += fmt::format(" ({})", Printable(caller.part, 120));
  text += caller.constraint.empty() ? " accepts any version"
                                    : " requires " + Printable(caller.constraint, 120);
  return caller.instead.empty() ? text + ": no other version matches"
                                : text + ": would get " + Printable(caller.instead, 60);
}

void AddCallerLines(const wire::UsageImpact& impact, std::size_t most,
                    std::vector<std::string>& lines) {
  if (impact.callers.empty()) return;
  lines.emplace_back("  Modules here that use it:");
  const std::size_t shown = std::min(most, impact.callers.size());
  for (std::size_t i = 0; i < shown; ++i) lines.push_back("  " + CallerText(impact.callers[i]));
  if (shown < impact.callers.size()) {
    lines.push_back(fmt::format("  and {}{} others", impact.callers_more ? "at least " : "",
                                impact.callers.size() - shown));
  } else if (impact.callers_more) {
    lines.emplace_back("  and there may be others");
  }
}

void AddUnknownLine(const wire::UsageImpact& impact, std::vector<std::string>& lines) {
  if (impact.unknown == 0) return;
  lines.push_back(fmt::format("  unknown: {}{} whose source or version is an expression",
                              impact.unknown_more ? "at least " : "",
                              Several(impact.unknown, "call", "calls")));
}

}  // namespace

std::vector<std::string> ImpactLines(const wire::UsageImpact& impact, std::size_t most) {
  std::vector<std::string> lines =
      FetchLines(impact, Printable(impact.address + " " + impact.version, 200), most);
  AddCallerLines(impact, most, lines);
  AddUnknownLine(impact, lines);
  return lines;
}

}  // namespace koya::cli
