#include "service/providers/signing_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "auth/principal.h"
#include "base/offload.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "domain/provider_address.h"
#include "service/common/new_namespace.h"
#include "signing/openpgp.h"
#include "signing/sealer.h"

namespace koya::service {
namespace {

constexpr std::size_t kMostKeys = 100;       // in use, in one namespace
constexpr UnixSeconds kLongestPublish = 60;  // from the signature to the release's time

// Whether there may be namespaces whose keys are theirs to change.
bool MayChangeAny(const auth::Principal& by) {
  const bool is_admin = by.Require(Scope::kAdmin).has_value();
  if (!by.account || by.account->account.admin) return is_admin;
  if (!by.Require(Scope::kPublish)) return false;
  return std::ranges::any_of(by.account->roles,
                             [](const GrantedRole& held) { return held.role == Role::kOwner; });
}

// Whether releases signed with `key` could be published and installed.
Status CheckFitness(const signing::PublicKey& key, SigningKeys::Use use) {
  if (key.revoked) {
    return FailInvalid(
        "the key {} has been revoked by its owner, and "
        "clients reject its signatures: add another key",
        key.key_id);
  }
  const bool ends_matter = use == SigningKeys::Use::kSign;
  if (key.expired && ends_matter) {
    return FailInvalid(
        "the key {} expired on {}: extend it with gpg --quick-set-expire {} "
        "2y, and add it again",
        key.key_id, FormatRfc3339(key.expires_at.value_or(0)), key.fingerprint);
  }
  if (!key.can_sign && !key.expired_signer.empty() && ends_matter) {
    return FailInvalid(
        "the key {} can no longer sign: its signing subkey {} expired on {}. Extend it with "
        "gpg --quick-set-expire {} 2y {}, and add the key again, or add another one",
        key.key_id, key.expired_signer, FormatRfc3339(*key.expires_at), key.fingerprint,
        key.expired_signer);
  }
  if (!key.can_sign && key.expired_signer.empty() && !key.expired) {
    return FailInvalid(
        "the key {} cannot sign: add one with the sign capability (gpg shows "
        "[S] or [SC])",
        key.key_id);
  }
  if (!key.usable_by_clients) {
    return FailInvalid(
        "the key {} is of the kind {}, which clients cannot verify or should "
        "not trust: use RSA of 3072 bits or more, Ed25519 or NIST P-256",
        key.key_id, key.algorithm);
  }
  return {};
}

SigningKeyRecord RecordOf(signing::PublicKey key, std::string ns, const std::string& by,
                          UnixSeconds now) {
  return {.ns = std::move(ns),
          .fingerprint = std::move(key.fingerprint),
          .key_id = std::move(key.key_id),
          .armor = std::move(key.armor),
          .user_ids = std::move(key.user_ids),
          .algorithm = std::move(key.algorithm),
          .created_at = key.created_at,
          .expires_at = key.expires_at,
          .added_at = now,
          .added_by = by};
}

std::string SealContext(const SigningKeyRecord& key) {
  return fmt::format("signing-key/{}/{}", key.ns, key.fingerprint);
}

// The namespace's key that this server signs with, if it has one.
std::optional<SigningKeyRecord> InUse(const std::vector<SigningKeyRecord>& keys) {
  auto found = std::ranges::find_if(keys, [](const SigningKeyRecord& key) {
    return key.server_made && !key.removed_at && !key.sealed_secret.empty();
  });
  if (found == keys.end()) return std::nullopt;
  return *found;
}

// Where authors sign with keys of their own, a publish token alone must not be enough to publish:
// there only an owner lets the server sign.
Status CheckFirstUse(const auth::Principal& by, std::string_view ns,
                     const std::vector<SigningKeyRecord>& keys) {
  bool authors = std::ranges::any_of(
      keys, [](const SigningKeyRecord& key) { return !key.removed_at && !key.server_made; });
  if (!authors || Includes(by.scope, Scope::kAdmin)) return {};
  return FailForbidden(
      "the namespace \"{}\" signs with its authors' keys: sign the release with one of "
      "them, or have an owner create a key for the server first (koya key rotate {})",
      ns, ns);
}

// "0xab cd…" as people paste it: only the digits count.
Result<std::string> ReadKeyId(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::string digits;
  for (char c : text) {
    if (c == ' ') continue;
    bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!hex) {
      digits.clear();
      break;
    }
    digits += c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  if (digits.size() < 8) {
    return FailInvalid(
        "\"{}\" is not a key ID: write its 16 hex digits, "
        "or the fingerprint, as koya key list shows them",
        Printable(text, 80));
  }
  return digits;
}

}  // namespace

Task<std::vector<SigningKeys::Added>> SigningKeys::Add(auth::Principal by, std::string ns,
                                                       std::string text, Use use) {
  CO_RETURN_IF_ERROR(by.RequireOwnership(ns));
  CO_RETURN_IF_ERROR(co_await CheckNamespace(catalog_, ns));
  UnixSeconds now = clock_.Now();
  auto read = [&text, now] { return signing::ReadPublicKeys(text, now); };
  ASSIGN_OR_CO_RETURN(std::vector<signing::PublicKey> keys,
                      co_await Offload(pool_, std::move(read)));
  for (const signing::PublicKey& key : keys) CO_RETURN_IF_ERROR(CheckFitness(key, use));
  ASSIGN_OR_CO_RETURN(std::vector<SigningKeyRecord> present, co_await catalog_.ListKeys(ns));
  auto in_use = std::ranges::count_if(present, [](const auto& key) { return !key.removed_at; });
  if (static_cast<std::size_t>(in_use) + keys.size() > kMostKeys) {
    co_return FailInvalid(
        "the namespace \"{}\" would have more than {} keys: remove those "
        "that are no longer used",
        ns, kMostKeys);
  }
  CO_RETURN_IF_ERROR(co_await EnsureNamespace(by, ns));
  std::vector<Added> added;
  for (signing::PublicKey& key : keys) {
    SigningKeyRecord record = RecordOf(std::move(key), ns, by.name, now);
    if (use == Use::kVerify) {
      auto known = std::ranges::find(present, record.fingerprint, &SigningKeyRecord::fingerprint);
      if (known != present.end()) {
        added.push_back({*known, false});
        continue;
      }
      record.removed_at = now;
    }
    ASSIGN_OR_CO_RETURN(bool created, co_await catalog_.AddKey(by.actor, record));
    ASSIGN_OR_CO_RETURN(record, co_await catalog_.FindKey(ns, record.fingerprint));
    added.push_back({std::move(record), created});
  }
  co_return added;
}

Task<std::vector<SigningKeyRecord>> SigningKeys::List(std::string ns) {
  co_return co_await catalog_.ListKeys(std::move(ns));
}

Task<std::vector<EndingKey>> SigningKeys::ListEnding(auth::Principal by, UnixSeconds from,
                                                     UnixSeconds until) {
  if (!MayChangeAny(by)) co_return std::vector<EndingKey>();
  ASSIGN_OR_CO_RETURN(std::vector<EndingKey> keys, co_await catalog_.ListEndingKeys(from, until));
  std::erase_if(keys, [&by](const EndingKey& key) { return !by.RequireOwnership(key.ns); });
  co_return keys;
}

Task<SigningKeyRecord> SigningKeys::FindKey(std::string ns, std::string fingerprint) {
  co_return co_await catalog_.FindKey(std::move(ns), std::move(fingerprint));
}

Task<SigningKeyRecord> SigningKeys::Remove(auth::Principal by, std::string ns, std::string key_id) {
  CO_RETURN_IF_ERROR(by.RequireOwnership(ns));
  ASSIGN_OR_CO_RETURN(std::string digits, ReadKeyId(key_id));
  ASSIGN_OR_CO_RETURN(std::vector<SigningKeyRecord> keys, co_await catalog_.ListKeys(ns));
  std::erase_if(keys, [&digits](const SigningKeyRecord& key) {
    return key.removed_at || !key.fingerprint.ends_with(digits);
  });
  if (keys.empty()) {
    co_return FailNotFound(
        "the namespace \"{}\" has no key {} in use: koya key list {} shows "
        "those that it has",
        ns, digits, ns);
  }
  if (keys.size() > 1) {
    co_return FailConflict(
        "{} keys of the namespace \"{}\" end with {}: write the whole "
        "fingerprint",
        keys.size(), ns, digits);
  }
  CO_RETURN_IF_ERROR(
      co_await catalog_.RemoveKey(std::move(by.actor), ns, keys.front().fingerprint, clock_.Now()));
  co_return std::move(keys.front());
}

Task<void> SigningKeys::EnsureNamespace(auth::Principal by, std::string ns) {
  NamespaceRecord record{.name = std::move(ns),
                         .visibility = new_namespaces_.get(),
                         .created_at = clock_.Now(),
                         .created_by = std::move(by.name)};
  co_return co_await RecordNamespace(catalog_, std::move(by.actor), std::move(record));
}

Task<SigningKeyRecord> SigningKeys::MakeServerKey(auth::Principal by, std::string ns,
                                                  std::string replaces) {
  CO_RETURN_IF_ERROR(co_await EnsureNamespace(by, ns));
  UnixSeconds now = clock_.Now();
  std::string user_id = fmt::format("{} (signed by Koya)", ns);
  auto generate = [&user_id, now] { return signing::GenerateKey(user_id, now); };
  ASSIGN_OR_CO_RETURN(signing::GeneratedKey made, co_await Offload(pool_, std::move(generate)));
  SigningKeyRecord record = RecordOf(std::move(made.public_key), std::move(ns), by.name, now);
  record.server_made = true;
  record.sealed_secret = sealer_.Seal(SealContext(record), made.secret);
  CO_RETURN_IF_ERROR(
      co_await catalog_.ReplaceServerKey(std::move(by.actor), record, std::move(replaces)));
  co_return record;
}

Task<SigningKeyRecord> SigningKeys::ServerKey(auth::Principal by, std::string ns) {
  ASSIGN_OR_CO_RETURN(std::vector<SigningKeyRecord> keys, co_await catalog_.ListKeys(ns));
  std::optional<SigningKeyRecord> key = InUse(keys);
  if (key) co_return *std::move(key);
  CO_RETURN_IF_ERROR(CheckFirstUse(by, ns, keys));
  Result<SigningKeyRecord> made = co_await MakeServerKey(std::move(by), ns, "");
  if (made || made.error().kind != ErrorKind::kConflict) co_return made;
  // Another server made one this very moment.
  ASSIGN_OR_CO_RETURN(keys, co_await catalog_.ListKeys(ns));
  key = InUse(keys);
  if (key) co_return *std::move(key);
  co_return made;
}

Task<SigningKeys::Resealed> SigningKeys::Reseal(auth::Principal by) {
  CO_RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  CO_RETURN_IF_ERROR(by.RequireAllNamespaces());
  ASSIGN_OR_CO_RETURN(std::vector<SigningKeyRecord> keys, co_await catalog_.ListSealedKeys());
  Resealed done;
  for (const SigningKeyRecord& key : keys) {
    Result<std::optional<std::string>> renewed = sealer_.Renew(SealContext(key), key.sealed_secret);
    if (!renewed) {
      done.lost.push_back(fmt::format("{}/{}", key.ns, key.fingerprint));
    } else if (!*renewed) {
      ++done.current;
    } else {
      Status stored = co_await catalog_.ResealKey(by.actor, key, **renewed);
      // kConflict: another request removed the key, or sealed it again, in the meantime.
      if (!stored && stored.error().kind != ErrorKind::kConflict) {
        co_return std::unexpected(std::move(stored).error());
      }
      ++done.renewed;
    }
  }
  co_return done;
}

Task<SigningKeyRecord> SigningKeys::Rotate(auth::Principal by, std::string ns) {
  CO_RETURN_IF_ERROR(by.RequireOwnership(ns));
  CO_RETURN_IF_ERROR(co_await CheckNamespace(catalog_, ns));
  ASSIGN_OR_CO_RETURN(std::vector<SigningKeyRecord> keys, co_await catalog_.ListKeys(ns));
  std::optional<SigningKeyRecord> key = InUse(keys);
  std::string replaces = key ? key->fingerprint : std::string();
  co_return co_await MakeServerKey(std::move(by), std::move(ns), std::move(replaces));
}

Task<SignedDocument> SigningKeys::Sign(auth::Principal by, std::string ns, std::string document) {
  CO_RETURN_IF_ERROR(by.Require(Scope::kPublish));
  CO_RETURN_IF_ERROR(by.RequireNamespace(ns, Role::kPublisher));
  ASSIGN_OR_CO_RETURN(SigningKeyRecord key, co_await ServerKey(std::move(by), std::move(ns)));
  ASSIGN_OR_CO_RETURN(std::string secret, sealer_.Unseal(SealContext(key), key.sealed_secret));
  UnixSeconds now = clock_.Now();
  auto sign = [&document, &secret, now] { return signing::SignDetached(document, secret, now); };
  ASSIGN_OR_CO_RETURN(std::string signature, co_await Offload(pool_, std::move(sign)));
  co_return SignedDocument{std::move(signature), std::move(key.fingerprint)};
}

Task<std::string> SigningKeys::FindServerKey(auth::Principal by, std::string ns) {
  CO_RETURN_IF_ERROR(by.Require(Scope::kPublish));
  CO_RETURN_IF_ERROR(by.RequireNamespace(ns, Role::kPublisher));
  ASSIGN_OR_CO_RETURN(std::vector<SigningKeyRecord> keys, co_await catalog_.ListKeys(ns));
  std::optional<SigningKeyRecord> key = InUse(keys);
  if (!key) {
    CO_RETURN_IF_ERROR(CheckFirstUse(by, ns, keys));
    co_return std::string();
  }
  CO_RETURN_IF_ERROR(sealer_.Unseal(SealContext(*key), key->sealed_secret));
  co_return std::move(key->fingerprint);
}

Task<std::string> SigningKeys::SignAgain(LostSignature lost) {
  ASSIGN_OR_CO_RETURN(SigningKeyRecord key,
                      co_await catalog_.FindKey(lost.ns, lost.key_fingerprint));
  if (key.sealed_secret.empty()) {
    co_return FailNotFound("this server does not have the key's secret half");
  }
  ASSIGN_OR_CO_RETURN(std::string secret, sealer_.Unseal(SealContext(key), key.sealed_secret));
  // Ed25519 makes the same of the same: only the second in which it signed has to be found.
  auto sign = [&lost, &secret]() -> Result<std::string> {
    for (UnixSeconds ago = 0; ago <= kLongestPublish; ++ago) {
      ASSIGN_OR_RETURN(std::string signature,
                       signing::SignDetached(lost.document, secret, lost.published_at - ago));
      if (Digest::Of(signature) == lost.digest) return signature;
    }
    return FailNotFound("this server did not make that signature");
  };
  co_return co_await Offload(pool_, std::move(sign));
}

}  // namespace koya::service
