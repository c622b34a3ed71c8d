// Tokens and sessions that were looked up, so that one costs the catalog a question and not one a
// request.
//
// A token that was revoked is refused on every server within a second, whatever happens to the
// database's notifications: what is kept counts for kTrust after the moment until which the change
// feed has told of everything, by a clock that runs on while the process is stopped. A server whose
// feed stands still asks the catalog for each request, as if there were no cache.
// Threads: any. Never waits.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "auth/principal.h"
#include "base/clock.h"
#include "base/topic_cache.h"
#include "domain/digest.h"

namespace koya::service {

// What is known of a session beside whose it is.
struct KnownSession {
  std::string id;  // SessionRecord::id
  UnixSeconds expires_at = 0;
};

struct KnownToken {
  Digest secret;
  auth::Principal principal;
  std::optional<KnownSession> session;  // nullopt: it is a token
  // When its use was last handed on to be noted; 0: never.
  mutable std::atomic<UnixSeconds> noted_at = 0;

  // Whether its use at `now` is to be noted, which the catalog keeps to the minute. Of many uses at
  // once one is told so.
  bool TakeNote(UnixSeconds now) const;

  KnownToken(const Digest& of, auth::Principal who, std::optional<KnownSession> in)
      : secret(of), principal(std::move(who)), session(std::move(in)) {}
};

class TokenCache {
  using Tokens = TopicCache<KnownToken>;

 public:
  static constexpr std::chrono::milliseconds kTrust{900};
  using Ticket = Tokens::Ticket;
  // Moments as of TimeSinceBoot().
  using Moment = std::function<std::chrono::nanoseconds()>;

  // `seen_until`: up to when every change has been told to Invalidate(). `offline_grace`: for how
  // much longer than kTrust something counts for FindOffline().
  explicit TokenCache(Moment seen_until, Moment now = TimeSinceBoot,
                      std::chrono::seconds offline_grace = std::chrono::seconds(0))
      : seen_until_(std::move(seen_until)), now_(std::move(now)), offline_grace_(offline_grace) {}

  // By the secret of what was presented as a token or as a session's cookie (neither is ever taken
  // for the other), or by what URLs hold of it. Null: the catalog must be asked.
  using Kind = auth::CapabilityBearer::Kind;
  std::shared_ptr<const KnownToken> Find(Kind kind, const Digest& secret);
  std::shared_ptr<const KnownToken> Find(const auth::CapabilityBearer& bearer);

  // The same where the catalog was asked and is away.
  std::shared_ptr<const KnownToken> FindOffline(Kind kind, const Digest& secret);

  // Of what the catalog says of a token or session and its account, asked after the ticket was
  // taken.
  Ticket TakeTicket() const { return tokens_.TakeTicket(); }
  std::shared_ptr<const KnownToken> Put(Ticket ticket, const Digest& secret,
                                        auth::Principal principal,
                                        std::optional<KnownSession> session = std::nullopt);
  // A listener of the change feed.
  void Invalidate(std::string_view topic);

 private:
  // About ten thousand tokens.
  static constexpr std::uint64_t kBytes = std::uint64_t{8} << 20;

  std::shared_ptr<const KnownToken> FindWithin(std::chrono::nanoseconds trust,
                                               const auth::CapabilityBearer& bearer);

  Moment seen_until_;
  Moment now_;
  const std::chrono::seconds offline_grace_;
  Tokens tokens_{kBytes};
};

}  // namespace koya::service
