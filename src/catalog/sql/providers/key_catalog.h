// Implements KeyCatalog: signing keys in the database.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/key_catalog.h"
#include "catalog/sql/engine/executor.h"

namespace koya::sql {

class SqlKeys : public virtual KeyCatalog {
 public:
  explicit SqlKeys(Executor& transactions) : transactions_(transactions) {}

  Task<bool> AddKey(Actor by, SigningKeyRecord record) override;
  Task<std::vector<SigningKeyRecord>> ListKeys(std::string ns) override;
  Task<std::vector<SigningKeyRecord>> ListSealedKeys() override;
  Task<std::vector<EndingKey>> ListEndingKeys(UnixSeconds from, UnixSeconds until) override;
  Task<void> ResealKey(Actor by, SigningKeyRecord key, std::string sealed_secret) override;
  Task<SigningKeyRecord> FindKey(std::string ns, std::string fingerprint) override;
  Task<void> RemoveKey(Actor by, std::string ns, std::string fingerprint, UnixSeconds at) override;
  Task<void> ReplaceServerKey(Actor by, SigningKeyRecord record, std::string replaces) override;

 private:
  Executor& transactions_;
};

// Prevents the removal of a key that may sign new releases until the caller's transaction ends.
// Fails: kConflict when the namespace has no such key, or it was removed.
Status HoldKeyInUse(Session& session, const std::string& ns, const std::string& fingerprint);

}  // namespace koya::sql
