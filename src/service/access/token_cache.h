// Cache of tokens and sessions, so that each costs one query of the catalog, not one for each
// request.
//
// A revoked token is denied on every server within a second, whatever happens to the database's
// notifications: an entry is valid until kTrust after the moment up to which the change feed has
// announced all changes, by a clock that continues while the process is suspended. A server whose
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

namespace koya::auth {
class TokenTextHasher;
}

namespace koya::service {

// A session, besides its user.
struct KnownSession {
  std::string id;  // SessionRecord::id
  UnixSeconds expires_at = 0;
};

struct KnownToken {
  Digest secret;
  auth::Principal principal;
  std::optional<KnownSession> session;  // nullopt: a token
  // When its use was last passed on to be recorded; 0: never.
  mutable std::atomic<UnixSeconds> noted_at = 0;

  // True if its use at `now` should be recorded; the catalog records uses to the minute. Of
  // concurrent uses only one gets true.
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

  // `seen_until`: the moment up to which every change has been passed to Invalidate().
  // `offline_grace`: time beyond kTrust for which FindOffline() accepts an entry.
  explicit TokenCache(Moment seen_until, Moment now = TimeSinceBoot,
                      std::chrono::seconds offline_grace = std::chrono::seconds(0));
  ~TokenCache();

  // Looks up a token or a session cookie by its text (one is never accepted as the other), or by
  // the id that URLs contain. Null: the catalog must be asked. Only the first look-up of a text
  // that was Put(), and those of unknown texts, compute the secret.
  using Kind = auth::CapabilityBearer::Kind;
  std::shared_ptr<const KnownToken> FindToken(Kind kind, std::string_view text);
  std::shared_ptr<const KnownToken> FindToken(const auth::CapabilityBearer& bearer);

  // The same, for use when the catalog was asked and is down.
  std::shared_ptr<const KnownToken> FindOffline(Kind kind, std::string_view text);

  // Stores a token or session with its account. Take the ticket before asking the catalog.
  Ticket TakeTicket() const { return tokens_.TakeTicket(); }
  std::shared_ptr<const KnownToken> Put(Ticket ticket, const Digest& secret,
                                        auth::Principal principal,
                                        std::optional<KnownSession> session = std::nullopt);
  // Listener for the change feed.
  void Invalidate(std::string_view topic);

 private:
  // About five thousand tokens: those that are presented have two entries, and each entry counts
  // the token, since either may be evicted first.
  static constexpr std::uint64_t kBytes = std::uint64_t{8} << 20;

  bool IsTrusted(std::chrono::nanoseconds trust) const { return now_() - seen_until_() <= trust; }
  std::shared_ptr<const KnownToken> FindWithin(std::chrono::nanoseconds trust, Kind kind,
                                               std::string_view text);

  Moment seen_until_;
  Moment now_;
  const std::chrono::seconds offline_grace_;
  const std::unique_ptr<const auth::TokenTextHasher> hasher_;
  Tokens tokens_{kBytes};
};

}  // namespace koya::service
