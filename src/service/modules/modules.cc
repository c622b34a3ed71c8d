#include "service/modules/modules.h"

#include <fmt/format.h>

#include <algorithm>

#include "auth/principal.h"
#include "base/text.h"
#include "blobs/blob_store.h"
#include "catalog/module_catalog.h"
#include "domain/search_record.h"
#include "domain/withdrawal.h"
#include "service/search/index_queue.h"

namespace koya::service {
namespace {

constexpr std::size_t kLongestText = 1000;

}  // namespace

Task<std::vector<ModuleVersionRecord>> Modules::ListVersions(ModuleAddress address) {
  co_return co_await catalog_.ListVersions(std::move(address));
}

Task<ModuleVersionRecord> Modules::FindVersion(ModuleAddress address, Version version) {
  co_return co_await catalog_.FindVersion(std::move(address), std::move(version));
}

Task<ModuleVersionRecord> Modules::FindLatest(ModuleAddress address) {
  ASSIGN_OR_CO_RETURN(std::vector<ModuleVersionRecord> versions,
                      co_await catalog_.ListVersions(std::move(address)));
  co_return Latest(versions);
}

Task<Page<ModuleSummary>> Modules::List(ModuleFilter filter, PageRequest page) {
  co_return co_await catalog_.ListModules(std::move(filter), page);
}

Task<OpenArchive> Modules::OpenVersion(ModuleAddress address, Version version) {
  ASSIGN_OR_CO_RETURN(ModuleVersionRecord record, co_await catalog_.FindVersion(address, version));
  auto blob = co_await blobs_.Open(record.digest);
  if (!blob && blob.error().kind == ErrorKind::kNotFound) {
    co_return Fail(ErrorKind::kCorrupt,
                   fmt::format("the archive of {} {} is missing from this server's storage: "
                               "publish it again, or have its operator restore it from a backup",
                               record.address.ToString(), record.version.ToString()),
                   "no blob " + record.digest.ToString());
  }
  if (!blob) co_return std::unexpected(std::move(blob).error());
  co_return OpenArchive{std::move(record), *std::move(blob)};
}

Task<std::string> Modules::FindSuccessor(ModuleAddress address, Version version,
                                         std::string successor) {
  ASSIGN_OR_CO_RETURN(Version next, Version::ParseLookup(successor));
  if (next != version) {
    Result<ModuleVersionRecord> found = co_await catalog_.FindVersion(address, next);
    if (found) co_return next.ToString();
    const ErrorKind kind = found.error().kind;
    if (kind != ErrorKind::kNotFound && kind != ErrorKind::kGone) {
      co_return Failure(std::move(found).error());
    }
  }
  co_return FailInvalid("{} has no version {} to use instead: name a published one",
                        address.ToString(), next.ToString());
}

Task<void> Modules::Withdraw(auth::Principal by, ModuleAddress address, Version version,
                             std::string reason, std::string successor) {
  CO_RETURN_IF_ERROR(by.RequireOwnership(address.ns()));
  CO_RETURN_IF_ERROR(CheckWithdrawalReason(reason));
  if (!successor.empty()) {
    ASSIGN_OR_CO_RETURN(successor, co_await FindSuccessor(address, version, std::move(successor)));
  }
  Withdrawal withdrawal{.at = clock_.Now(),
                        .by = by.name,
                        .reason = std::move(reason),
                        .successor = std::move(successor)};
  CO_RETURN_IF_ERROR(co_await catalog_.Withdraw(std::move(by.actor), address, version,
                                                std::move(withdrawal), restorable_for_));
  co_return Status();
}

// A withdrawn version is restored whole or not at all.
Task<void> Modules::CheckBytes(ModuleAddress address, Version version) {
  ASSIGN_OR_CO_RETURN(AddOutcome known,
                      co_await catalog_.CheckVersion(address, version, std::nullopt));
  if (known.what != AddOutcome::What::kWithdrawn) co_return Status();
  auto blob = co_await blobs_.Open(known.existing->digest);
  if (blob) co_return Status();
  if (blob.error().kind != ErrorKind::kNotFound) co_return Failure(std::move(blob).error());
  co_return TooLateToRestore(fmt::format("{} {}", address.ToString(), version.ToString()),
                             *known.withdrawal);
}

Task<void> Modules::Restore(auth::Principal by, ModuleAddress address, Version version,
                            std::string reason) {
  CO_RETURN_IF_ERROR(by.RequireOwnership(address.ns()));
  CO_RETURN_IF_ERROR(CheckWithdrawalReason(reason));
  CO_RETURN_IF_ERROR(co_await CheckBytes(address, version));
  CO_RETURN_IF_ERROR(
      co_await catalog_.Restore(std::move(by.actor), address, version, std::move(reason)));
  index_.Add(SearchSubject::Of(address, version));
  co_return Status();
}

Task<std::vector<WithdrawnModuleVersion>> Modules::ListWithdrawn(ModuleAddress address) {
  co_return co_await catalog_.ListWithdrawn(std::move(address));
}

Task<void> Modules::Deprecate(auth::Principal by, ModuleAddress address, Version version,
                              std::string message) {
  CO_RETURN_IF_ERROR(by.Require(Scope::kPublish));
  CO_RETURN_IF_ERROR(by.RequireNamespace(address.ns(), Role::kPublisher));
  bool one_line = message.find_first_of("\r\n\t") == std::string::npos;
  if (message.size() > kLongestText || !IsPlainText(message) || !one_line) {
    co_return FailInvalid(
        "a deprecation's message is one line of at most {} bytes of plain "
        "text, which the version's pages show",
        kLongestText);
  }
  CO_RETURN_IF_ERROR(
      co_await catalog_.Deprecate(std::move(by.actor), address, version, std::move(message)));
  co_return Status();
}

const ModuleVersionRecord& Latest(const std::vector<ModuleVersionRecord>& versions) {
  auto release = std::ranges::find_if(
      versions, [](const ModuleVersionRecord& record) { return !record.version.is_prerelease(); });
  return release == versions.end() ? versions.front() : *release;
}

}  // namespace koya::service
