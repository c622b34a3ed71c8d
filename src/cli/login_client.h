// LoginClient is the client side of login.v1: discovery, the page to open, a token for a code. It
// sends the same requests as "tofu login" (wire facts §7). One thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "domain/scope.h"
#include "http/url.h"
#include "wire/sign_in.h"

namespace koya::cli {

// State kept between opening the page and receiving the code (RFC 7636).
struct LoginSecrets {
  std::string state;
  std::string verifier;
};
LoginSecrets MakeLoginSecrets();

// base64url of SHA-256, as code_challenge_method=S256 requires.
std::string ChallengeOf(std::string_view verifier);

class LoginClient {
 public:
  // Drops the token of `options`: an expired one must not prevent signing in.
  explicit LoginClient(RegistryClientOptions options);

  // Asks the server for its login service. Fails: as ApiClient::Get; kNotFound: it offers no login;
  // kInvalid: an unsupported kind of login, or a URL that is not https (plain HTTP is accepted on
  // the server's own origin and on loopback).
  Status Discover();
  const wire::LoginService& service() const { return service_; }

  // REQUIRES for the functions below: Discover() succeeded. `port`: where the browser is
  // redirected.
  std::string PageUrl(const LoginSecrets& secrets, std::uint16_t port, Scope scope) const;
  // Exchanges the code for a token. Fails: kUnauthenticated, with the server's message; as
  // ApiClient.
  Result<wire::AccessToken> Exchange(const LoginSecrets& secrets, std::uint16_t port,
                                     const std::string& code);

 private:
  Result<http::Url> Resolve(const std::string& reference) const;

  RegistryClientOptions options_;
  wire::LoginService service_;
  http::Url authorize_;
  http::Url token_;
};

// Checks that the server accepts the token of `options`; a bad token is denied even for public
// contents. Fails: kUnauthenticated; as ApiClient.
Status CheckTokenWithServer(const RegistryClientOptions& options);

// Revokes the token of `options` (RFC 7009). Fails: as ApiClient.
Status RevokeWithServer(const RegistryClientOptions& options);

}  // namespace koya::cli
