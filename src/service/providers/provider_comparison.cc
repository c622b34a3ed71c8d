#include "service/providers/provider_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "archive/docs_package.h"
#include "archive/packed_file.h"
#include "catalog/catalog.h"
#include "catalog/change_log.h"
#include "inspect/provider/schema_changes.h"
#include "service/common/reading.h"
#include "service/common/verdict_document.h"
#include "service/providers/provider_changes.h"
#include "service/providers/provider_docs.h"
#include "wire/comparison.h"

namespace koya::service {
namespace {

namespace provider = inspect::provider;
using inspect::Change;
using inspect::ChangeSection;

constexpr unsigned kAskLater = 5;  // seconds

Error NotNow(std::string message) {
  return {ErrorKind::kUnavailable, std::move(message), "", kAskLater};
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

// What comparing takes of one version: its list, and one item at a time, read and decoded.
std::uint64_t MemoryFor(const Items& items) {
  constexpr std::uint64_t kListedItem = 512;
  constexpr std::uint64_t kItemWeight = 8;
  std::uint64_t largest = 0;
  for (const SchemaRecord& each : items) largest = std::max(largest, each.part.size);
  return kUnpackBytes + kListedItem * items.size() + kItemWeight * largest;
}

// By section, then by what weighs most.
void SortChanges(std::vector<Change>& changes) {
  std::ranges::sort(changes, [](const Change& a, const Change& b) {
    return std::tie(a.section, b.kind, a.what, a.sentence) <
           std::tie(b.section, a.kind, b.what, b.sentence);
  });
}

}  // namespace

// Facts about a version before its schema is read.
struct ProviderComparison::Known {
  ProviderRelease release;
  DocsSummary summary;
  std::vector<SchemaRecord> items;  // by kind and name
  std::vector<DocName> pages;       // in order
  int schema_file = -1;             // where the items lie; -1: in a blob
  Reading reading;
};

Task<ProviderComparison::Known> ProviderComparison::FindKnown(ProviderRelease release,
                                                              Reading reading) {
  Known known{.release = std::move(release),
              .summary = {},
              .items = {},
              .pages = {},
              .reading = std::move(reading)};
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

ProviderComparison::Known ProviderComparison::Describe(const NewRelease& release, Reading reading) {
  Known known{.release = release.release,
              .summary = {},
              .items = {},
              .pages = {},
              .schema_file = release.schema_file,
              .reading = std::move(reading)};
  const ReleaseExtras& extras = release.extras;
  known.summary.warnings = extras.warnings;
  if (extras.docs) {
    known.summary.docs = extras.docs->archive;
    for (const DocRecord& each : extras.docs->pages) known.pages.push_back(each.name);
    std::ranges::sort(known.pages);
  }
  if (extras.schema) {
    known.summary.schema = extras.schema->archive;
    known.items = extras.schema->items;
    std::ranges::sort(known.items, [](const SchemaRecord& a, const SchemaRecord& b) {
      return std::tie(a.kind, a.name) < std::tie(b.kind, b.name);
    });
  }
  return known;
}

Task<std::string> ProviderComparison::ReadLine(const Known& known, const SchemaRecord& record) {
  if (known.schema_file < 0) {
    co_return co_await docs_.ReadPart(*known.summary.schema, record.part, known.reading);
  }
  auto read = [&known, &record]() -> Result<std::string> {
    std::string packed(record.part.packed, '\0');
    const PackedFile file(known.schema_file, known.summary.schema->size);
    RETURN_IF_ERROR(file.ReadAt(record.part.begin, std::as_writable_bytes(std::span(packed))));
    return UnpackPart(packed, record.part);
  };
  co_return co_await known.reading.Do(read);
}

Task<std::optional<provider::SchemaItem>> ProviderComparison::ReadItem(const Known& known,
                                                                       const SchemaRecord* record) {
  if (record == nullptr) co_return std::optional<provider::SchemaItem>();
  ASSIGN_OR_CO_RETURN(std::string line, co_await ReadLine(known, *record));
  auto decode = [&line] { return provider::DecodeSchemaItem(line); };
  Result<provider::SchemaItem> item = co_await known.reading.Do(decode);
  if (!item && item.error().kind == ErrorKind::kUnavailable) {
    co_return Failure(std::move(item).error());
  }
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
Task<std::vector<Change>> ProviderComparison::CompareSchemas(const Known& from, const Known& to,
                                                             std::optional<Moment> until) {
  provider::SchemaComparison comparison;
  const bool from_whole = WasReadWhole(from.summary);
  const bool to_whole = WasReadWhole(to.summary);
  std::size_t unsure = 0;
  for (const ItemPair& pair : Pair(from.items, to.items)) {
    if (until && std::chrono::steady_clock::now() >= *until) {
      co_return Failure(Late(from.release.version, to.release.version, "it was canceled"));
    }
    // What only one has may be in what could not be read of the other.
    if ((pair.before == nullptr && !from_whole) || (pair.after == nullptr && !to_whole)) {
      ++unsure;
      continue;
    }
    ASSIGN_OR_CO_RETURN(std::optional<provider::SchemaItem> before,
                        co_await ReadItem(from, pair.before));
    ASSIGN_OR_CO_RETURN(std::optional<provider::SchemaItem> after,
                        co_await ReadItem(to, pair.after));
    auto add = [&]() -> Status {
      comparison.Add(before ? &*before : nullptr, after ? &*after : nullptr);
      return {};
    };
    CO_RETURN_IF_ERROR(co_await to.reading.Do(add));
  }
  std::vector<Change> out;
  TellSchema(comparison, from_whole && to_whole, out);
  if (!from_whole || !to_whole) {
    out.push_back(UnknownChange(
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
        UnknownChange(ChangeSection::kSchema, "schema",
                      WithoutWords(from, had_schema, to, has_schema) +
                          ": what changed in resources, data sources and functions is unknown."));
  }
  const bool had_docs = before.summary.docs.has_value();
  const bool has_docs = after.summary.docs.has_value();
  if (had_docs && has_docs) {
    ComparePages(before.pages, after.pages, changes);
  } else if (had_docs || has_docs) {
    changes.push_back(UnknownChange(
        ChangeSection::kDocs, "docs",
        WithoutWords(from, had_docs, to, has_docs) + ": which pages are gone or new is unknown."));
  }
  SortChanges(changes);
  inspect::Verdict verdict = inspect::Judge(std::move(changes), from.version, to.version);
  return std::make_shared<const wire::Comparison>(
      DescribeVerdict(verdict, from.version, to.version));
}

Task<SharedComparison> ProviderComparison::Work(ProviderRelease from, ProviderRelease to,
                                                Reading reading) {
  ConcurrencySlot turn(working_, bounds_.at_once);
  if (!turn.got()) {
    co_return Failure(
        NotNow("versions of other providers are being compared: try again in a few seconds"));
  }
  ASSIGN_OR_CO_RETURN(Known before, co_await FindKnown(std::move(from), reading));
  ASSIGN_OR_CO_RETURN(Known after, co_await FindKnown(std::move(to), reading));
  CO_RETURN_IF_ERROR(co_await reading.Claim(MemoryFor(before.items) + MemoryFor(after.items)));
  co_return co_await CompareKnown(std::move(before), std::move(after), std::nullopt);
}

Task<SharedComparison> ProviderComparison::CompareKnown(Known before, Known after,
                                                        std::optional<Moment> until) {
  if (SizeOf(before.items) + SizeOf(after.items) > bounds_.bytes) {
    co_return Failure(Error{
        ErrorKind::kUnavailable,
        fmt::format(
            "the schemas of {} and {} are larger than {} MiB: versions that large are not compared",
            before.release.version.ToString(), after.release.version.ToString(),
            bounds_.bytes >> 20U),
        "", 3600});
  }
  std::vector<Change> changes;
  if (before.summary.schema && after.summary.schema) {
    ASSIGN_OR_CO_RETURN(changes, co_await CompareSchemas(before, after, until));
  }
  auto judge = [&]() -> Result<SharedComparison> {
    return JudgeAll(before, after, std::move(changes));
  };
  co_return co_await after.reading.Do(judge);
}

Error ProviderComparison::Late(const Version& from, const Version& to,
                               std::string_view then) const {
  return NotNow(
      fmt::format("comparing {} and {} takes longer than {} s: {}", from.ToString(), to.ToString(),
                  std::chrono::ceil<std::chrono::seconds>(bounds_.patience).count(), then));
}

Task<SharedComparison> ProviderComparison::CompareNew(ProviderAddress address, Version from,
                                                      NewRelease to) {
  const Moment until = std::chrono::steady_clock::now() + bounds_.patience;
  ASSIGN_OR_CO_RETURN(ProviderRelease release,
                      co_await catalog_.FindRelease(std::move(address), std::move(from)));
  const Reading own(pool_);
  ASSIGN_OR_CO_RETURN(Known before, co_await FindKnown(std::move(release), own));
  co_return co_await CompareKnown(std::move(before), Describe(to, own), until);
}

Task<SharedComparison> ProviderComparison::Compare(ProviderAddress address, Version from,
                                                   Version to, Reading reading) {
  ASSIGN_OR_CO_RETURN(ProviderRelease before, co_await catalog_.FindRelease(address, from));
  ASSIGN_OR_CO_RETURN(ProviderRelease after, co_await catalog_.FindRelease(address, to));
  // The digests: a version that was withdrawn meanwhile is another question.
  std::string key = fmt::format("{} {} {} {} {}", address.ToString(), before.sums.digest.ToString(),
                                after.sums.digest.ToString(), before.version.ToString(),
                                after.version.ToString());
  const auto deadline = std::chrono::steady_clock::now() + bounds_.patience;
  Error late = Late(before.version, after.version, "it continues, try again in a few seconds");
  Task<SharedComparison> work = Work(std::move(before), std::move(after), reading.Lasting());
  co_return co_await flights_.Do(std::move(key), std::move(work), deadline, std::move(late));
}

}  // namespace koya::service
