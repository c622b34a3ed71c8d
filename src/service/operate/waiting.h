// Reminds a caller of tokens and keys that expire soon, or expired recently.
// Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "base/task.h"
#include "domain/credential_record.h"
#include "domain/signing_key_record.h"

namespace koya::auth {
struct Principal;
}

namespace koya::service {

class SigningKeys;
class Tokens;

// Reminders, the earliest first, at most Waiting::kMost of each kind.
struct ExpiryReminders {
  std::vector<TokenRecord> tokens;  // of the caller's own account
  bool has_more_tokens = false;
  std::vector<EndingKey> keys;  // of namespaces that the caller owns
  bool has_more_keys = false;
};

class Waiting {
 public:
  static constexpr std::size_t kMost = 5;
  // How long before the expiry reminders of keys start (of tokens: kTokenEndsSoon), and how long
  // after it all of them end.
  static constexpr std::chrono::days kKeysBefore{30};
  static constexpr std::chrono::days kAfter{7};

  // All arguments must outlive this.
  Waiting(Tokens& tokens, SigningKeys& keys, const Clock& clock)
      : tokens_(tokens), keys_(keys), clock_(clock) {}

  // Contains only items that `by` may see elsewhere; empty for a caller that acts for no account
  // and owns no namespace. Fails: as the catalog.
  Task<ExpiryReminders> FindReminders(auth::Principal by);

 private:
  Tokens& tokens_;
  SigningKeys& keys_;
  const Clock& clock_;
};

}  // namespace koya::service
