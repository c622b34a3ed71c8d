// The catalog on an SQL database: hands each operation to the database's threads.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/sql/change_signal.h"
#include "catalog/sql/data_lock.h"
#include "catalog/sql/database.h"
#include "catalog/sql/held_blob.h"
#include "catalog/sql/postgres_listener.h"
#include "catalog/sql/recent_uses.h"
#include "catalog/sql/token_catalog.h"

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

  Task<ReleaseOutcome> AddRelease(ProviderRelease release,
                                  std::optional<DraftRecord> draft) override;
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

  Task<std::vector<Digest>> FindUnreferenced(std::vector<Digest> digests) override;

  Task<void> AddToken(TokenRecord record) override;
  Task<TokenRecord> FindToken(Digest secret) override;
  Task<std::vector<TokenRecord>> ListTokens() override;
  Task<void> RevokeToken(std::string name) override;
  Task<void> TouchToken(Digest secret, UnixSeconds at) override;

  Task<HeldDocument> FindDocument(std::string key) override;
  Task<void> PutDocument(HeldDocument document) override;
  Task<void> ConfirmDocument(std::string key, UnixSeconds checked_at) override;
  Task<UpstreamRelease> PinRelease(UpstreamRelease release, bool add_platforms) override;
  Task<UpstreamRelease> FindUpstreamRelease(UpstreamProvider provider, Version version) override;
  Task<std::vector<Version>> ListUpstreamVersions(UpstreamProvider provider) override;
  Task<std::vector<UpstreamRelease>> ListUpstreamReleases(
      std::optional<std::pair<UpstreamProvider, Version>> after, std::uint64_t limit) override;
  Task<void> HoldPackage(UpstreamProvider provider, Version version,
                         UpstreamPackage package) override;
  Task<UpstreamModuleVersion> PinModule(UpstreamModuleVersion version) override;
  Task<UpstreamModuleVersion> FindUpstreamModule(UpstreamModule module, Version version) override;
  Task<std::vector<Version>> ListUpstreamModuleVersions(UpstreamModule module) override;
  Task<std::vector<UpstreamModuleVersion>> ListUpstreamModuleArchives(
      std::optional<std::pair<UpstreamModule, Version>> after, std::uint64_t limit) override;
  Task<void> TouchHeld(Digest digest, UnixSeconds at) override;
  Task<std::uint64_t> HeldBytes() override;
  Task<bool> ReleasePackage(UpstreamProvider provider, Version version, Platform platform) override;
  Task<bool> ReleaseModule(UpstreamModule module, Version version) override;
  Task<std::uint64_t> ReleaseHeld(Digest digest) override;
  Task<std::vector<EvictedBlob>> EvictHeld(EvictionRule rule) override;

  Task<std::int64_t> LatestChange() override;
  Task<std::vector<Change>> ChangesSince(std::int64_t sequence) override;
  Task<void> WaitForChange() override;

 private:
  Parts parts_;
  RecentUses token_uses_{kTouchEvery};  // what this server noted lately
  RecentUses held_uses_{kTouchHeldEvery};
};

}  // namespace koya::sql
