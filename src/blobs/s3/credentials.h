// A cache of credentials that may expire: fetches them from their source and renews them in time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/secrets.h"
#include "blobs/s3/signer.h"

namespace koya::s3 {

// A source of credentials. Thread-safe, although CredentialKeeper calls from one thread at a time.
// No error and no log line contains a secret.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  // Blocks for a few seconds at most. Fails: kUnavailable: retryable; kInvalid: permanent, the
  // message names what to fix.
  virtual Result<Credentials> Fetch(std::stop_token stop) = 0;
  // Whether Fetch would return other credentials than last time although those have not expired.
  // Cheap: called before each use.
  virtual bool HasChanged() { return false; }
  // What to name as the cause when the store denies the credentials: "blobs.s3.access_key_file".
  virtual std::string name() const = 0;
};

// Thread-safe. One thread fetches at a time. New credentials are fetched kEarly before the expiry,
// while other threads continue with the old ones; when the fetch fails, the old ones are used until
// they expire.
class CredentialKeeper {
 public:
  static constexpr UnixSeconds kEarly = 300;

  // The clock outlives this.
  CredentialKeeper(std::unique_ptr<CredentialSource> source, const ExchangeClock& clock)
      : source_(std::move(source)), clock_(clock) {}

  // Blocks while credentials are fetched. Fails: as the source.
  Result<Credentials> Get(std::stop_token stop);
  // Call when the store reports `refused` as expired, regardless of our clock: the next Get
  // fetches, unless newer credentials are here by then.
  void Expire(const Credentials& refused);
  std::string source_name() const { return source_->name(); }

 private:
  std::optional<Credentials> Usable() const;
  bool IsDue() const;
  Result<Credentials> Fetch(std::stop_token stop);

  static constexpr UnixSeconds kPause = 10;  // after an early fetch that failed

  const std::unique_ptr<CredentialSource> source_;
  const ExchangeClock& clock_;
  std::mutex fetching_;       // held by the thread that fetches
  mutable std::mutex mutex_;  // guards the members below
  std::optional<Credentials> current_;
  UnixSeconds not_before_ = 0;
};

// Small files that hold secrets and may be replaced at any time: keys and tokens.

// Identifies a version of a file. All zeros when the file cannot be inspected.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
FileStamp StampOf(const std::string& path);

// Reads at most 64 KiB. Fails: kInvalid, with the reason in the detail.
Result<std::string> ReadSmallFile(const std::string& path);

// Strips blanks and line ends from both ends.
std::string TrimmedLine(std::string_view text);

// Printable ASCII without blanks: fit for a header value and for a key.
bool IsOneWord(std::string_view text);

}  // namespace koya::s3
