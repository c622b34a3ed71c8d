// The keys that a namespace's releases are signed with: authors' public keys, and one that this
// server makes for authors who have none.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/digest.h"
#include "domain/signing_key_record.h"
#include "domain/visibility.h"
#include "service/default_visibility.h"

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
  // Everything given must outlive this.
  SigningKeys(Catalog& catalog, const signing::Sealer& sealer, WorkerPool& pool, const Clock& clock,
              DefaultVisibility new_namespaces = Visibility::kPublic)
      : catalog_(catalog),
        sealer_(sealer),
        pool_(pool),
        clock_(clock),
        new_namespaces_(new_namespaces) {}

  struct Added {
    SigningKeyRecord key;
    bool created = false;  // false: it was there, and what is kept of it was renewed
  };
  // Adds every key in the armored text, or none. For owners. Fails: kForbidden; kInvalid
  // (no key, a secret key, a revoked, expired or non-signing one, one that clients cannot use).
  Task<std::vector<Added>> Add(auth::Principal by, std::string ns, std::string text);
  // Those in use first, then the removed ones. An unknown namespace has none.
  Task<std::vector<SigningKeyRecord>> List(std::string ns);
  // Those in use, of the namespaces whose keys `by` may change, that end between these moments,
  // both included: what ends first comes first. Of who may change none, none.
  Task<std::vector<EndingKey>> ListEnding(auth::Principal by, UnixSeconds from, UnixSeconds until);
  // Fails: kNotFound. For serving: removed keys are found.
  Task<SigningKeyRecord> Find(std::string ns, std::string fingerprint);
  // `key_id`: a key id, a fingerprint, or the last eight digits at least; letter case and spaces do
  // not matter. It signs no new releases from here on; what it signed stays verifiable. For
  // owners. Fails: kForbidden, kInvalid, kNotFound, kConflict (it names several keys).
  Task<SigningKeyRecord> Remove(auth::Principal by, std::string ns, std::string key_id);
  // Makes a new server key for the namespace; the one before it signs no more. For owners.
  // Fails: kForbidden, kConflict (another rotation was faster).
  Task<SigningKeyRecord> Rotate(auth::Principal by, std::string ns);
  // Signs with the namespace's server key, made on first use. Fails: kForbidden when there is none
  // yet, the namespace has authors' keys, and `by` has not the admin scope: a publish token must
  // not stand in for an author's key; kCorrupt when the secret does not open (server.secret was
  // replaced).
  Task<SignedDocument> Sign(auth::Principal by, std::string ns, std::string document);
  // The fingerprint of the key that Sign() would sign with; "" when it would make one. Fails: as
  // Sign.
  Task<std::string> FindServerKey(auth::Principal by, std::string ns);

  struct Resealed {
    std::size_t renewed = 0;        // they were sealed with server.secret_previous
    std::size_t current = 0;        // with server.secret already
    std::vector<std::string> lost;  // "acme/FINGERPRINT": with neither
  };
  // Seals every secret in the catalog with server.secret. Needs the admin scope for all namespaces.
  // Fails: kForbidden.
  Task<Resealed> Reseal(auth::Principal by);

  // A signature that Sign() made, byte for byte, when it got lost: of which key, over what, its
  // digest, and when the release with it was published.
  struct LostSignature {
    std::string ns;
    std::string key_fingerprint;
    std::string document;
    Digest digest;
    UnixSeconds published_at = 0;
  };
  // Fails: kNotFound when it was not made here, or its key has been removed since.
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
