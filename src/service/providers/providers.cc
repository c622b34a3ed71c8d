#include "service/providers/providers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "auth/principal.h"
#include "base/text.h"
#include "blobs/blob_store.h"
#include "catalog/provider_catalog.h"
#include "domain/provider_record.h"
#include "domain/release_file.h"
#include "domain/search_record.h"
#include "domain/withdrawal.h"
#include "service/search/index_queue.h"

namespace koya::service {
namespace {

constexpr std::size_t kLongestWarning = 1000;  // bytes of a warning

// The digest of the release's file of that name.
std::optional<Digest> FindFile(const ProviderRelease& release, std::string_view file) {
  if (file == SumsFileName(release.address, release.version)) return release.sums.digest;
  if (file == SignatureFileName(release.address, release.version)) return release.signature.digest;
  auto package = std::ranges::find(release.packages, file, &ProviderPackage::filename);
  if (package == release.packages.end()) return std::nullopt;
  return package->digest;
}

}  // namespace

Task<std::vector<ReleaseSummary>> Providers::ListVersions(ProviderAddress address) {
  co_return co_await catalog_.ListReleases(std::move(address));
}

Task<ProviderRelease> Providers::FindVersion(ProviderAddress address, Version version) {
  co_return co_await catalog_.FindRelease(std::move(address), std::move(version));
}

Task<Page<ProviderSummary>> Providers::List(ProviderFilter filter, PageRequest page) {
  co_return co_await catalog_.ListProviders(std::move(filter), page);
}

Task<OpenReleaseFile> Providers::OpenFile(ProviderAddress address, Version version,
                                          std::string file) {
  ASSIGN_OR_CO_RETURN(ProviderRelease release, co_await catalog_.FindRelease(address, version));
  std::optional<Digest> digest = FindFile(release, file);
  if (!digest) {
    co_return FailNotFound("{} {} has no file \"{}\"", address.ToString(), version.ToString(),
                           Printable(file));
  }
  auto blob = co_await blobs_.Open(*digest);
  if (!blob && blob.error().kind == ErrorKind::kNotFound) {
    co_return Fail(ErrorKind::kCorrupt,
                   fmt::format("the file {} is missing from this server's storage: publish the "
                               "same release again, or have its operator restore it from a backup",
                               file),
                   "no blob " + digest->ToString());
  }
  if (!blob) co_return std::unexpected(std::move(blob).error());
  co_return OpenReleaseFile{*digest, *std::move(blob)};
}

Task<std::string> Providers::FindSuccessor(ProviderAddress address, Version version,
                                           std::string successor) {
  ASSIGN_OR_CO_RETURN(Version next, Version::ParseLookup(successor));
  if (next != version) {
    Result<ProviderRelease> found = co_await catalog_.FindRelease(address, next);
    if (found) co_return next.ToString();
    const ErrorKind kind = found.error().kind;
    if (kind != ErrorKind::kNotFound && kind != ErrorKind::kGone) {
      co_return Failure(std::move(found).error());
    }
  }
  co_return FailInvalid("{} has no version {} to use instead: name a published one",
                        address.ToString(), next.ToString());
}

Task<void> Providers::Withdraw(auth::Principal by, ProviderAddress address, Version version,
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
  CO_RETURN_IF_ERROR(co_await catalog_.WithdrawRelease(std::move(by.actor), address, version,
                                                       std::move(withdrawal), restorable_for_));
  co_return Status();
}

// A withdrawn release is restored whole or not at all.
Task<void> Providers::CheckBytes(ProviderAddress address, Version version) {
  ASSIGN_OR_CO_RETURN(ReleaseOutcome known,
                      co_await catalog_.CheckRelease(address, version, std::nullopt));
  if (known.what != ReleaseOutcome::What::kWithdrawn) co_return Status();
  const ProviderRelease& release = *known.existing;
  std::vector<Digest> digests{release.sums.digest, release.signature.digest};
  for (const ProviderPackage& package : release.packages) digests.push_back(package.digest);
  for (const Digest& digest : digests) {
    auto blob = co_await blobs_.Open(digest);
    if (blob) continue;
    if (blob.error().kind != ErrorKind::kNotFound) co_return Failure(std::move(blob).error());
    co_return TooLateToRestore(fmt::format("{} {}", address.ToString(), version.ToString()),
                               *known.withdrawal);
  }
  co_return Status();
}

Task<void> Providers::Restore(auth::Principal by, ProviderAddress address, Version version,
                              std::string reason) {
  CO_RETURN_IF_ERROR(by.RequireOwnership(address.ns()));
  CO_RETURN_IF_ERROR(CheckWithdrawalReason(reason));
  CO_RETURN_IF_ERROR(co_await CheckBytes(address, version));
  CO_RETURN_IF_ERROR(
      co_await catalog_.RestoreRelease(std::move(by.actor), address, version, std::move(reason)));
  index_.Add(SearchSubject::Of(address, version));
  co_return Status();
}

Task<std::vector<WithdrawnRelease>> Providers::ListWithdrawn(ProviderAddress address) {
  co_return co_await catalog_.ListWithdrawnReleases(std::move(address));
}

Task<void> Providers::Deprecate(auth::Principal by, ProviderAddress address, Version version,
                                std::string message) {
  CO_RETURN_IF_ERROR(by.Require(Scope::kPublish));
  CO_RETURN_IF_ERROR(by.RequireNamespace(address.ns(), Role::kPublisher));
  // Clients print it as one warning: lines of its own could be taken for the client's words.
  bool one_line = message.find_first_of("\r\n\t") == std::string::npos;
  if (message.size() > kLongestWarning || !IsPlainText(message) || !one_line) {
    co_return FailInvalid(
        "a deprecation's message is one line of at most {} bytes of plain "
        "text, which clients show to the version's users",
        kLongestWarning);
  }
  CO_RETURN_IF_ERROR(co_await catalog_.DeprecateRelease(std::move(by.actor), address, version,
                                                        std::move(message)));
  co_return Status();
}

const ReleaseSummary& Latest(const std::vector<ReleaseSummary>& versions) {
  auto release = std::ranges::find_if(
      versions, [](const ReleaseSummary& each) { return !each.version.is_prerelease(); });
  return release == versions.end() ? versions.front() : *release;
}

}  // namespace koya::service
