// Records of the audit log: every change, and every denied attempt; and their chain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "domain/actor.h"
#include "domain/digest.h"

namespace koya {

enum class AuditKind { kChange, kDenied };

constexpr std::string_view AuditKindName(AuditKind kind) {
  switch (kind) {
    case AuditKind::kChange:
      return "change";
    case AuditKind::kDenied:
      return "denied";
  }
  return "change";
}

// The reverse of AuditKindName.
constexpr std::optional<AuditKind> ParseAuditKind(std::string_view name) {
  for (AuditKind kind : {AuditKind::kChange, AuditKind::kDenied}) {
    if (name == AuditKindName(kind)) return kind;
  }
  return std::nullopt;
}

// An entry to write. `before` and `after` are small JSON objects; "" when there was nothing before,
// or nothing is left after. Secrets are never in them.
struct AuditEntry {
  AuditKind kind = AuditKind::kChange;
  UnixSeconds at = 0;
  Actor by;
  std::string action;  // "module.publish", "token.revoke", "grant.put"; of a denial: the route
  std::string target;  // "module:acme/vpc/aws@1.0.0", "token:ci", "namespace:acme"
  std::string ns;      // namespace concerned, as NamespaceKey; "": none, or several
  std::string before;
  std::string after;
  // For a denial: how often it happened in that minute with the same actor, address, route and
  // status.
  std::uint64_t count = 1;
  friend bool operator==(const AuditEntry&, const AuditEntry&) = default;
};

// A position in the chain (1, 2, 3, …, without gaps) and the hash of everything up to it.
struct AuditAnchor {
  std::int64_t sequence = 0;   // 0: before the first entry
  Digest hash{Sha256Bytes{}};  // at sequence 0: 32 zero bytes
  friend bool operator==(const AuditAnchor&, const AuditAnchor&) = default;
};

// The two ends of the chain.
struct AuditEnds {
  AuditAnchor anchor;  // entries up to and including this one were removed because of their age
  AuditAnchor head;    // the newest linked entry; the anchor if there is none
  friend bool operator==(const AuditEnds&, const AuditEnds&) = default;
};

// An entry in the log.
struct AuditRecord {
  std::int64_t id = 0;  // of the row: grows, with gaps, in the order of writing
  AuditEntry entry;
  // Its position in the chain, and the hash of everything up to it; nullopt: not chained yet.
  std::optional<AuditAnchor> link;
  friend bool operator==(const AuditRecord&, const AuditRecord&) = default;
};

// Selects entries; empty fields do not restrict.
struct AuditFilter {
  static constexpr std::size_t kMostActions = 16;

  std::string actor;  // Actor::name, in any letter case
  // A whole action, or its beginning up to a dot: "token" finds "token.revoke". kMostActions of
  // them with commas between: any of them.
  std::string action;
  std::string target;  // the target's beginning
  std::string ns;      // in any letter case
  std::string address;
  std::string token;  // Actor::token, as written
  std::optional<AuditKind> kind;
  std::optional<UnixSeconds> since;   // inclusive
  std::optional<UnixSeconds> until;   // exclusive
  std::optional<std::int64_t> below;  // only ids below this one: the next page
};

// Chains the entries of the audit log: each carries a hash of itself and of the hash before it.
// With one hash it can be verified that no entry up to there was removed, altered or reordered. The
// hash has no key: it proves integrity only against a hash that was stored elsewhere.
//
// The hash of `entry`, which follows `previous` with the next sequence. SHA-256 of, in this order:
// "koya-audit-1"; the previous hash, bare; the sequence, time and count; then kind, actor's name,
// token, address, user agent and request id, action, target, namespace, before and after. Numbers
// are 8 bytes, the most significant first; each text follows its length, which is such a number.
Digest AuditHash(const AuditAnchor& previous, const AuditEntry& entry);

// The chain link of `entry` after `previous`.
AuditAnchor NextAuditLink(const AuditAnchor& previous, const AuditEntry& entry);

}  // namespace koya
