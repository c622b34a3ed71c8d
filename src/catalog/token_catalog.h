// TokenCatalog is the part of the catalog (catalog.h) that stores tokens, by name and by secret.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/page.h"

namespace koya::sql {
class Executor;
class RecentUses;
}  // namespace koya::sql

namespace koya {

class Digest;
struct Actor;
struct JobProof;
enum class TokenFilter;
struct TokenRecord;
struct Use;

class TokenCatalog {
 public:
  // The shortest time between recorded uses.
  static constexpr UnixSeconds kTouchEvery = 60;

  TokenCatalog(sql::Executor& transactions, sql::RecentUses& uses)
      : transactions_(transactions), uses_(uses) {}

  // Fails: kConflict when the name is taken; kNotFound: its account does not exist.
  Task<void> AddToken(Actor by, TokenRecord record);
  // Adds a job's token, which is removed with the trust that `record` names. Fails: kTokenUsed: its
  // namespace has seen `proof` already; kNotFound: the trust does not exist; kConflict, as above.
  Task<void> AddJobToken(Actor by, TokenRecord record, JobProof proof);
  // Finds expired tokens too: the caller reports the expiry to the user. Fails: kNotFound.
  Task<TokenRecord> FindToken(Digest secret);
  // Likewise by the first 16 bytes of the secret, the part that URLs contain. Fails: kNotFound.
  Task<TokenRecord> FindTokenByStart(std::array<std::byte, 16> start);
  Task<std::vector<TokenRecord>> ListTokens();  // by name
  // By name, at most 1000. kUnused: neither created nor used after `until`; kEndsSoon: expires
  // between `from` and `until`, both included.
  Task<Page<TokenRecord>> BrowseTokens(TokenFilter filter, UnixSeconds from, UnixSeconds until,
                                       PageRequest page);
  // Tokens of an account that expire between these moments, both included: earliest expiry first,
  // at most kMostEndingTokens.
  static constexpr std::int64_t kMostEndingTokens = 100;
  Task<std::vector<TokenRecord>> ListEndingTokens(std::string account_id, UnixSeconds from,
                                                  UnixSeconds until);
  // Tokens of jobs that a namespace, in any letter case, trusts, newest first. An unknown namespace
  // has none.
  Task<std::vector<TokenRecord>> ListJobTokens(std::string ns);
  // Replaces the token that has the name of `record` and the secret `replaced`.
  // Fails: kNotFound: there is none, or it was replaced meanwhile, or `record`'s account does not
  // exist; kConflict when no administrator would remain (AccountCatalog::SetDisabled).
  Task<void> ReplaceToken(Actor by, TokenRecord record, Digest replaced);
  // Revokes the token that has this name and this secret. Fails: kNotFound and kConflict, as above.
  Task<void> RevokeToken(Actor by, std::string name, Digest secret);
  // Records the uses of tokens by their secrets, and where they came from, at most once a minute
  // each: all or none.
  Task<void> TouchTokens(std::vector<Use> uses);

 private:
  sql::Executor& transactions_;
  sql::RecentUses& uses_;
};

}  // namespace koya
