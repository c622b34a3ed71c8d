#include "service/provider_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "inspect/provider/schema_changes.h"
#include "service/turn.h"
#include "service/verdict_document.h"

namespace koya::service {
namespace {

namespace provider = inspect::provider;
using inspect::Change;
using inspect::ChangeKind;
using inspect::ChangeSection;
using inspect::ChangeSign;

constexpr unsigned kAskLater = 5;             // seconds
constexpr std::size_t kMostPageLines = 2000;  // of pages that are gone or new

Error NotNow(std::string message) {
  return {ErrorKind::kUnavailable, std::move(message), "", kAskLater};
}

Change Told(ChangeSection section, ChangeSign sign, ChangeKind kind, std::string what,
            std::string sentence) {
  return {.section = section,
          .sign = sign,
          .kind = kind,
          .what = std::move(what),
          .place = {},
          .sentence = std::move(sentence)};
}

Change Unknown(ChangeSection section, std::string what, std::string sentence) {
  Change change = Told(section, ChangeSign::kChanged, ChangeKind::kReadThis, std::move(what),
                       std::move(sentence));
  change.unknown = true;
  return change;
}

void ComparePlatforms(const ProviderRelease& from, const ProviderRelease& to,
                      std::vector<Change>& out) {
  std::set<std::string> before;
  std::set<std::string> after;
  for (const ProviderPackage& each : from.packages) before.insert(each.platform.ToString());
  for (const ProviderPackage& each : to.packages) after.insert(each.platform.ToString());
  for (const std::string& each : before) {
    if (after.contains(each)) continue;
    out.push_back(Told(ChangeSection::kPlatforms, ChangeSign::kRemoved, ChangeKind::kBreaking,
                       "platform " + each, "It is gone: nobody can install the provider there."));
  }
  for (const std::string& each : after) {
    if (before.contains(each)) continue;
    out.push_back(Told(ChangeSection::kPlatforms, ChangeSign::kAdded, ChangeKind::kCompatible,
                       "platform " + each, "It is new."));
  }
}

// "5.0", "5.1" and "6.0": 5 and 6, each with the highest of it. By number, so the last is.
std::map<std::string, std::string> ProtocolsByMajor(const ProviderRelease& release) {
  std::map<std::string, std::string> majors;
  for (const std::string& each : release.protocols) majors[each.substr(0, each.find('.'))] = each;
  return majors;
}

void CompareProtocols(const ProviderRelease& from, const ProviderRelease& to,
                      std::vector<Change>& out) {
  const auto before = ProtocolsByMajor(from);
  const auto after = ProtocolsByMajor(to);
  for (const auto& [major, highest] : before) {
    const auto same = after.find(major);
    if (same == after.end()) {
      out.push_back(Told(ChangeSection::kProtocols, ChangeSign::kRemoved, ChangeKind::kBreaking,
                         "protocol " + major,
                         "It is gone: programs that speak no other cannot run the provider."));
    } else if (same->second != highest) {
      out.push_back(Told(ChangeSection::kProtocols, ChangeSign::kChanged, ChangeKind::kSafe,
                         "protocol " + major,
                         fmt::format("It is {} now, and was {}.", same->second, highest)));
    }
  }
  for (const auto& [major, highest] : after) {
    if (before.contains(major)) continue;
    out.push_back(Told(ChangeSection::kProtocols, ChangeSign::kAdded, ChangeKind::kCompatible,
                       "protocol " + major, "It is new."));
  }
}

void CompareKeys(const ProviderRelease& from, const ProviderRelease& to, std::vector<Change>& out) {
  if (from.key_fingerprint == to.key_fingerprint) return;
  out.push_back(Told(ChangeSection::kKeys, ChangeSign::kChanged, ChangeKind::kReadThis,
                     "key " + to.key_fingerprint,
                     fmt::format("It signed {}; {} was signed by {}.", to.version.ToString(),
                                 from.version.ToString(), from.key_fingerprint)));
}

// ---- docs

std::string PageWords(const DocName& page) {
  std::string words = fmt::format("page {}/{}", page.kind, page.name);
  return page.language.empty() ? words : words + " in " + page.language;
}

void ComparePages(const std::vector<DocName>& before, const std::vector<DocName>& after,
                  std::vector<Change>& out) {
  std::vector<DocName> gone;
  std::vector<DocName> added;
  std::ranges::set_difference(before, after, std::back_inserter(gone));
  std::ranges::set_difference(after, before, std::back_inserter(added));
  const std::size_t all = gone.size() + added.size();
  gone.resize(std::min(gone.size(), kMostPageLines));
  added.resize(std::min(added.size(), kMostPageLines - gone.size()));
  for (const DocName& each : gone) {
    out.push_back(Told(ChangeSection::kDocs, ChangeSign::kRemoved, ChangeKind::kSafe,
                       PageWords(each), "It is gone."));
  }
  for (const DocName& each : added) {
    out.push_back(Told(ChangeSection::kDocs, ChangeSign::kAdded, ChangeKind::kSafe, PageWords(each),
                       "It is new."));
  }
  if (const std::size_t more = all - gone.size() - added.size(); more > 0) {
    out.push_back(Told(ChangeSection::kDocs, ChangeSign::kChanged, ChangeKind::kSafe, "pages",
                       fmt::format("{} more are gone or new.", more)));
  }
}

// ---- schema

ChangeKind KindOf(provider::ChangeGrade grade) {
  switch (grade) {
    case provider::ChangeGrade::kSafe:
      return ChangeKind::kSafe;
    case provider::ChangeGrade::kCompatible:
      return ChangeKind::kCompatible;
    case provider::ChangeGrade::kReadThis:
      return ChangeKind::kReadThis;
    case provider::ChangeGrade::kBreaking:
      return ChangeKind::kBreaking;
  }
  return ChangeKind::kBreaking;
}

ChangeSign SignOf(provider::ChangeGlyph glyph) {
  switch (glyph) {
    case provider::ChangeGlyph::kAdded:
      return ChangeSign::kAdded;
    case provider::ChangeGlyph::kChanged:
      return ChangeSign::kChanged;
    case provider::ChangeGlyph::kRemoved:
      return ChangeSign::kRemoved;
  }
  return ChangeSign::kChanged;
}

// "it is gone" stands behind a name; a sentence of its own begins with a capital.
std::string Sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text.ends_with('.') ? text : text + ".";
}

std::string SchemaWords(const provider::SchemaChange& change) {
  std::string words(provider::SchemaKindWords(change.kind));
  if (!change.item.empty()) words += fmt::format(" \"{}\"", change.item);
  return change.path.empty() ? words : words + ": " + change.path;
}

// What could not be read of a schema may be in the provider all the same.
bool WasReadWhole(const DocsSummary& summary) {
  return std::ranges::none_of(summary.warnings, [](const ReadWarning& warning) {
    return warning.file.contains("_schema.json");
  });
}

// `whole`: both schemas could be read. Otherwise what seems to break may be what could not be.
void TellSchema(const provider::SchemaComparison& comparison, bool whole,
                std::vector<Change>& out) {
  for (const provider::SchemaChange& each : comparison.changes()) {
    out.push_back(Told(ChangeSection::kSchema, SignOf(each.glyph), KindOf(each.grade),
                       SchemaWords(each), Sentence(each.sentence)));
    if (whole || out.back().kind != ChangeKind::kBreaking) continue;
    out.back().kind = ChangeKind::kReadThis;
    out.back().unknown = true;
    out.back().sentence += " Or it is what could not be read.";
  }
  if (comparison.left_out() > 0) {
    out.push_back(Told(ChangeSection::kSchema, ChangeSign::kChanged,
                       whole ? KindOf(comparison.worst()) : ChangeKind::kReadThis, "schema",
                       fmt::format("{} more changes.", comparison.left_out())));
    out.back().unknown = !whole;
  }
}

using Items = std::vector<SchemaRecord>;

// An item by kind and name as both versions have it; null in the one that has not.
struct ItemPair {
  const SchemaRecord* before = nullptr;
  const SchemaRecord* after = nullptr;
};

// Both are in the order of kind and name.
std::vector<ItemPair> Pair(const Items& before, const Items& after) {
  std::vector<ItemPair> pairs;
  pairs.reserve(std::max(before.size(), after.size()));
  auto order = [](const SchemaRecord& a, const SchemaRecord& b) {
    return std::tie(a.kind, a.name) <=> std::tie(b.kind, b.name);
  };
  auto old_one = before.begin();
  auto new_one = after.begin();
  while (old_one != before.end() || new_one != after.end()) {
    const bool only_new =
        old_one == before.end() || (new_one != after.end() && order(*new_one, *old_one) < 0);
    const bool only_old =
        new_one == after.end() || (old_one != before.end() && order(*old_one, *new_one) < 0);
    pairs.push_back({only_new ? nullptr : &*old_one, only_old ? nullptr : &*new_one});
    if (!only_new) ++old_one;
    if (!only_old) ++new_one;
  }
  return pairs;
}

// Which of the two was published without something.
std::string WithoutWords(const ProviderRelease& from, bool from_has, const ProviderRelease& to,
                         bool to_has) {
  if (!from_has && !to_has) return "Neither version was published with it";
  const ProviderRelease& without = from_has ? to : from;
  return fmt::format("{} was published without it", without.version.ToString());
}

std::uint64_t SizeOf(const std::vector<SchemaRecord>& items) {
  std::uint64_t size = 0;
  for (const SchemaRecord& each : items) size += each.part.size;
  return size;
}

// By section, then by what weighs most.
void SortChanges(std::vector<Change>& changes) {
  std::ranges::sort(changes, [](const Change& a, const Change& b) {
    return std::tie(a.section, b.kind, a.what, a.sentence) <
           std::tie(b.section, a.kind, b.what, b.sentence);
  });
}

}  // namespace

Task<ProviderComparison::Known> ProviderComparison::Find(ProviderRelease release) {
  Known known{.release = std::move(release), .summary = {}, .items = {}, .pages = {}};
  const ProviderAddress address = known.release.address;
  const Version version = known.release.version;
  ASSIGN_OR_CO_RETURN(known.summary, co_await catalog_.FindDocs(address, version));
  if (known.summary.docs) {
    ASSIGN_OR_CO_RETURN(known.pages, co_await catalog_.ListDocNames(address, version));
  }
  if (known.summary.schema) {
    ASSIGN_OR_CO_RETURN(known.items, co_await catalog_.ListSchema(address, version));
  }
  co_return known;
}

Task<std::optional<provider::SchemaItem>> ProviderComparison::ReadItem(const Known& known,
                                                                       const SchemaRecord* record) {
  if (record == nullptr) co_return std::optional<provider::SchemaItem>();
  ASSIGN_OR_CO_RETURN(std::string line,
                      co_await docs_.ReadPart(*known.summary.schema, record->part));
  auto decode = [&line] { return provider::DecodeSchemaItem(line); };
  Result<provider::SchemaItem> item = co_await Offload(pool_, decode);
  if (!item) {
    co_return Fail(ErrorKind::kCorrupt,
                   fmt::format("the schema of {} {} is damaged in this server's storage: publish "
                               "the same release again, or have its operator restore it from a "
                               "backup",
                               known.release.address.ToString(), known.release.version.ToString()),
                   std::move(item).error().message);
  }
  co_return std::optional(*std::move(item));
}

// Two items at a time are in memory.
Task<std::vector<Change>> ProviderComparison::CompareSchemas(const Known& from, const Known& to) {
  provider::SchemaComparison comparison;
  const bool from_whole = WasReadWhole(from.summary);
  const bool to_whole = WasReadWhole(to.summary);
  std::size_t unsure = 0;
  for (const ItemPair& pair : Pair(from.items, to.items)) {
    // What only one has may be in what could not be read of the other.
    if ((pair.before == nullptr && !from_whole) || (pair.after == nullptr && !to_whole)) {
      ++unsure;
      continue;
    }
    ASSIGN_OR_CO_RETURN(std::optional<provider::SchemaItem> before,
                        co_await ReadItem(from, pair.before));
    ASSIGN_OR_CO_RETURN(std::optional<provider::SchemaItem> after,
                        co_await ReadItem(to, pair.after));
    auto add = [&] {
      comparison.Add(before ? &*before : nullptr, after ? &*after : nullptr);
      return comparison.left_out();
    };
    static_cast<void>(co_await Offload(pool_, add));
  }
  std::vector<Change> out;
  TellSchema(comparison, from_whole && to_whole, out);
  if (!from_whole || !to_whole) {
    out.push_back(Unknown(
        ChangeSection::kSchema, "schema",
        fmt::format("Not all of it could be read: {} left out.",
                    unsure == 1 ? "1 item that only one version has is"
                                : fmt::format("{} items that only one version has are", unsure))));
  }
  co_return out;
}

// `changes`: of the schemas, when both have one.
SharedComparison ProviderComparison::JudgeAll(const Known& before, const Known& after,
                                              std::vector<Change> changes) {
  const ProviderRelease& from = before.release;
  const ProviderRelease& to = after.release;
  ComparePlatforms(from, to, changes);
  CompareProtocols(from, to, changes);
  CompareKeys(from, to, changes);
  const bool had_schema = before.summary.schema.has_value();
  const bool has_schema = after.summary.schema.has_value();
  if (!had_schema || !has_schema) {
    changes.push_back(
        Unknown(ChangeSection::kSchema, "schema",
                WithoutWords(from, had_schema, to, has_schema) +
                    ": what changed in resources, data sources and functions is unknown."));
  }
  const bool had_docs = before.summary.docs.has_value();
  const bool has_docs = after.summary.docs.has_value();
  if (had_docs && has_docs) {
    ComparePages(before.pages, after.pages, changes);
  } else if (had_docs || has_docs) {
    changes.push_back(Unknown(
        ChangeSection::kDocs, "docs",
        WithoutWords(from, had_docs, to, has_docs) + ": which pages are gone or new is unknown."));
  }
  SortChanges(changes);
  inspect::Verdict verdict = inspect::Judge(std::move(changes), from.version, to.version);
  return std::make_shared<const wire::Comparison>(
      DescribeVerdict(verdict, from.version, to.version));
}

Task<SharedComparison> ProviderComparison::Work(ProviderRelease from, ProviderRelease to) {
  Turn turn(working_, bounds_.at_once);
  if (!turn.got()) {
    co_return Failure(NotNow(
        "versions of other providers are being compared just now: ask again in a few seconds"));
  }
  ASSIGN_OR_CO_RETURN(Known before, co_await Find(std::move(from)));
  ASSIGN_OR_CO_RETURN(Known after, co_await Find(std::move(to)));
  if (SizeOf(before.items) + SizeOf(after.items) > bounds_.bytes) {
    co_return Failure(Error{
        ErrorKind::kUnavailable,
        fmt::format("the schemas of {} and {} have more than {} MiB: versions that large are not "
                    "compared",
                    before.release.version.ToString(), after.release.version.ToString(),
                    bounds_.bytes >> 20U),
        "", 3600});
  }
  std::vector<Change> changes;
  if (before.summary.schema && after.summary.schema) {
    ASSIGN_OR_CO_RETURN(changes, co_await CompareSchemas(before, after));
  }
  auto judge = [&] { return JudgeAll(before, after, std::move(changes)); };
  SharedComparison comparison = co_await Offload(pool_, judge);
  co_return comparison;
}

Task<SharedComparison> ProviderComparison::Compare(ProviderAddress address, Version from,
                                                   Version to) {
  ASSIGN_OR_CO_RETURN(ProviderRelease before, co_await catalog_.FindRelease(address, from));
  ASSIGN_OR_CO_RETURN(ProviderRelease after, co_await catalog_.FindRelease(address, to));
  // The digests: a version that was withdrawn meanwhile is another question.
  std::string key = fmt::format("{} {} {} {} {}", address.ToString(), before.sums.digest.ToString(),
                                after.sums.digest.ToString(), before.version.ToString(),
                                after.version.ToString());
  const auto deadline = std::chrono::steady_clock::now() + bounds_.patience;
  Error late =
      NotNow(fmt::format("comparing {} and {} takes longer than {} s: it goes on, ask again in a "
                         "few seconds",
                         before.version.ToString(), after.version.ToString(),
                         std::chrono::ceil<std::chrono::seconds>(bounds_.patience).count()));
  Task<SharedComparison> work = Work(std::move(before), std::move(after));
  co_return co_await flights_.Do(std::move(key), std::move(work), deadline, std::move(late));
}

}  // namespace koya::service
