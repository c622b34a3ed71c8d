// An issuer in miniature, for tests: keys, key sets, and tokens signed as they should be, or not.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct evp_pkey_st;

namespace koya::oidc {

class FakeKey {
 public:
  static FakeKey Rsa(int bits = 2048);
  // "P-256", "P-384", "P-521", "secp256k1"
  static FakeKey Curve(const std::string& curve);
  // The same key for the same letter.
  static FakeKey Ed25519(char seed = 'k');

  // The public half as a JSON Web Key. `more` goes before its end: R"(,"use":"sig")".
  std::string Jwk(std::string_view kid = "", std::string_view more = "") const;
  // What stands between the braces and is the key's own: "n", "x", …
  std::string Member(std::string_view name) const;

  // The signature as tokens hold it, whatever the algorithm is worth with this key.
  std::string Sign(std::string_view alg, std::string_view text) const;
  // PS256 and its like with a salt of so many bytes.
  std::string SignWithSalt(std::string_view alg, std::string_view text, int salt) const;
  std::string SignInDer(std::string_view alg, std::string_view text) const;  // ES256, ES384
  std::string PublicPem() const;

 private:
  explicit FakeKey(evp_pkey_st* key);
  std::string SignPlain(std::string_view alg, std::string_view text, int salt = -1) const;
  std::shared_ptr<evp_pkey_st> key_;  // of all copies together
  int half_ = 0;                      // bytes of each number of a signature, for curves
};

std::string Jwks(const std::vector<std::string>& keys);
std::string InBase64Url(std::string_view bytes);

// HEADER.PAYLOAD.SIGNATURE of two documents.
std::string SignToken(const FakeKey& key, std::string_view alg, std::string_view header,
                      std::string_view payload);
// The same with {"alg":ALG,"kid":KID}.
std::string SignedToken(const FakeKey& key, std::string_view alg, std::string_view kid,
                        std::string_view payload);
// Signed with a shared secret.
std::string HmacToken(std::string_view secret, std::string_view header, std::string_view payload);

}  // namespace koya::oidc
