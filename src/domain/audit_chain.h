// Chains the entries of the audit log: each carries a hash of itself and of the hash before it.
// With one hash it can be verified that no entry up to there was removed, altered or reordered. The
// hash has no key: it proves integrity only against a hash that was stored elsewhere.
#pragma once

namespace koya {

struct AuditAnchor;
struct AuditEntry;
class Digest;

// The hash of `entry`, which follows `previous` with the next sequence. SHA-256 of, in this order:
// "koya-audit-1"; the previous hash, bare; the sequence, time and count; then kind, actor's name,
// token, address, user agent and request id, action, target, namespace, before and after. Numbers
// are 8 bytes, the most significant first; each text follows its length, which is such a number.
Digest AuditHash(const AuditAnchor& previous, const AuditEntry& entry);

// The chain link of `entry` after `previous`.
AuditAnchor NextAuditLink(const AuditAnchor& previous, const AuditEntry& entry);

}  // namespace koya
