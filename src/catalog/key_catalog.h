// Part of the catalog (catalog.h): the keys that sign releases of providers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"

namespace koya {

struct Actor;
struct EndingKey;
struct SigningKeyRecord;

// Whatever changes something for people takes who does it first: the audit log says so (see
// AuditCatalog), in the same transaction.
class KeyCatalog {
 public:
  virtual ~KeyCatalog() = default;
  // Adds a key to its namespace, or replaces what is kept of it under the same fingerprint (a newer
  // armor), un-removing it; its sealed secret and `server_made` then stay as they were. Returns
  // whether it is new to the namespace (a removed one is not). Everything that shows keys changes;
  // nothing does when the same key is in use already.
  virtual Task<bool> AddKey(Actor by, SigningKeyRecord record) = 0;
  // All of a namespace: those in use first, then the removed ones, each by time of addition.
  virtual Task<std::vector<SigningKeyRecord>> ListKeys(std::string ns) = 0;
  // Those with a sealed secret, of all namespaces, by namespace and fingerprint.
  virtual Task<std::vector<SigningKeyRecord>> ListSealedKeys() = 0;
  // Those in use that end between these moments, both included, of all namespaces: what ends first
  // comes first, kMostEndingKeys at most.
  static constexpr std::int64_t kMostEndingKeys = 1000;
  virtual Task<std::vector<EndingKey>> ListEndingKeys(UnixSeconds from, UnixSeconds until) = 0;
  // Puts another sealed text in the place of one. Nothing changes for whoever reads documents.
  // Fails: kConflict when it is another one by now: the key was removed, or resealed.
  virtual Task<void> ResealKey(Actor by, SigningKeyRecord key, std::string sealed_secret) = 0;
  // Removed keys too: old releases name them. Fails: kNotFound.
  virtual Task<SigningKeyRecord> FindKey(std::string ns, std::string fingerprint) = 0;
  // Marks it removed and forgets its sealed secret. Fails: kNotFound (also when it was removed).
  virtual Task<void> RemoveKey(Actor by, std::string ns, std::string fingerprint,
                               UnixSeconds at) = 0;
  // Adds a key that this server made in place of the one it used (`replaces`, "" for none), which
  // is removed as by RemoveKey. Fails: kConflict when the namespace's server key in use is not
  // `replaces`: another server was faster.
  virtual Task<void> ReplaceServerKey(Actor by, SigningKeyRecord record, std::string replaces) = 0;
};

}  // namespace koya
