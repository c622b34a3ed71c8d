#include "service/token_cache.h"

#include <string>
#include <utility>

#include "domain/topic.h"

namespace koya::service {
namespace {

std::string_view KeyOf(const Digest& secret) {
  return {reinterpret_cast<const char*>(secret.bytes().data()), secret.bytes().size()};
}

std::uint64_t CostOf(const TokenRecord& record) {
  std::uint64_t cost = sizeof(KnownToken) + record.name.size();
  for (const std::string& pattern : record.namespaces) cost += sizeof(pattern) + pattern.size();
  return cost;
}

}  // namespace

std::shared_ptr<const KnownToken> TokenCache::Find(const Digest& secret) {
  if (now_() - seen_until_() > kTrust) return nullptr;
  return tokens_.Find(KeyOf(secret));
}

std::shared_ptr<const KnownToken> TokenCache::Put(Ticket ticket, TokenRecord record) {
  std::string key(KeyOf(record.secret));
  std::string topic = TokenTopic(record.name);
  std::uint64_t cost = CostOf(record);
  auto known = std::make_shared<const KnownToken>(std::move(record));
  tokens_.Put(ticket, std::move(key), std::move(topic), known, cost);
  return known;
}

}  // namespace koya::service
