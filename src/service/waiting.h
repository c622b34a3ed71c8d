// What waits for somebody: what of theirs ends soon, or has ended lately.
// Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "base/task.h"
#include "domain/signing_key_record.h"
#include "domain/token_record.h"

namespace koya::auth {
struct Principal;
}

namespace koya::service {

class SigningKeys;
class Tokens;

// What ends first comes first, Waiting::kMost at most of each.
struct WaitingThings {
  std::vector<TokenRecord> tokens;  // of their own account
  bool has_more_tokens = false;
  std::vector<EndingKey> keys;  // of namespaces that they own
  bool has_more_keys = false;
};

class Waiting {
 public:
  static constexpr std::size_t kMost = 5;
  // From when on it is told that something will end, and for how long that it has.
  static constexpr std::chrono::days kTokensBefore{14};
  static constexpr std::chrono::days kKeysBefore{30};
  static constexpr std::chrono::days kAfter{7};

  // Everything given must outlive this.
  Waiting(Tokens& tokens, SigningKeys& keys, const Clock& clock)
      : tokens_(tokens), keys_(keys), clock_(clock) {}

  // Nothing that `by` may not see elsewhere; of whoever acts for no account, and owns nothing,
  // nothing. Fails: as the catalog.
  Task<WaitingThings> Find(auth::Principal by);

 private:
  Tokens& tokens_;
  SigningKeys& keys_;
  const Clock& clock_;
};

}  // namespace koya::service
