// Changes of what a module needs: providers, and the client.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/text.h"
#include "inspect/change_list.h"

namespace koya::inspect {
namespace {

struct Bound {
  std::string_view op;
  VersionNumbers numbers{};
  std::size_t written = 0;
  std::string_view prerelease;  // with its "-", or ""
};

std::string_view WithoutBlanks(std::string_view text) {
  std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

std::optional<Bound> ReadBound(std::string_view text) {
  Bound bound;
  text = WithoutBlanks(text);
  std::size_t end = std::min(text.find_first_not_of("=!<>~"), text.size());
  bound.op = text.substr(0, end);
  text = WithoutBlanks(text.substr(end));
  if (text.starts_with('v')) text.remove_prefix(1);
  text = text.substr(0, text.find('+'));
  const std::size_t dash = std::min(text.find('-'), text.size());
  bound.prerelease = text.substr(dash);
  text = text.substr(0, dash);
  while (!text.empty() && bound.written < 3) {
    std::string_view number = text.substr(0, text.find('.'));
    const char* stop = number.data() + number.size();
    auto [read, error] = std::from_chars(number.data(), stop, bound.numbers[bound.written]);
    // Beyond any sum below.
    bool huge = bound.numbers[bound.written] >= std::uint64_t{1} << 62;
    if (error != std::errc() || read != stop || huge) return std::nullopt;
    ++bound.written;
    text.remove_prefix(std::min(number.size() + 1, text.size()));
  }
  if (bound.written == 0) return std::nullopt;
  return bound;
}

// The one behind `numbers`, counted at the place `at`.
VersionNumbers Behind(VersionNumbers numbers, std::size_t at) {
  ++numbers[at];
  std::fill(numbers.begin() + static_cast<std::ptrdiff_t>(at) + 1, numbers.end(), 0);
  return numbers;
}

void Narrow(VersionRange& range, const Bound& bound, ConstraintStyle style) {
  auto raise = [&](const VersionNumbers& lower) { range.lower = std::max(range.lower, lower); };
  auto cut = [&](const VersionNumbers& upper) {
    range.upper = range.upper ? std::min(*range.upper, upper) : upper;
  };
  bool exact = bound.op.empty() || bound.op == "=";
  if (exact || bound.op == ">=" || bound.op == "~>") raise(bound.numbers);
  if (bound.op == ">") raise(Behind(bound.numbers, 2));
  if (exact || bound.op == "<=") cut(Behind(bound.numbers, 2));
  if (bound.op == "<") cut(bound.numbers);
  // Only what stands before the last number is held fast, but that clients hold a provider's major.
  const bool open = bound.written == 1 && style == ConstraintStyle::kModule;
  if (bound.op == "~>" && !open) cut(Behind(bound.numbers, bound.written == 3 ? 1 : 0));
  if (!bound.prerelease.empty()) {
    const std::string_view op = exact ? "=" : bound.op;
    range.prereleases.push_back(
        fmt::format("{}{}{}", op, ToString(bound.numbers), bound.prerelease));
  } else if (bound.op == "!=") {
    range.excluded.push_back(bound.numbers);
  }
}

// Of those that are left out only what would be taken otherwise, each once, in order.
void TidyUp(VersionRange& range) {
  std::erase_if(range.excluded, [&range](const VersionNumbers& each) {
    return each < range.lower || (range.upper && each >= *range.upper);
  });
  auto sort = [](auto& list) {
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
  };
  sort(range.excluded);
  sort(range.prereleases);
}

}  // namespace

std::optional<VersionRange> ReadRange(std::string_view constraint, ConstraintStyle style) {
  VersionRange range;
  constraint = WithoutBlanks(constraint);
  while (!constraint.empty()) {
    std::size_t comma = std::min(constraint.find(','), constraint.size());
    std::optional<Bound> bound = ReadBound(constraint.substr(0, comma));
    if (!bound) return std::nullopt;
    Narrow(range, *bound, style);
    constraint = WithoutBlanks(constraint.substr(std::min(comma + 1, constraint.size())));
  }
  TidyUp(range);
  return range;
}

std::string ToString(const VersionNumbers& numbers) {
  return fmt::format("{}.{}.{}", numbers[0], numbers[1], numbers[2]);
}

namespace {

std::string Quoted(const std::string& text) {
  return text.empty() ? "any" : fmt::format("\"{}\"", Printable(text, 80));
}

DifferingTexts BothQuoted(const std::string& to, const std::string& from) {
  auto quoted = [](const std::string& text) {
    return text.empty() ? "any" : fmt::format("\"{}\"", text);
  };
  return {quoted(to), quoted(from), 80};
}

// Clients are stable from 1.0 on: a newer version of that major, or a newer patch, is only an
// update.
bool IsLargeStep(const VersionNumbers& from, const VersionNumbers& to) {
  if (from[0] != to[0]) return from != VersionNumbers{} || to[0] != 1;
  return from[0] == 0 && from[1] != to[1];
}

bool SameVersions(const VersionRange& from, const VersionRange& to) {
  return from.lower == to.lower && from.upper == to.upper && from.excluded == to.excluded;
}

// Whether `to` leaves out a version by name that `from` took.
bool LeavesOutMore(const VersionRange& from, const VersionRange& to) {
  return !std::ranges::includes(from.excluded, to.excluded);
}

// Those that `to` does not take any more: that none is older than 1.0 need not be said.
Sentence ClientsRejected(const VersionRange& from, const VersionRange& to, bool cut,
                         const DifferingTexts& shown) {
  const bool raised = to.lower > from.lower;
  const bool older = raised && (from.lower != VersionNumbers{} || to.lower > VersionNumbers{1});
  if (!cut) {
    return Say("range_clients", "Older clients are rejected: {} instead of {}.", shown.first,
               shown.second);
  }
  if (!older) {
    return Say("range_newer_clients", "Newer clients are rejected: {} instead of {}.", shown.first,
               shown.second);
  }
  return Say("range_both_clients", "Older and newer clients are rejected: {} instead of {}.",
             shown.first, shown.second);
}

struct RangeChange {
  ChangeKind kind = ChangeKind::kSafe;
  Sentence sentence;  // empty when nothing changed
};

// `client`: of required_version, not of a provider.
RangeChange CompareRanges(const std::string& from, const std::string& to, bool client) {
  const ConstraintStyle style = client ? ConstraintStyle::kModule : ConstraintStyle::kProvider;
  auto before = ReadRange(from, style);
  auto after = ReadRange(to, style);
  const DifferingTexts shown = BothQuoted(to, from);
  if (!before || !after) {
    if (from == to) return {};
    return {ChangeKind::kReadThis,
            Say("range_unread", "Another range, which cannot be read: {} instead of {}.",
                shown.first, shown.second)};
  }
  if (*before == *after) {
    if (from == to) return {};
    return {ChangeKind::kSafe,
            Say("range_rewritten", "The range is written differently: {} instead of {}.",
                shown.first, shown.second)};
  }
  if (SameVersions(*before, *after)) {
    return {ChangeKind::kReadThis,
            Say("range_prereleases", "Other prereleases are named: {} instead of {}.", shown.first,
                shown.second)};
  }
  const bool cut = after->upper && (!before->upper || *after->upper < *before->upper);
  if (client && (cut || after->lower > before->lower)) {
    const bool large = IsLargeStep(before->lower, after->lower);
    return {large ? ChangeKind::kBreaking : ChangeKind::kReadThis,
            ClientsRejected(*before, *after, cut, shown)};
  }
  if (after->lower[0] > before->lower[0]) {
    return {ChangeKind::kBreaking,
            Say("range_major",
                "A major version of the provider and all below are rejected: {} instead of {}.",
                shown.first, shown.second)};
  }
  if (after->lower > before->lower || cut || LeavesOutMore(*before, *after)) {
    return {ChangeKind::kReadThis, Say("range_narrower", "The range is narrower: {} instead of {}.",
                                       shown.first, shown.second)};
  }
  return {ChangeKind::kCompatible,
          Say("range_wider", "The range is wider: {} instead of {}.", shown.first, shown.second)};
}

void CompareAliases(const Requirement& from, const Requirement& to, const Subject& subject,
                    ChangeList& out) {
  std::set<std::string> before(from.aliases.begin(), from.aliases.end());
  for (const std::string& each : to.aliases) {
    if (before.erase(each) > 0) continue;
    out.Add(ChangeSection::kResources, ChangeSign::kChanged, ChangeKind::kBreaking, subject,
            to.place,
            Say("alias_new", "Every caller must pass the configuration {}.", Printable(each, 80)));
  }
  for (const std::string& each : before) {
    out.Add(ChangeSection::kResources, ChangeSign::kChanged, ChangeKind::kBreaking, subject,
            to.place,
            Say("alias_gone", "The configuration {} was removed: callers that pass it fail.",
                Printable(each, 80)));
  }
}

Subject SubjectOf(const Requirement& each) { return {"provider", Printable(each.name, 80)}; }

void AddAdded(const Requirement& added, ChangeList& out) {
  out.Add(ChangeSection::kResources, ChangeSign::kAdded, ChangeKind::kCompatible, SubjectOf(added),
          added.place, Say("needed", "It is needed now: {}.", Quoted(added.constraint)));
  CompareAliases({}, added, SubjectOf(added), out);
}

// Reports a declaration of a provider that was needed before, from the same source. A constraint
// takes versions away.
void TellDeclared(const Requirement& declared, ChangeList& out) {
  if (!declared.constraint.empty()) return AddAdded(declared, out);
  out.Add(ChangeSection::kResources, ChangeSign::kChanged, ChangeKind::kSafe, SubjectOf(declared),
          declared.place,
          Say("declared", "It is declared now: before, it was needed without a declaration."));
  CompareAliases({}, declared, SubjectOf(declared), out);
}

void CompareRequirement(const Requirement& from, const Requirement& to, ChangeList& out) {
  const Subject subject = SubjectOf(to);
  if (from.address != to.address) {
    const DifferingTexts shown(to.address, from.address, 120);
    out.Add(ChangeSection::kResources, ChangeSign::kChanged, ChangeKind::kBreaking, subject,
            to.place,
            Say("other_provider", "Another provider has this name: {} instead of {}.", shown.first,
                shown.second))
        .before = from.place;
    return;
  }
  // Nothing had been said of it before.
  if (from.implied && from.constraint.empty() && !to.implied) return TellDeclared(to, out);
  RangeChange range = CompareRanges(from.constraint, to.constraint, false);
  if (!range.sentence.text.empty()) {
    out.Add(ChangeSection::kResources, ChangeSign::kChanged, range.kind, subject, to.place,
            range.sentence)
        .before = from.place;
  }
  CompareAliases(from, to, subject, out);
}

// Of one way to say which clients a module takes, as DeclarationScan names it.
void CompareClients(const ModulePart& from, const ModulePart& to, const std::string& declared,
                    std::string ModulePart::* versions, Place ModulePart::* place,
                    ChangeList& out) {
  const bool unknown = ((from.*versions).empty() && from.MayDeclare(declared)) ||
                       ((to.*versions).empty() && to.MayDeclare(declared));
  if (unknown) return;
  RangeChange client = CompareRanges(from.*versions, to.*versions, true);
  if (client.sentence.text.empty()) return;
  bool gone = (to.*versions).empty();
  out.Add(ChangeSection::kResources, gone ? ChangeSign::kRemoved : ChangeSign::kChanged,
          client.kind, declared, gone ? from.*place : to.*place, client.sentence);
}

}  // namespace

void CompareRequirements(const ModulePart& from, const ModulePart& to, ChangeList& out) {
  Paired pairs(from.requirements, to.requirements,
               [](const Requirement& each) -> const std::string& { return each.name; });
  ChangeList::ForgetUnknown(from, to, pairs,
                            [](const Requirement& each) { return "provider " + each.name; });
  for (const Requirement* each : pairs.added) AddAdded(*each, out);
  for (const Requirement* each : pairs.removed) {
    bool given = !each->aliases.empty();
    out.Add(ChangeSection::kResources, ChangeSign::kRemoved,
            given ? ChangeKind::kBreaking : ChangeKind::kCompatible, SubjectOf(*each), each->place,
            given ? Say("unneeded_given",
                        "It is no longer needed: callers that pass its configurations fail.")
                  : Say("unneeded", "It is no longer needed."));
  }
  for (const auto& [before, after] : pairs.both) {
    // An undeclared requirement may be declared in a file that could not be read.
    const std::string declared = "required " + before->name;
    const bool unknown = (before->implied && from.MayDeclare(declared)) ||
                         (after->implied && to.MayDeclare(declared));
    if (!unknown) CompareRequirement(*before, *after, out);
  }
  CompareClients(from, to, "required_version", &ModulePart::required_version,
                 &ModulePart::version_place, out);
  CompareClients(from, to, "required_opentofu", &ModulePart::required_opentofu,
                 &ModulePart::opentofu_place, out);
}

}  // namespace koya::inspect
