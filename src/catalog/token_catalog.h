// TokenCatalog is the part of the catalog (catalog.h) that stores tokens, by name and by secret.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"

namespace koya {

class Digest;
struct Actor;
struct JobProof;
struct TokenRecord;
struct Use;

class TokenCatalog {
 public:
  virtual ~TokenCatalog() = default;
  // Fails: kConflict when the name is taken; kNotFound: its account does not exist.
  virtual Task<void> AddToken(Actor by, TokenRecord record) = 0;
  // Adds a job's token, which is removed with the trust that `record` names. Fails: kTokenUsed: its
  // namespace has seen `proof` already; kNotFound: the trust does not exist; kConflict, as above.
  virtual Task<void> AddJobToken(Actor by, TokenRecord record, JobProof proof) = 0;
  // Finds expired tokens too: the caller reports the expiry to the user. Fails: kNotFound.
  virtual Task<TokenRecord> FindToken(Digest secret) = 0;
  // Likewise by the first 16 bytes of the secret, the part that URLs contain. Fails: kNotFound.
  virtual Task<TokenRecord> FindTokenByStart(std::array<std::byte, 16> start) = 0;
  virtual Task<std::vector<TokenRecord>> ListTokens() = 0;  // by name
  // Tokens of an account that expire between these moments, both included: earliest expiry first,
  // at most kMostEndingTokens.
  static constexpr std::int64_t kMostEndingTokens = 100;
  virtual Task<std::vector<TokenRecord>> ListEndingTokens(std::string account_id, UnixSeconds from,
                                                          UnixSeconds until) = 0;
  // Tokens of jobs that a namespace, in any letter case, trusts, newest first. An unknown namespace
  // has none.
  virtual Task<std::vector<TokenRecord>> ListJobTokens(std::string ns) = 0;
  // Replaces the token that has the name of `record` and the secret `replaced`.
  // Fails: kNotFound: there is none, or it was replaced meanwhile, or `record`'s account does not
  // exist; kConflict when no administrator would remain (AccountCatalog::SetDisabled).
  virtual Task<void> ReplaceToken(Actor by, TokenRecord record, Digest replaced) = 0;
  // Revokes the token that has this name and this secret. Fails: kNotFound and kConflict, as above.
  virtual Task<void> RevokeToken(Actor by, std::string name, Digest secret) = 0;
  // Records the uses of tokens by their secrets, and where they came from, at most once a minute
  // each: all or none.
  virtual Task<void> TouchTokens(std::vector<Use> uses) = 0;
};

}  // namespace koya
