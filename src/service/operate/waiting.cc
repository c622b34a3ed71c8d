#include "service/operate/waiting.h"

#include <utility>

#include "service/access/tokens.h"
#include "service/providers/signing_keys.h"

namespace koya::service {
namespace {

// Returns whether there were more.
template <typename Thing>
bool CutToMost(std::vector<Thing>& things) {
  const bool more = things.size() > Waiting::kMost;
  if (more) things.erase(things.begin() + Waiting::kMost, things.end());
  return more;
}

}  // namespace

Task<ExpiryReminders> Waiting::FindReminders(auth::Principal by) {
  const UnixSeconds now = clock_.Now();
  const UnixSeconds from = now - std::chrono::seconds(kAfter).count();
  const UnixSeconds tokens_until = now + std::chrono::seconds(kTokenEndsSoon).count();
  const UnixSeconds keys_until = now + std::chrono::seconds(kKeysBefore).count();
  ExpiryReminders things;
  ASSIGN_OR_CO_RETURN(things.tokens, co_await tokens_.ListEnding(by, from, tokens_until));
  ASSIGN_OR_CO_RETURN(things.keys, co_await keys_.ListEnding(std::move(by), from, keys_until));
  things.has_more_tokens = CutToMost(things.tokens);
  things.has_more_keys = CutToMost(things.keys);
  co_return things;
}

}  // namespace koya::service
