// Passwords are hashed and verified on few threads of their own, which stand back behind all
// others: each takes 32 MiB and some 60 ms of a core, and nothing else is to wait for it. A tenth
// of a busy core is theirs all the same, so that people can sign in to a server that has much to
// do. Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "auth/password.h"
#include "base/offload.h"
#include "base/task.h"

namespace koya::service {

class PasswordWork {
 public:
  static constexpr std::size_t kThreads = 2;
  static constexpr int kNice = 10;  // as of nice(2)
  // Running and waiting; beyond that kUnavailable, to be tried again soon.
  static constexpr std::size_t kMost = 64;

  // `cost`: less in tests, which are not about it.
  explicit PasswordWork(auth::PasswordCost cost = {}) : cost_(cost) {}

  // As auth::NeedsRehash.
  bool NeedsRehash(std::string_view hash) const { return auth::NeedsRehash(hash, cost_); }
  // As auth::VerifyPassword and auth::HashPassword; the text is wiped when it is done. Fail:
  // kUnavailable (too many at once).
  Task<void> Verify(std::optional<std::string> hash, std::string text);
  Task<std::string> Hash(std::string text);

 private:
  class Place;
  const auth::PasswordCost cost_;
  std::atomic<std::size_t> taken_ = 0;
  WorkerPool threads_{kThreads, kNice};
};

}  // namespace koya::service
