#include "service/access/token_cache.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "domain/account_record.h"
#include "domain/namespace_record.h"
#include "domain/topic.h"

namespace koya::service {
namespace {

using auth::CapabilityBearer;

// Kind of the credential, and the first bytes of its secret.
using KnownKey = std::array<char, 1 + std::tuple_size_v<CapabilityBearer::Id>>;

KnownKey KeyOf(const CapabilityBearer& bearer) {
  KnownKey key;
  key[0] = static_cast<char>(bearer.kind);
  std::ranges::transform(bearer.id, key.begin() + 1, [](std::byte b) { return char(b); });
  return key;
}

std::string_view TextOf(const KnownKey& key) { return {key.data(), key.size()}; }

std::uint64_t CostOf(const auth::Principal& principal) {
  std::uint64_t cost = sizeof(KnownToken) + principal.name.size() + principal.provenance.size();
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

std::shared_ptr<const KnownToken> TokenCache::FindWithin(std::chrono::nanoseconds trust,
                                                         const CapabilityBearer& bearer) {
  if (now_() - seen_until_() > trust) return nullptr;
  return tokens_.Find(TextOf(KeyOf(bearer)));
}

std::shared_ptr<const KnownToken> TokenCache::FindToken(const CapabilityBearer& bearer) {
  return FindWithin(kTrust, bearer);
}

std::shared_ptr<const KnownToken> TokenCache::FindOffline(Kind kind, const Digest& secret) {
  std::shared_ptr<const KnownToken> known =
      FindWithin(kTrust + offline_grace_, CapabilityBearer::Of(kind, secret));
  return known && known->secret == secret ? known : nullptr;
}

std::shared_ptr<const KnownToken> TokenCache::FindToken(Kind kind, const Digest& secret) {
  std::shared_ptr<const KnownToken> known = FindToken(CapabilityBearer::Of(kind, secret));
  return known && known->secret == secret ? known : nullptr;
}

std::shared_ptr<const KnownToken> TokenCache::Put(Ticket ticket, const Digest& secret,
                                                  auth::Principal principal,
                                                  std::optional<KnownSession> session) {
  const Kind kind = session ? Kind::kSession : Kind::kToken;
  std::string key(TextOf(KeyOf(CapabilityBearer::Of(kind, secret))));
  std::string topic = TokenTopic(principal.name);
  std::uint64_t cost = CostOf(principal) + (session ? session->id.size() : 0);
  auto known = std::make_shared<const KnownToken>(secret, std::move(principal), std::move(session));
  tokens_.Put(ticket, std::move(key), std::move(topic), known, cost);
  return known;
}

void TokenCache::Invalidate(std::string_view topic) {
  // Whose rights a grant or a group changes is not looked for: it is seldom.
  tokens_.Invalidate(topic == kAccessTopic ? kEverything : topic);
}

}  // namespace koya::service
