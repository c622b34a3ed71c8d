#include "service/modules/analysis_progress.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/decimal.h"
#include "catalog/catalog.h"
#include "inspect/contents.h"
#include "service/modules/module_metadata.h"

namespace koya::service {
namespace {

constexpr std::string_view kPublished = "published/";
constexpr std::string_view kMirrored = "mirrored/";

// Says nothing of the version that was to be read.
bool IsAway(const Error& error) {
  return error.kind == ErrorKind::kUnavailable || error.kind == ErrorKind::kTimeout ||
         error.kind == ErrorKind::kThrottled || error.kind == ErrorKind::kStorageFull;
}

std::string WritePlace(const UnreadModule::Place& place) {
  return fmt::format("{}{}", place.mirrored ? kMirrored : kPublished, place.row);
}

Result<std::optional<UnreadModule::Place>> ReadPlace(std::string_view text) {
  if (text.empty()) return std::nullopt;
  UnreadModule::Place place{.mirrored = text.starts_with(kMirrored)};
  const bool known = place.mirrored || text.starts_with(kPublished);
  if (known) text.remove_prefix(place.mirrored ? kMirrored.size() : kPublished.size());
  const auto row = ParseDecimal<decltype(place.row)>(text);
  if (!known || !row || *row < 0) {
    return FailInvalid("\"after\" is the \"next\" of the previous step, for example published/17");
  }
  place.row = *row;
  return place;
}

ReadingProblem ProblemOf(const ModuleSubject& subject, std::string problem) {
  std::string address = subject.address.ToString();
  if (!subject.IsPublishedHere()) address = subject.host + "/" + address;
  return {.address = std::move(address),
          .version = subject.version.ToString(),
          .problem = std::move(problem)};
}

}  // namespace

Task<ModuleArchive> AnalysisProgress::FindArchive(UnreadModule module) {
  if (module.subject.IsPublishedHere()) {
    ASSIGN_OR_CO_RETURN(
        ModuleVersionRecord record,
        co_await catalog_.FindVersion(module.subject.address, module.subject.version));
    co_return ArchiveOf(record);
  }
  co_return ModuleArchive{.subject = std::move(module.subject),
                          .digest = module.digest,
                          .size = module.size,
                          .description = {}};
}

Task<std::optional<ReadingProblem>> AnalysisProgress::ReadOne(UnreadModule module) {
  const ModuleSubject subject = module.subject;
  Result<ModuleArchive> archive = co_await FindArchive(std::move(module));
  if (!archive && archive.error().kind == ErrorKind::kGone) {
    co_return std::nullopt;  // withdrawn meanwhile
  }
  if (!archive) co_return Failure(std::move(archive).error());
  Result<SharedContents> contents = co_await insides_.ReadAgain(*std::move(archive));
  if (contents) {
    ++totals_.read;
    co_return std::nullopt;
  }
  if (IsAway(contents.error())) co_return Failure(std::move(contents).error());
  ++totals_.failed;
  co_return ProblemOf(subject, std::move(contents).error().message);
}

Task<std::uint64_t> AnalysisProgress::Count() {
  ASSIGN_OR_CO_RETURN(std::uint64_t unread, co_await catalog_.CountUnread(inspect::kReaderVersion));
  totals_.unread = unread;
  co_return unread;
}

Task<ReadingStep> AnalysisProgress::Step(std::string after) {
  const auto until = std::chrono::steady_clock::now() + kStepTime;
  ASSIGN_OR_CO_RETURN(std::optional<UnreadModule::Place> place, ReadPlace(after));
  ASSIGN_OR_CO_RETURN(
      std::vector<UnreadModule> unread,
      co_await catalog_.ListUnread(inspect::kReaderVersion, std::move(place), kMostOfStep));
  ReadingStep step;
  // As many as were asked for: there may be more.
  if (unread.size() == kMostOfStep) step.next = WritePlace(unread.back().place);
  for (std::size_t at = 0; at < unread.size(); ++at) {
    const UnreadModule::Place here = unread[at].place;
    ASSIGN_OR_CO_RETURN(std::optional<ReadingProblem> problem,
                        co_await ReadOne(std::move(unread[at])));
    if (problem) {
      step.problems.push_back(*std::move(problem));
    } else {
      ++step.read;
    }
    if (at + 1 < unread.size() && std::chrono::steady_clock::now() >= until) {
      step.next = WritePlace(here);
      break;
    }
  }
  ASSIGN_OR_CO_RETURN(step.left, co_await Count());
  co_return step;
}

}  // namespace koya::service
