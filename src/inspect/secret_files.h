// Detects files that usually hold secrets and are in a module's folder by mistake. Pure: any
// thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace koya::inspect {

// How many bytes of a file are examined.
inline constexpr std::size_t kScannedForSecrets = 64 << 10;

// The kind of secret that the file seems to hold: "a private key"; "": none. `path`: from the
// module's root. `content`: its beginning. The state of a configuration, values of its variables
// (*.tfvars) where neither the name nor a folder marks them as examples, and .env are detected by
// name; a private key is detected in any file.
std::string_view SecretIn(std::string_view path, std::string_view content);

}  // namespace koya::inspect
