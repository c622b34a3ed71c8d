// login.v1 as a client meets it: discovery, the page to open, a token for a code. What "tofu login"
// does (wire facts §7), with the same requests. One thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "domain/scope.h"
#include "http/url.h"
#include "wire/sign_in.h"

namespace koya::cli {

// What stays between the page and the code (RFC 7636).
struct LoginSecrets {
  std::string state;
  std::string verifier;
};
LoginSecrets MakeLoginSecrets();

// base64url of SHA-256, as code_challenge_method=S256 wants it.
std::string ChallengeOf(std::string_view verifier);

class LoginClient {
 public:
  // Without a token: one that has expired must not stand in the way.
  explicit LoginClient(RegistryClientOptions options);

  // Asks the server how one signs in. Fails: as ApiClient::Get; kNotFound: it offers no login;
  // kInvalid: not one that we know, or one that leads to plain HTTP elsewhere than this machine.
  Status Discover();
  const wire::LoginService& service() const { return service_; }

  // REQUIRES for what follows: Discover() succeeded. `port`: where the browser comes back to.
  std::string PageUrl(const LoginSecrets& secrets, std::uint16_t port, Scope scope) const;
  // Fails: kUnauthenticated and what the server said; as ApiClient.
  Result<wire::AccessToken> Exchange(const LoginSecrets& secrets, std::uint16_t port,
                                     const std::string& code);

 private:
  Result<http::Url> Resolve(const std::string& reference) const;

  RegistryClientOptions options_;
  wire::LoginService service_;
  http::Url authorize_;
  http::Url token_;
};

// Whether the server takes the token that `options` has: whoever shows a bad one is refused on
// public things too. Fails: kUnauthenticated; as ApiClient.
Status CheckTokenWithServer(const RegistryClientOptions& options);

// Ends the token that `options` has (RFC 7009). Fails: as ApiClient.
Status RevokeWithServer(const RegistryClientOptions& options);

}  // namespace koya::cli
