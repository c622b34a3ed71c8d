// Files that hold secrets, as a rule, and lie in a module's folder by mistake. Pure: any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace koya::inspect {

// How many bytes of a file are looked at.
inline constexpr std::size_t kScannedForSecrets = 64 << 10;

// What secret the file seems to hold: "a private key"; "": none. `path`: from the module's root.
// `content`: its beginning. The state of a configuration, values of its variables (*.tfvars) where
// neither its name nor a folder says that they are examples, and .env count by their names; a
// private key counts wherever it stands.
std::string_view SecretIn(std::string_view path, std::string_view content);

}  // namespace koya::inspect
