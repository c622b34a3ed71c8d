#include "service/modules/module_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "archive/module_files.h"
#include "catalog/module_catalog.h"
#include "inspect/changes.h"
#include "inspect/contents.h"
#include "service/common/reading.h"
#include "service/common/verdict_document.h"
#include "service/modules/module_metadata.h"
#include "service/modules/source_diff.h"
#include "wire/comparison.h"

namespace koya::service {
namespace {

constexpr unsigned kAskAgain = 5;  // seconds

Error Busy(std::string message) {
  return {ErrorKind::kUnavailable, std::move(message), "", kAskAgain};
}

constexpr ContentsRequest kNewest{.freshness = ContentsRequest::Freshness::kNewest};

}  // namespace

Task<ModuleArchive> ModuleComparison::FindArchive(ModuleAddress address, Version version) {
  ASSIGN_OR_CO_RETURN(ModuleVersionRecord record,
                      co_await catalog_.FindVersion(std::move(address), std::move(version)));
  co_return ArchiveOf(record);
}

Task<SharedContents> ModuleComparison::Read(ModuleArchive archive, Reading reading,
                                            std::uint64_t beside) {
  std::string name =
      fmt::format("{} {}", archive.subject.address.ToString(), archive.subject.version.ToString());
  ContentsRequest wish = kNewest;
  wish.beside = beside;
  Result<SharedContents> contents =
      co_await insides_.FindContents(std::move(archive), std::move(reading), wish);
  if (!contents && contents.error().kind == ErrorKind::kNotFound) {
    co_return Fail(ErrorKind::kCorrupt,
                   fmt::format("the archive of {} is missing from this server's storage: publish "
                               "it again, or have its operator restore it from a backup",
                               name),
                   std::move(contents).error().detail);
  }
  if (!contents && contents.error().kind == ErrorKind::kUnavailable &&
      contents.error().retry_after == 0) {
    contents.error().retry_after = kAskAgain;
  }
  co_return contents;
}

Task<SharedComparison> ModuleComparison::Work(ModuleArchive from, ModuleArchive to,
                                              Reading reading) {
  ConcurrencySlot turn(working_, bounds_.at_once);
  if (!turn.got()) {
    co_return Failure(
        Busy("versions of other modules are being compared: try again in a few seconds"));
  }
  const Version from_version = from.subject.version;
  const Version to_version = to.subject.version;
  ASSIGN_OR_CO_RETURN(std::uint64_t older, co_await insides_.Measure(from, kNewest));
  ASSIGN_OR_CO_RETURN(std::uint64_t newer, co_await insides_.Measure(to, kNewest));
  const std::uint64_t beside = reading.claimed();
  CO_RETURN_IF_ERROR(co_await reading.Claim(beside + older + newer));
  ASSIGN_OR_CO_RETURN(SharedContents before,
                      co_await Read(std::move(from), reading, beside + newer));
  ASSIGN_OR_CO_RETURN(SharedContents after, co_await Read(std::move(to), reading, beside + older));
  auto compare = [&]() -> Result<SharedComparison> {
    inspect::Verdict verdict = inspect::Compare(*before, from_version, *after, to_version);
    return std::make_shared<const wire::Comparison>(
        DescribeVerdict(verdict, from_version, to_version));
  };
  co_return co_await reading.Do(std::move(compare));
}

struct ModuleComparison::Pair {
  ModuleArchive from;
  ModuleArchive to;
  std::string key;
};

Task<ModuleComparison::Pair> ModuleComparison::FindPair(ModuleAddress address, Version from,
                                                        Version to) {
  ASSIGN_OR_CO_RETURN(ModuleArchive before, co_await FindArchive(address, std::move(from)));
  ASSIGN_OR_CO_RETURN(ModuleArchive after, co_await FindArchive(address, std::move(to)));
  // The digests: a version that was withdrawn meanwhile is another question.
  std::string key =
      fmt::format("{} {} {}", address.Key(), before.digest.ToString(), after.digest.ToString());
  key += fmt::format(" {} {}", before.subject.version.ToString(), after.subject.version.ToString());
  co_return Pair{std::move(before), std::move(after), std::move(key)};
}

Error ModuleComparison::Late(const Pair& pair) const {
  return Busy(fmt::format(
      "comparing {} and {} takes longer than {} s: it continues, try again in a few seconds",
      pair.from.subject.version.ToString(), pair.to.subject.version.ToString(),
      std::chrono::ceil<std::chrono::seconds>(bounds_.patience).count()));
}

Task<SharedComparison> ModuleComparison::Compare(ModuleAddress address, Version from, Version to,
                                                 Reading reading) {
  ASSIGN_OR_CO_RETURN(Pair pair,
                      co_await FindPair(std::move(address), std::move(from), std::move(to)));
  const auto deadline = std::chrono::steady_clock::now() + bounds_.patience;
  Error late = Late(pair);
  Task<SharedComparison> work = Work(std::move(pair.from), std::move(pair.to), reading.Lasting());
  co_return co_await flights_.Do(std::move(pair.key), std::move(work), deadline, std::move(late));
}

Task<SharedSourceDiff> ModuleComparison::WorkOnSources(ModuleArchive from, ModuleArchive to,
                                                       Reading reading) {
  // Configurations are packed to a tenth; what a small archive has more than that is not compared.
  constexpr std::uint64_t kUnpacked = 32;
  constexpr std::uint64_t kLeastText = std::uint64_t{1} << 20;
  constexpr std::uint64_t kMostText = std::uint64_t{16} << 20;
  ConcurrencySlot turn(working_, bounds_.at_once);
  if (!turn.got()) {
    co_return Failure(
        Busy("versions of other modules are being compared: try again in a few seconds"));
  }
  const std::uint64_t text = std::clamp(kUnpacked * from.size, kLeastText, kMostText);
  CO_RETURN_IF_ERROR(
      co_await reading.Claim(reading.claimed() + text + SourceDiffer::kWorkingBytes));
  std::string from_version = from.subject.version.ToString();
  std::string to_version = to.subject.version.ToString();
  SourceDiffer differ(text);
  ModuleFileVisitor before = differ.Before();
  CO_RETURN_IF_ERROR(co_await insides_.VisitFiles(std::move(from), reading, std::move(before)));
  ModuleFileVisitor after = differ.After();
  CO_RETURN_IF_ERROR(co_await insides_.VisitFiles(std::move(to), reading, std::move(after)));
  auto finish = [&]() -> Result<SharedSourceDiff> {
    return std::make_shared<const wire::SourceDiff>(
        differ.Finish(std::move(from_version), std::move(to_version)));
  };
  co_return co_await reading.Do(std::move(finish));
}

Task<SharedSourceDiff> ModuleComparison::CompareSources(ModuleAddress address, Version from,
                                                        Version to, Reading reading) {
  ASSIGN_OR_CO_RETURN(Pair pair,
                      co_await FindPair(std::move(address), std::move(from), std::move(to)));
  const auto deadline = std::chrono::steady_clock::now() + bounds_.patience;
  Error late = Late(pair);
  Task<SharedSourceDiff> work =
      WorkOnSources(std::move(pair.from), std::move(pair.to), reading.Lasting());
  co_return co_await source_flights_.Do(std::move(pair.key), std::move(work), deadline,
                                        std::move(late));
}

}  // namespace koya::service
