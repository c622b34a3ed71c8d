// Credentials that may end: fetched from wherever they come from, kept, and fetched anew in time.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "base/exchange_clock.h"
#include "base/result.h"
#include "blobs/s3/signer.h"

namespace koya::s3 {

// One place that credentials come from. Thread-safe, but CredentialKeeper asks from one thread at a
// time. No error and no log line holds a secret.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  // Blocks, for a few seconds at most. Fails: kUnavailable: it may do later; kInvalid: somebody has
  // to mend something, which the message names.
  virtual Result<Credentials> Fetch(std::stop_token stop) = 0;
  // Whether Fetch would give others than last time although those have not ended. Cheap: asked
  // before each use.
  virtual bool HasChanged() { return false; }
  // What is at fault when the store refuses them: "blobs.s3.access_key_file".
  virtual std::string name() const = 0;
};

// Thread-safe. One thread fetches at a time. kEarly before their end new ones are fetched, while
// the others go on with the old ones; when that fails, the old ones are used to their end.
class CredentialKeeper {
 public:
  static constexpr UnixSeconds kEarly = 300;

  // The clock outlives this.
  CredentialKeeper(std::unique_ptr<CredentialSource> source, const ExchangeClock& clock)
      : source_(std::move(source)), clock_(clock) {}

  // Blocks while they are fetched. Fails as the source does.
  Result<Credentials> Get(std::stop_token stop);
  // The store says that `refused` have ended, whatever we thought: the next Get fetches, unless
  // others are here by now.
  void Expire(const Credentials& refused);
  std::string source_name() const { return source_->name(); }

 private:
  std::optional<Credentials> Usable() const;
  bool IsDue() const;
  Result<Credentials> Fetch(std::stop_token stop);

  static constexpr UnixSeconds kPause = 10;  // between two early fetches that failed

  const std::unique_ptr<CredentialSource> source_;
  const ExchangeClock& clock_;
  std::mutex fetching_;       // held by who fetches
  mutable std::mutex mutex_;  // of what is below
  std::optional<Credentials> current_;
  UnixSeconds not_before_ = 0;
};

}  // namespace koya::s3
