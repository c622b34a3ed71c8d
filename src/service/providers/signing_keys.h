// Manages the keys that sign a namespace's releases: authors' public keys, and a server key for
// authors who have none.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/access.h"
#include "domain/digest.h"
#include "domain/signing_key_record.h"
#include "service/common/new_namespace.h"

namespace koya {
class Catalog;
class WorkerPool;
}  // namespace koya
namespace koya::auth {
struct Principal;
}
namespace koya::signing {
class Sealer;
}

namespace koya::service {

struct SignedDocument {
  std::string signature;  // binary, detached
  std::string key_fingerprint;
};

class SigningKeys {
 public:
  // All arguments must outlive this.
  SigningKeys(Catalog& catalog, const signing::Sealer& sealer, WorkerPool& pool, const Clock& clock,
              DefaultVisibility new_namespaces = Visibility::kPublic)
      : catalog_(catalog),
        sealer_(sealer),
        pool_(pool),
        clock_(clock),
        new_namespaces_(new_namespaces) {}

  struct Added {
    SigningKeyRecord key;
    bool created = false;  // false: it existed, and its record was updated
  };
  enum class Use { kSign, kVerify };
  // Adds all keys in the armored text, or none. With kVerify a new key is recorded like a removed
  // one, which signs no new releases, and may have expired; a known key stays as it is. For owners.
  // Fails: kForbidden; kInvalid (no key, a secret key, a revoked, expired or non-signing one, one
  // that clients cannot use).
  Task<std::vector<Added>> Add(auth::Principal by, std::string ns, std::string text,
                               Use use = Use::kSign);
  // Active keys first, then removed ones. Empty for an unknown namespace.
  Task<std::vector<SigningKeyRecord>> List(std::string ns);
  // Active keys that expire between these moments, inclusive, in namespaces whose keys `by` may
  // change; the earliest first. Empty if `by` may change none.
  Task<std::vector<EndingKey>> ListEnding(auth::Principal by, UnixSeconds from, UnixSeconds until);
  // Fails: kNotFound. For serving: also finds removed keys.
  Task<SigningKeyRecord> FindKey(std::string ns, std::string fingerprint);
  // Removes a key: it signs no new releases, and its earlier signatures stay verifiable. `key_id`:
  // a key id, a fingerprint, or at least the last eight digits; letter case and spaces do not
  // matter. For owners. Fails: kForbidden, kInvalid, kNotFound, kConflict (it matches several
  // keys).
  Task<SigningKeyRecord> Remove(auth::Principal by, std::string ns, std::string key_id);
  // Creates a new server key for the namespace; the previous one signs nothing from then on. For
  // owners. Fails: kForbidden, kConflict (another rotation was faster).
  Task<SigningKeyRecord> Rotate(auth::Principal by, std::string ns);
  // Signs with the namespace's server key, which the first use creates. Fails: kForbidden if the
  // key does not exist yet, the namespace has authors' keys, and `by` lacks the admin scope: a
  // publish token must not stand in for an author's key; kCorrupt if the key's secret cannot be
  // unsealed (server.secret was replaced).
  Task<SignedDocument> Sign(auth::Principal by, std::string ns, std::string document);
  // Fingerprint of the key that Sign() would use; "" if it would create one. Fails: as Sign.
  Task<std::string> FindServerKey(auth::Principal by, std::string ns);

  struct Resealed {
    std::size_t renewed = 0;        // were sealed with server.secret_previous
    std::size_t current = 0;        // were sealed with server.secret already
    std::vector<std::string> lost;  // "acme/FINGERPRINT": sealed with neither
  };
  // Seals all secrets in the catalog with server.secret. Needs the admin scope for all namespaces.
  // Fails: kForbidden.
  Task<Resealed> Reseal(auth::Principal by);

  // A lost signature that Sign() made: its key, the signed document, the digest of the signature,
  // and the time when the release with it was published.
  struct LostSignature {
    std::string ns;
    std::string key_fingerprint;
    std::string document;
    Digest digest;
    UnixSeconds published_at = 0;
  };
  // Makes the signature again, byte for byte. Fails: kNotFound if it was not made here, or if its
  // key has been removed since.
  Task<std::string> SignAgain(LostSignature lost);

 private:
  Task<void> EnsureNamespace(auth::Principal by, std::string ns);
  Task<SigningKeyRecord> MakeServerKey(auth::Principal by, std::string ns, std::string replaces);
  Task<SigningKeyRecord> ServerKey(auth::Principal by, std::string ns);

  Catalog& catalog_;
  const signing::Sealer& sealer_;
  WorkerPool& pool_;
  const Clock& clock_;
  const DefaultVisibility new_namespaces_;
};

}  // namespace koya::service
