// SqlCatalog: what is kept of other registries.
#include "catalog/sql/sql_catalog.h"
#include "catalog/sql/upstream_catalog.h"

namespace koya::sql {

Task<HeldDocument> SqlCatalog::FindDocument(std::string key) {
  auto work = [&key](Session& session) { return sql::FindDocument(session, key); };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<void> SqlCatalog::PutDocument(HeldDocument document) {
  auto work = [&document](Session& session) { return sql::PutDocument(session, document); };
  Result<bool> changed = co_await parts_.database->Write(std::move(work));
  if (!changed) co_return Failure(std::move(changed).error());
  if (*changed) parts_.signal->Notify();
  co_return Status();
}

Task<void> SqlCatalog::ConfirmDocument(std::string key, UnixSeconds checked_at) {
  auto work = [&key, checked_at](Session& session) {
    return sql::ConfirmDocument(session, key, checked_at);
  };
  co_return co_await parts_.database->Write(std::move(work));
}

Task<UpstreamRelease> SqlCatalog::PinRelease(UpstreamRelease release, bool add_platforms) {
  auto work = [&release, add_platforms](Session& session) {
    return sql::PinRelease(session, release, add_platforms);
  };
  Result<Pinned<UpstreamRelease>> pinned = co_await parts_.database->Write(std::move(work));
  if (!pinned) co_return Failure(std::move(pinned).error());
  if (pinned->changed) {
    for (const UpstreamPackage& package : pinned->kept.packages) held_uses_.Forget(package.digest);
    parts_.signal->Notify();
  }
  co_return std::move(pinned->kept);
}

Task<UpstreamRelease> SqlCatalog::FindUpstreamRelease(UpstreamProvider provider, Version version) {
  auto work = [&provider, &version](Session& session) {
    return sql::FindUpstreamRelease(session, provider, version);
  };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<std::vector<Version>> SqlCatalog::ListUpstreamVersions(UpstreamProvider provider) {
  auto work = [&provider](Session& session) {
    return sql::ListUpstreamVersions(session, provider);
  };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<std::vector<UpstreamRelease>> SqlCatalog::ListUpstreamReleases(
    std::optional<std::pair<UpstreamProvider, Version>> after, std::uint64_t limit) {
  auto work = [&after, limit](Session& session) {
    return sql::ListUpstreamReleases(session, after, limit);
  };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<void> SqlCatalog::HoldPackage(UpstreamProvider provider, Version version,
                                   UpstreamPackage package) {
  auto work = [&provider, &version, &package](Session& session) {
    return sql::HoldPackage(session, provider, version, package);
  };
  Result<bool> changed = co_await parts_.database->Write(std::move(work));
  if (!changed) co_return Failure(std::move(changed).error());
  held_uses_.Forget(package.digest);
  if (*changed) parts_.signal->Notify();
  co_return Status();
}

Task<UpstreamModuleVersion> SqlCatalog::PinModule(UpstreamModuleVersion version) {
  auto work = [&version](Session& session) { return sql::PinModule(session, version); };
  Result<Pinned<UpstreamModuleVersion>> pinned = co_await parts_.database->Write(std::move(work));
  if (!pinned) co_return Failure(std::move(pinned).error());
  held_uses_.Forget(pinned->kept.digest);
  if (pinned->changed) parts_.signal->Notify();
  co_return std::move(pinned->kept);
}

Task<UpstreamModuleVersion> SqlCatalog::FindUpstreamModule(UpstreamModule module, Version version) {
  auto work = [&module, &version](Session& session) {
    return sql::FindUpstreamModule(session, module, version);
  };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<std::vector<Version>> SqlCatalog::ListUpstreamModuleVersions(UpstreamModule module) {
  auto work = [&module](Session& session) {
    return sql::ListUpstreamModuleVersions(session, module);
  };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<std::vector<UpstreamModuleVersion>> SqlCatalog::ListUpstreamModuleArchives(
    std::optional<std::pair<UpstreamModule, Version>> after, std::uint64_t limit) {
  auto work = [&after, limit](Session& session) {
    return sql::ListUpstreamModuleArchives(session, after, limit);
  };
  co_return co_await parts_.database->Read(std::move(work));
}

// A use of something not held yet must not hide the next one: whatever holds bytes clears the
// memory of it.
Task<void> SqlCatalog::TouchHeld(Digest digest, UnixSeconds at) {
  if (held_uses_.WasNoted(digest, at)) co_return Status();
  auto work = [&digest, at](Session& session) { return sql::TouchHeld(session, digest, at); };
  Status status = co_await parts_.database->Write(std::move(work));
  if (status) held_uses_.Note(digest, at);
  co_return status;
}

Task<std::uint64_t> SqlCatalog::HeldBytes() {
  auto work = [](Session& session) -> Result<std::uint64_t> { return sql::HeldBytes(session); };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<bool> SqlCatalog::ReleasePackage(UpstreamProvider provider, Version version,
                                      Platform platform) {
  auto work = [&](Session& session) {
    return sql::ReleasePackage(session, provider, version, platform);
  };
  Result<bool> last = co_await parts_.database->Write(std::move(work));
  if (last) parts_.signal->Notify();
  co_return last;
}

Task<bool> SqlCatalog::ReleaseModule(UpstreamModule module, Version version) {
  auto work = [&](Session& session) { return sql::ReleaseModule(session, module, version); };
  Result<bool> last = co_await parts_.database->Write(std::move(work));
  if (last) parts_.signal->Notify();
  co_return last;
}

Task<std::uint64_t> SqlCatalog::ReleaseHeld(Digest digest) {
  auto work = [&digest](Session& session) -> Result<std::uint64_t> {
    return sql::ReleaseHeld(session, digest);
  };
  Result<std::uint64_t> named = co_await parts_.database->Write(std::move(work));
  if (named) parts_.signal->Notify();
  co_return named;
}

Task<std::vector<EvictedBlob>> SqlCatalog::EvictHeld(EvictionRule rule) {
  auto work = [&rule](Session& session) { return sql::EvictHeld(session, rule); };
  Result<std::vector<EvictedBlob>> evicted = co_await parts_.database->Write(std::move(work));
  if (evicted) parts_.signal->Notify();
  co_return evicted;
}

}  // namespace koya::sql
