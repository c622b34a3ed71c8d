#include "service/token_cache.h"

#include <string>
#include <utility>

#include "domain/topic.h"

namespace koya::service {
namespace {

using BearerId = auth::CapabilityBearer::Id;

BearerId IdOf(const Digest& secret) {
  return auth::CapabilityBearer::Of(auth::CapabilityBearer::Kind::kToken, secret).id;
}

std::string_view KeyOf(const BearerId& id) {
  return {reinterpret_cast<const char*>(id.data()), id.size()};
}

std::uint64_t CostOf(const auth::Principal& principal) {
  std::uint64_t cost = sizeof(KnownToken) + principal.name.size();
  for (const std::string& pattern : principal.namespaces) cost += sizeof(pattern) + pattern.size();
  if (!principal.account) return cost;
  cost += sizeof(AccountRights) + principal.account->account.name.size();
  for (const HeldRole& held : principal.account->roles) cost += sizeof(held) + held.ns.size();
  return cost;
}

}  // namespace

std::shared_ptr<const KnownToken> TokenCache::Find(const BearerId& id) {
  if (now_() - seen_until_() > kTrust) return nullptr;
  return tokens_.Find(KeyOf(id));
}

std::shared_ptr<const KnownToken> TokenCache::Find(const Digest& secret) {
  std::shared_ptr<const KnownToken> known = Find(IdOf(secret));
  return known && known->secret == secret ? known : nullptr;
}

std::shared_ptr<const KnownToken> TokenCache::Put(Ticket ticket, const Digest& secret,
                                                  auth::Principal principal) {
  std::string topic = TokenTopic(principal.name);
  std::uint64_t cost = CostOf(principal);
  auto known = std::make_shared<const KnownToken>(secret, std::move(principal));
  tokens_.Put(ticket, std::string(KeyOf(IdOf(known->secret))), std::move(topic), known, cost);
  return known;
}

void TokenCache::Invalidate(std::string_view topic) {
  // Whose rights a grant or a group changes is not looked for: it is seldom.
  tokens_.Invalidate(topic == kAccessTopic ? kEverything : topic);
}

}  // namespace koya::service
