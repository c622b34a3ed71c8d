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
