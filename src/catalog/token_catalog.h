// Part of the catalog (catalog.h): tokens, by name and by secret.
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
  // Fails: kConflict when the name is taken; kNotFound: its account is not there.
  virtual Task<void> AddToken(Actor by, TokenRecord record) = 0;
  // A job's token, which goes with the trust that `record` names. Fails: kTokenUsed: its namespace
  // has seen `proof` already; kNotFound: the trust is not there; kConflict, as above.
  virtual Task<void> AddJobToken(Actor by, TokenRecord record, JobProof proof) = 0;
  // Expired tokens are found too: the caller says so to the user. Fails: kNotFound.
  virtual Task<TokenRecord> FindToken(Digest secret) = 0;
  // The same by the first 16 bytes of the secret, which is what URLs hold of it. Fails: kNotFound.
  virtual Task<TokenRecord> FindTokenByStart(std::array<std::byte, 16> start) = 0;
  virtual Task<std::vector<TokenRecord>> ListTokens() = 0;  // by name
  // Those of an account that end between these moments, both included: what ends first comes first,
  // kMostEndingTokens at most.
  static constexpr std::int64_t kMostEndingTokens = 100;
  virtual Task<std::vector<TokenRecord>> ListEndingTokens(std::string account_id, UnixSeconds from,
                                                          UnixSeconds until) = 0;
  // Those of jobs that a namespace trusts, in any letter case, newest first. Of an unknown one:
  // none.
  virtual Task<std::vector<TokenRecord>> ListJobTokens(std::string ns) = 0;
  // Puts `record` in the place of the token that has its name and the secret `replaced`.
  // Fails: kNotFound: there is none, or it was replaced meanwhile, or `record`'s account is not
  // there; kConflict when nobody would be left who may do everything (AccountCatalog::SetDisabled).
  virtual Task<void> ReplaceToken(Actor by, TokenRecord record, Digest replaced) = 0;
  // The token that has this name and this secret. Fails: kNotFound and kConflict, as above.
  virtual Task<void> RevokeToken(Actor by, std::string name, Digest secret) = 0;
  // Notes the uses of tokens by their secrets, and where they came from, at most once a minute
  // each: all or none.
  virtual Task<void> TouchTokens(std::vector<Use> uses) = 0;
};

}  // namespace koya
