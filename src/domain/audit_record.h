// The audit log: every change, and every attempt that was denied.
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

// The reverse.
constexpr std::optional<AuditKind> ParseAuditKind(std::string_view name) {
  for (AuditKind kind : {AuditKind::kChange, AuditKind::kDenied}) {
    if (name == AuditKindName(kind)) return kind;
  }
  return std::nullopt;
}

// What is written. `before` and `after` are small JSON objects, or "" where there is nothing to say
// (what was not there before; what is gone). Secrets are never in them.
struct AuditEntry {
  AuditKind kind = AuditKind::kChange;
  UnixSeconds at = 0;
  Actor by;
  std::string action;  // "module.publish", "token.revoke", "grant.put"; of a denial: the route
  std::string target;  // "module:acme/vpc/aws@1.0.0", "token:ci", "namespace:acme"
  std::string ns;      // the namespace it is about, as NamespaceKey; "": none, or several
  std::string before;
  std::string after;
  // Of a denial: how many there were, of the same actor, address, route and status, in that minute.
  std::uint64_t count = 1;
  friend bool operator==(const AuditEntry&, const AuditEntry&) = default;
};

// A place in the chain (1, 2, 3, …, without gaps) and the hash of everything up to it.
struct AuditAnchor {
  std::int64_t sequence = 0;   // 0: before the first entry
  Digest hash{Sha256Bytes{}};  // of sequence 0: 32 zero bytes
  friend bool operator==(const AuditAnchor&, const AuditAnchor&) = default;
};

// Where the chain begins and ends.
struct AuditEnds {
  AuditAnchor anchor;  // entries up to and with this one were removed, since they were old
  AuditAnchor head;    // the newest that is linked; the anchor when there is none
  friend bool operator==(const AuditEnds&, const AuditEnds&) = default;
};

// One that is in the log.
struct AuditRecord {
  std::int64_t id = 0;  // of the row: grows, with gaps; the order of writing
  AuditEntry entry;
  // Its place in the chain, and the hash of everything up to it; nullopt: not chained yet.
  std::optional<AuditAnchor> link;
  friend bool operator==(const AuditRecord&, const AuditRecord&) = default;
};

// What is asked for; empty fields do not restrict.
struct AuditFilter {
  std::string actor;  // Actor::name, in any letter case
  // The whole of it, or its beginning up to a dot: "token" finds "token.revoke".
  std::string action;
  std::string target;  // its beginning
  std::string ns;      // in any letter case
  std::string address;
  std::string token;  // Actor::token, as it is written
  std::optional<AuditKind> kind;
  std::optional<UnixSeconds> since;   // from then on
  std::optional<UnixSeconds> until;   // before then
  std::optional<std::int64_t> below;  // ids before this one: the next page
};

}  // namespace koya
