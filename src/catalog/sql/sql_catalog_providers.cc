// SqlCatalog: providers, the drafts that become their releases, and the keys that sign them.
#include "catalog/sql/draft_catalog.h"
#include "catalog/sql/key_catalog.h"
#include "catalog/sql/provider_catalog.h"
#include "catalog/sql/sql_catalog.h"

namespace koya::sql {

Task<ReleaseOutcome> SqlCatalog::AddRelease(ProviderRelease release,
                                            std::optional<DraftRecord> draft) {
  auto work = [&release, &draft](Session& session) {
    return sql::AddRelease(session, release, draft);
  };
  Result<ReleaseOutcome> outcome = co_await parts_.database->Write(std::move(work));
  if (outcome && outcome->what == ReleaseOutcome::What::kAdded) parts_.signal->Notify();
  co_return outcome;
}

Task<ReleaseOutcome> SqlCatalog::CheckRelease(ProviderAddress address, Version version,
                                              std::optional<Digest> sums) {
  auto work = [&address, &version, &sums](Session& session) {
    return sql::CheckRelease(session, address, version, sums);
  };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<std::vector<ReleaseSummary>> SqlCatalog::ListReleases(ProviderAddress address) {
  auto work = [&address](Session& session) { return sql::ListReleases(session, address); };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<ProviderRelease> SqlCatalog::FindRelease(ProviderAddress address, Version version) {
  auto work = [&address, &version](Session& session) {
    return sql::FindRelease(session, address, version);
  };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<Page<ProviderSummary>> SqlCatalog::ListProviders(ProviderFilter filter, PageRequest page) {
  auto work = [&filter, page](Session& session) {
    return sql::ListProviders(session, filter, page);
  };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<void> SqlCatalog::WithdrawRelease(ProviderAddress address, Version version,
                                       Withdrawal withdrawal) {
  auto work = [&address, &version, &withdrawal](Session& session) {
    return sql::WithdrawRelease(session, address, version, withdrawal);
  };
  Status status = co_await parts_.database->Write(std::move(work));
  if (status) parts_.signal->Notify();
  co_return status;
}

Task<void> SqlCatalog::DeprecateRelease(ProviderAddress address, Version version,
                                        std::string message) {
  auto work = [&address, &version, &message](Session& session) {
    return sql::DeprecateRelease(session, address, version, message);
  };
  Status status = co_await parts_.database->Write(std::move(work));
  if (status) parts_.signal->Notify();
  co_return status;
}

Task<void> SqlCatalog::AddDraft(DraftRecord draft, std::uint64_t most_open) {
  auto work = [&draft, most_open](Session& session) {
    return sql::AddDraft(session, draft, most_open);
  };
  co_return co_await parts_.database->Write(std::move(work));
}

Task<DraftRecord> SqlCatalog::FindDraft(std::string id, UnixSeconds now) {
  auto work = [&id, now](Session& session) { return sql::FindDraft(session, id, now); };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<std::vector<DraftRecord>> SqlCatalog::ListDrafts(ProviderAddress address, Version version,
                                                      UnixSeconds now) {
  auto work = [&address, &version, now](Session& session) {
    return sql::ListDrafts(session, address, version, now);
  };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<void> SqlCatalog::PutDraftFile(std::string id, DraftFile file, UnixSeconds expires_at,
                                    std::uint64_t most_files) {
  auto work = [&id, &file, expires_at, most_files](Session& session) {
    return sql::PutDraftFile(session, id, file, expires_at, most_files);
  };
  co_return co_await parts_.database->Write(std::move(work));
}

Task<void> SqlCatalog::RemoveDraft(std::string id) {
  auto work = [&id](Session& session) { return sql::RemoveDraft(session, id); };
  co_return co_await parts_.database->Write(std::move(work));
}

Task<std::uint64_t> SqlCatalog::RemoveExpiredDrafts(UnixSeconds now) {
  auto work = [now](Session& session) -> Result<std::uint64_t> {
    return sql::RemoveExpiredDrafts(session, now);
  };
  co_return co_await parts_.database->Write(std::move(work));
}

Task<bool> SqlCatalog::AddKey(SigningKeyRecord record) {
  auto work = [&record](Session& session) { return sql::AddKey(session, record); };
  Result<bool> added = co_await parts_.database->Write(std::move(work));
  if (added) parts_.signal->Notify();
  co_return added;
}

Task<std::vector<SigningKeyRecord>> SqlCatalog::ListKeys(std::string ns) {
  auto work = [&ns](Session& session) { return sql::ListKeys(session, ns); };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<SigningKeyRecord> SqlCatalog::FindKey(std::string ns, std::string fingerprint) {
  auto work = [&ns, &fingerprint](Session& session) {
    return sql::FindKey(session, ns, fingerprint);
  };
  co_return co_await parts_.database->Read(std::move(work));
}

Task<void> SqlCatalog::RemoveKey(std::string ns, std::string fingerprint, UnixSeconds at) {
  auto work = [&ns, &fingerprint, at](Session& session) {
    return sql::RemoveKey(session, ns, fingerprint, at);
  };
  Status status = co_await parts_.database->Write(std::move(work));
  if (status) parts_.signal->Notify();
  co_return status;
}

Task<void> SqlCatalog::ReplaceServerKey(SigningKeyRecord record, std::string replaces) {
  auto work = [&record, &replaces](Session& session) {
    return sql::ReplaceServerKey(session, record, replaces);
  };
  Status status = co_await parts_.database->Write(std::move(work));
  if (status) parts_.signal->Notify();
  co_return status;
}

}  // namespace koya::sql
