#include "service/access/token_cache.h"

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "auth/token.h"
#include "domain/account_record.h"
#include "domain/namespace_record.h"
#include "domain/topic.h"

namespace koya::service {
namespace {

using auth::CapabilityBearer;

// What the token is found by, its kind, and the 16 bytes: two entries of one token.
enum class FoundBy : char { kId, kText };
using KnownKey = std::array<char, 2 + std::tuple_size_v<CapabilityBearer::Id>>;

KnownKey KeyOf(FoundBy by, CapabilityBearer::Kind kind, const std::array<std::byte, 16>& bytes) {
  KnownKey key{static_cast<char>(by), static_cast<char>(kind)};
  std::memcpy(key.data() + 2, bytes.data(), bytes.size());
  return key;
}

KnownKey KeyOf(const CapabilityBearer& bearer) {
  return KeyOf(FoundBy::kId, bearer.kind, bearer.id);
}

std::string_view TextOf(const KnownKey& key) { return {key.data(), key.size()}; }

std::uint64_t CostOf(const KnownToken& known) {
  const auth::Principal& principal = known.principal;
  std::uint64_t cost = sizeof(KnownToken) + principal.name.size() + principal.provenance.size();
  if (known.session) cost += known.session->id.size();
  for (const std::string& pattern : principal.namespaces) cost += sizeof(pattern) + pattern.size();
  if (!principal.account) return cost;
  cost += sizeof(AccountRights) + principal.account->account.name.size();
  for (const GrantedRole& held : principal.account->roles) cost += sizeof(held) + held.ns.size();
  return cost;
}

}  // namespace

bool KnownToken::TakeNote(UnixSeconds now) const {
  constexpr UnixSeconds kNoteEvery = 60;
  UnixSeconds before = noted_at;
  // A clock that was set back is no reason to be silent.
  return (now < before || now - before >= kNoteEvery) &&
         noted_at.compare_exchange_strong(before, now);
}

TokenCache::TokenCache(Moment seen_until, Moment now, std::chrono::seconds offline_grace)
    : seen_until_(std::move(seen_until)),
      now_(std::move(now)),
      offline_grace_(offline_grace),
      hasher_(std::make_unique<const auth::TokenTextHasher>()) {}

TokenCache::~TokenCache() = default;

std::shared_ptr<const KnownToken> TokenCache::FindWithin(std::chrono::nanoseconds trust, Kind kind,
                                                         std::string_view text) {
  if (!IsTrusted(trust)) return nullptr;
  const KnownKey key = KeyOf(FoundBy::kText, kind, hasher_->HashOf(text));
  std::shared_ptr<const KnownToken> known = tokens_.Find(TextOf(key));
  if (known) return known;
  // An entry that is found by its id after the ticket was taken, was valid then.
  const Ticket ticket = tokens_.TakeTicket();
  const Digest secret = auth::TokenSecret(text);
  known = tokens_.Find(TextOf(KeyOf(CapabilityBearer::Of(kind, secret))));
  if (!known || known->secret != secret) return nullptr;
  tokens_.Put(ticket, std::string(TextOf(key)), TokenTopic(known->principal.name), known,
              CostOf(*known));
  return known;
}

std::shared_ptr<const KnownToken> TokenCache::FindToken(const CapabilityBearer& bearer) {
  return IsTrusted(kTrust) ? tokens_.Find(TextOf(KeyOf(bearer))) : nullptr;
}

std::shared_ptr<const KnownToken> TokenCache::FindToken(Kind kind, std::string_view text) {
  return FindWithin(kTrust, kind, text);
}

std::shared_ptr<const KnownToken> TokenCache::FindOffline(Kind kind, std::string_view text) {
  return FindWithin(kTrust + offline_grace_, kind, text);
}

std::shared_ptr<const KnownToken> TokenCache::Put(Ticket ticket, const Digest& secret,
                                                  auth::Principal principal,
                                                  std::optional<KnownSession> session) {
  const Kind kind = session ? Kind::kSession : Kind::kToken;
  std::string key(TextOf(KeyOf(CapabilityBearer::Of(kind, secret))));
  std::string topic = TokenTopic(principal.name);
  auto known = std::make_shared<const KnownToken>(secret, std::move(principal), std::move(session));
  tokens_.Put(ticket, std::move(key), std::move(topic), known, CostOf(*known));
  return known;
}

void TokenCache::Invalidate(std::string_view topic) {
  // Whose rights a grant or a group changes is not looked for: it is seldom.
  tokens_.Invalidate(topic == kAccessTopic ? kEverything : topic);
}

}  // namespace koya::service
