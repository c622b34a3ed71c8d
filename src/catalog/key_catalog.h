// KeyCatalog is the part of the catalog (catalog.h) that stores the keys that sign releases of
// providers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"

namespace koya::sql {
class Executor;
}  // namespace koya::sql

namespace koya {

struct Actor;
struct EndingKey;
struct SigningKeyRecord;

// Methods that change something for users take the acting caller first, and write the audit log
// entry in the same transaction (see AuditCatalog).
class KeyCatalog {
 public:
  explicit KeyCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // Adds a key to its namespace, or replaces the stored one with the same fingerprint (a newer
  // armor) and undoes its removal; its sealed secret and `server_made` then stay unchanged. Returns
  // whether the key is new to the namespace (a removed one is not). Changes everything that shows
  // keys, or nothing when the same key is in use already.
  Task<bool> AddKey(Actor by, SigningKeyRecord record);
  // All keys of a namespace: those in use first, then the removed ones, each by time of addition.
  Task<std::vector<SigningKeyRecord>> ListKeys(std::string ns);
  // Keys with a sealed secret, of all namespaces, by namespace and fingerprint.
  Task<std::vector<SigningKeyRecord>> ListSealedKeys();
  // Keys in use that expire between these moments, both included, of all namespaces: earliest
  // expiry first, at most kMostEndingKeys.
  static constexpr std::int64_t kMostEndingKeys = 1000;
  Task<std::vector<EndingKey>> ListEndingKeys(UnixSeconds from, UnixSeconds until);
  // Replaces the sealed secret. Documents do not change.
  // Fails: kConflict when the stored key is another one by now: it was removed, or resealed.
  Task<void> ResealKey(Actor by, SigningKeyRecord key, std::string sealed_secret);
  // Finds removed keys too, since old releases name them. Fails: kNotFound.
  Task<SigningKeyRecord> FindKey(std::string ns, std::string fingerprint);
  // Marks the key as removed and deletes its sealed secret. Fails: kNotFound (also when it was
  // removed).
  Task<void> RemoveKey(Actor by, std::string ns, std::string fingerprint, UnixSeconds at);
  // Adds a key that this server made to replace the one it used (`replaces`, "" for none), and
  // removes that as RemoveKey does. Fails: kConflict when the namespace's server key in use is not
  // `replaces`: another server was faster.
  Task<void> ReplaceServerKey(Actor by, SigningKeyRecord record, std::string replaces);

 private:
  sql::Executor& transactions_;
};

}  // namespace koya
