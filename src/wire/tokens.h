// Documents of /api/v1/tokens.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"

namespace koya::wire {

inline constexpr std::string_view kNeverExpires = "never";

struct TokenRequest {
  std::string name;
  std::string scope;                    // "read", "publish" or "admin"
  std::vector<std::string> namespaces;  // patterns; empty = all
  std::string expires;                  // a duration such as "90d", or kNeverExpires; "" = 90d
  std::string service;                  // the service account that it acts for; "" = the creator's
  friend bool operator==(const TokenRequest&, const TokenRequest&) = default;
};

// An empty body means the defaults.
struct TokenRotation {
  std::string expires;  // a duration; "" = the same as before
};

// A token as responses show it. `token` is set only in the responses to its creation and rotation.
struct Token {
  std::string name;
  std::string token;
  std::string scope;
  std::vector<std::string> namespaces;
  std::string account;              // the owner; "" = the token itself, null on the wire
  std::string account_kind;         // "user" or "service"; "" as above
  std::string expires;              // RFC 3339; "" = never, null on the wire
  std::string created;              // RFC 3339
  std::string created_by;           // a principal's name; "" = not known, null on the wire
  std::string last_used;            // RFC 3339; "" = never
  std::string last_used_from = {};  // an address; "" = not known, null on the wire
  // The creator of a service account that owns it; "" = none, left out.
  std::string account_created_by = {};
  friend bool operator==(const Token&, const Token&) = default;
};
using TokenList = ListOf<Token, "tokens", "the list of tokens">;

// ---- endpoints

inline constexpr Endpoint<TokenRequest, Token> kCreateToken{"POST", "/api/v1/tokens"};
inline constexpr Endpoint<void, TokenList> kListTokens{"GET", "/api/v1/tokens"};
inline constexpr Endpoint<TokenRotation, Token, 1> kRotateToken{"POST",
                                                                "/api/v1/tokens/{name}/rotate"};
inline constexpr Endpoint<void, void, 1> kRevokeToken{"DELETE", "/api/v1/tokens/{name}"};

}  // namespace koya::wire
