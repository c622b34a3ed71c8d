// Implements `tofu login`: an authorization server for public clients (RFC 6749 §4.1, RFC 7636, RFC
// 8252; wire facts of login.v1). One client, "terraform-cli", whose redirect is
// http://localhost:PORT/login with a port of kFirstPort to kLastPort, both included.
//
// A request is not stored before a user allows it: its parameters are in the address of the page.
// Codes are rows, so that any server that shares the catalog exchanges them.
// Threads: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/task.h"
#include "domain/access.h"

namespace koya {
class AccountCatalog;
struct AccountRecord;
struct Actor;
class Clock;
class LoginCodeCatalog;
struct LoginCodeRecord;
class TokenCatalog;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

struct CreatedToken;

inline constexpr std::string_view kLoginClient = "terraform-cli";
inline constexpr std::uint16_t kFirstPort = 10'000;
inline constexpr std::uint16_t kLastPort = 10'010;

// The parameters of an authorization request as they were sent, each at most once; "": absent.
struct LoginParameters {
  std::string response_type;
  std::string client_id;
  std::string redirect_uri;
  std::string state;
  std::string code_challenge;
  std::string code_challenge_method;
  std::string scope;
};

// A valid authorization request.
class LoginRequest {
 public:
  // `scope`: "" (meaning read), "read", "publish" or "admin". Fails: kInvalid, naming the invalid
  // parameter and its accepted values: for another client, a foreign redirect, no PKCE or "plain",
  // a challenge that is not 43 characters of base64url, no state, a state over 1,024 bytes or with
  // other characters than printable ASCII (RFC 6749 appendix A.5).
  static Result<LoginRequest> Parse(const LoginParameters& parameters);

  const std::string& redirect_uri() const { return redirect_uri_; }
  const std::string& state() const { return state_; }
  const std::string& challenge() const { return challenge_; }
  Scope scope() const { return scope_; }

 private:
  LoginRequest() = default;
  std::string redirect_uri_;
  std::string state_;
  std::string challenge_;
  Scope scope_ = Scope::kRead;
};

// A client's token request, as sent; "": absent.
struct CodeExchange {
  std::string grant_type;
  std::string client_id;
  std::string code;
  std::string code_verifier;
  std::string redirect_uri;
};

// The RFC 6749 §5.2 name for a failure of ClientLogin::Exchange of this kind: "invalid_request",
// "invalid_client", "invalid_grant" or "unsupported_grant_type". "": not the client's failure but
// this server's, such as a catalog that does not answer.
std::string_view OAuthErrorName(ErrorKind kind);

class ClientLogin {
 public:
  static constexpr std::chrono::seconds kCodeLife{60};

  // `life`: access.login_ttl. All arguments must outlive this.
  ClientLogin(LoginCodeCatalog& codes, AccountCatalog& accounts, TokenCatalog& tokens,
              const Clock& clock, std::chrono::seconds life)
      : codes_(codes), accounts_(accounts), tokens_(tokens), clock_(clock), life_(life) {}

  // Records the user's consent. Returns the browser's next location: the redirect with `code` and
  // `state`. Fails: kForbidden: `by` is no user, or does not hold the requested scope; as the
  // catalog.
  Task<std::string> Allow(auth::Principal by, LoginRequest request);
  // Creates a token for the user who allowed the code, named "login-" and a random end. `from`: the
  // origin of the request; the audit log names the user who allowed it. Consumes the code, even
  // when the exchange fails. Fails (OAuthErrorName): kInvalid: a parameter is missing; kRefused:
  // another grant type; kForbidden: another client; kUnauthenticated: the code is unknown, used or
  // expired, another client's or redirect's, the verifier is wrong or none (RFC 7636 §4.1), or the
  // account is disabled or gone; as the catalog.
  Task<CreatedToken> Exchange(Actor from, CodeExchange request);

  std::chrono::seconds life() const { return life_; }

 private:
  // Takes and deletes the request's code. Fails: kUnauthenticated.
  Task<LoginCodeRecord> TakeCode(std::string code);
  // The user who allowed it. Fails: kUnauthenticated.
  Task<AccountRecord> FindUser(std::string account_id);

  LoginCodeCatalog& codes_;
  AccountCatalog& accounts_;
  TokenCatalog& tokens_;
  const Clock& clock_;
  const std::chrono::seconds life_;
};

}  // namespace koya::service
