// The catalog on an SQL database: hands each operation to the database's threads.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "catalog/catalog.h"
#include "catalog/sql/change_signal.h"
#include "catalog/sql/data_lock.h"
#include "catalog/sql/database.h"
#include "catalog/sql/postgres_listener.h"

namespace koya::sql {

class SqlCatalog final : public Catalog {
 public:
  // Ends from the last to the first. SQLite has a lock and no listener, PostgreSQL the reverse.
  struct Parts {
    std::optional<DataLock> lock;
    std::unique_ptr<ChangeSignal> signal;
    std::unique_ptr<Database> database;
    std::unique_ptr<PostgresListener> listener;  // notifies `signal`
  };
  explicit SqlCatalog(Parts parts) : parts_(std::move(parts)) {}

  Task<AddOutcome> AddVersion(ModuleVersionRecord record) override;
  Task<std::vector<ModuleVersionRecord>> ListVersions(ModuleAddress address) override;
  Task<ModuleVersionRecord> FindVersion(ModuleAddress address, Version version) override;
  Task<AddOutcome> CheckVersion(ModuleAddress address, Version version,
                                std::optional<Digest> upload) override;
  Task<Page<ModuleSummary>> ListModules(ModuleFilter filter, PageRequest page) override;
  Task<void> Withdraw(ModuleAddress address, Version version, Withdrawal withdrawal) override;

  Task<ReleaseOutcome> AddRelease(ProviderRelease release, std::string draft_id) override;
  Task<ReleaseOutcome> CheckRelease(ProviderAddress address, Version version,
                                    std::optional<Digest> sums) override;
  Task<std::vector<ReleaseSummary>> ListReleases(ProviderAddress address) override;
  Task<ProviderRelease> FindRelease(ProviderAddress address, Version version) override;
  Task<Page<ProviderSummary>> ListProviders(ProviderFilter filter, PageRequest page) override;
  Task<void> WithdrawRelease(ProviderAddress address, Version version,
                             Withdrawal withdrawal) override;
  Task<void> DeprecateRelease(ProviderAddress address, Version version,
                              std::string message) override;

  Task<void> AddDraft(DraftRecord draft, std::uint64_t most_open) override;
  Task<DraftRecord> FindDraft(std::string id, UnixSeconds now) override;
  Task<std::vector<DraftRecord>> ListDrafts(ProviderAddress address, Version version,
                                            UnixSeconds now) override;
  Task<void> PutDraftFile(std::string id, DraftFile file, UnixSeconds expires_at,
                          std::uint64_t most_files) override;
  Task<void> RemoveDraft(std::string id) override;
  Task<std::uint64_t> RemoveExpiredDrafts(UnixSeconds now) override;

  Task<bool> AddKey(SigningKeyRecord record) override;
  Task<std::vector<SigningKeyRecord>> ListKeys(std::string ns) override;
  Task<SigningKeyRecord> FindKey(std::string ns, std::string fingerprint) override;
  Task<void> RemoveKey(std::string ns, std::string fingerprint, UnixSeconds at) override;
  Task<void> ReplaceServerKey(SigningKeyRecord record, std::string replaces) override;

  Task<bool> IsBlobReferenced(Digest digest) override;

  Task<void> AddToken(TokenRecord record) override;
  Task<TokenRecord> FindToken(Digest secret) override;
  Task<std::vector<TokenRecord>> ListTokens() override;
  Task<void> RevokeToken(std::string name) override;
  Task<void> TouchToken(Digest secret, UnixSeconds at) override;

  Task<std::int64_t> LatestChange() override;
  Task<std::vector<Change>> ChangesSince(std::int64_t sequence) override;
  Task<void> WaitForChange() override;

 private:
  bool WasTouched(const Digest& secret, UnixSeconds at);

  Parts parts_;
  std::mutex touched_mutex_;                         // never held over an await
  std::unordered_map<Digest, UnixSeconds> touched_;  // what this server noted lately
};

}  // namespace koya::sql
