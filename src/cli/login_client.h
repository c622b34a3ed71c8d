// Signs in with a browser: LoginClient is the client side of login.v1: discovery, the page to open,
// a token for a code. It sends the same requests as "tofu login" (wire facts §7). LoginListener
// receives the code. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "cli/api/api_client.h"
#include "domain/access.h"
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

// An HTTP server on 127.0.0.1 that receives one code from the browser after sign-in (RFC 8252
// §7.3).
class LoginListener {
 public:
  // Listens on the first free port from `first` to `last`. Fails: kConflict: none is free.
  static Result<LoginListener> Open(std::uint16_t first, std::uint16_t last);

  std::uint16_t port() const { return port_; }

  // Waits for the code that comes with this state. Accepts any path. Rejects and ignores requests
  // with another state, without a code, or with a method other than GET: any program on this
  // machine may send them. The browser gets a line of text. Accepts several connections at once,
  // since browsers open some that they send nothing on.
  // Fails: kTimeout: no code within `patience`; kForbidden: the server sent an error with this
  // state; kInternal.
  Result<std::string> WaitForCode(std::string_view state, std::chrono::seconds patience);

 private:
  LoginListener(UniqueFd socket, std::uint16_t port) : socket_(std::move(socket)), port_(port) {}

  UniqueFd socket_;
  std::uint16_t port_ = 0;
};

// A parsed request line.
struct LoginCallback {
  enum class Kind { kCode, kDenied, kStranger, kNotGet };
  Kind kind = Kind::kStranger;
  std::string text;  // the code, or the error
};
LoginCallback ReadCallback(std::string_view request_line, std::string_view state);

}  // namespace koya::cli
