// Encrypts secrets at rest with the server's secret (XChaCha20-Poly1305, libsodium).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya::signing {

// Values are bound to a context ("signing-key/acme/FINGERPRINT"): a sealed value copied to another
// row does not open. Any thread. The key is wiped on destruction.
class Sealer {
 public:
  // `server_secret` is server.secret, at least 16 bytes (checked with the settings); `previous` is
  // server.secret_previous, which is used only to open. "": there is none.
  explicit Sealer(std::string_view server_secret, std::string_view previous = "");
  ~Sealer();
  Sealer(const Sealer&) = delete;
  Sealer& operator=(const Sealer&) = delete;

  // Base64; different each time.
  std::string Seal(std::string_view context, std::string_view plain) const;
  // Fails: kCorrupt when it was sealed with another secret or context, or was altered; the message
  // says that server.secret may have been replaced.
  Result<std::string> Unseal(std::string_view context, std::string_view sealed) const;
  // Reseals a value of the previous secret with the current one; nullopt when it already is. Fails:
  // as Open.
  Result<std::optional<std::string>> Renew(std::string_view context, std::string_view sealed) const;

 private:
  using Key = std::array<unsigned char, 32>;
  Key key_;
  std::optional<Key> previous_;
};

}  // namespace koya::signing
