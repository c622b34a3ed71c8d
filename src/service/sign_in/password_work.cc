#include "service/sign_in/password_work.h"

#include <utility>

#include "base/secrets.h"

namespace koya::service {

// One of those that run or wait, given back at its end.
class PasswordWork::Place {
 public:
  explicit Place(std::atomic<std::size_t>& taken) : taken_(taken), got_(taken++ < kMost) {}
  ~Place() { --taken_; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  // Fails: kUnavailable: there was none left.
  Status Check() const {
    if (got_) return {};
    return Failure(Error{.kind = ErrorKind::kUnavailable,
                         .message = "too many users are signing in: try again in a few seconds",
                         .detail = {},
                         .retry_after = 2,
                         .limit = "fixed.passwords_at_once"});
  }

 private:
  std::atomic<std::size_t>& taken_;
  const bool got_;
};

Task<void> PasswordWork::Verify(std::optional<std::string> hash, std::string text) {
  const WipeAtEnd wipe(text);
  const Place place(taken_);
  CO_RETURN_IF_ERROR(place.Check());
  auto verify = [&] { return auth::VerifyPassword(hash, text, cost_); };
  co_return co_await Offload(threads_, std::move(verify));
}

Task<std::string> PasswordWork::Hash(std::string text) {
  const WipeAtEnd wipe(text);
  const Place place(taken_);
  CO_RETURN_IF_ERROR(place.Check());
  auto hash = [&] { return auth::HashPassword(text, cost_); };
  co_return co_await Offload(threads_, std::move(hash));
}

}  // namespace koya::service
