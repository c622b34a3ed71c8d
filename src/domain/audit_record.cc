#include "domain/audit_record.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/sha256.h"

namespace koya {
namespace {

// Another encoding is another version.
constexpr std::string_view kEncoding = "koya-audit-1";

void HashNumber(Sha256Hasher& hasher, std::uint64_t number) {
  std::array<std::byte, 8> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[bytes.size() - 1 - i] = static_cast<std::byte>(number >> (8 * i));
  }
  hasher.Update(bytes);
}

void HashText(Sha256Hasher& hasher, std::string_view text) {
  HashNumber(hasher, text.size());
  hasher.Update(text);
}

}  // namespace

Digest AuditHash(const AuditAnchor& previous, const AuditEntry& entry) {
  Sha256Hasher hasher;
  hasher.Update(kEncoding);
  hasher.Update(previous.hash.bytes());
  HashNumber(hasher, static_cast<std::uint64_t>(previous.sequence) + 1);
  HashNumber(hasher, static_cast<std::uint64_t>(entry.at));
  HashNumber(hasher, entry.count);
  const Actor& by = entry.by;
  for (std::string_view text :
       {AuditKindName(entry.kind), std::string_view(by.name), std::string_view(by.token),
        std::string_view(by.address), std::string_view(by.user_agent),
        std::string_view(by.request_id), std::string_view(entry.action),
        std::string_view(entry.target), std::string_view(entry.ns), std::string_view(entry.before),
        std::string_view(entry.after)}) {
    HashText(hasher, text);
  }
  return Digest(hasher.Finish());
}

AuditAnchor NextAuditLink(const AuditAnchor& previous, const AuditEntry& entry) {
  return {.sequence = previous.sequence + 1, .hash = AuditHash(previous, entry)};
}

}  // namespace koya
