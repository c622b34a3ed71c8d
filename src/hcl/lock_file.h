// Parses the dependency lock file, .terraform.lock.hcl or .opentofu.lock.hcl: the version of each
// provider that a configuration uses, and the permitted hashes of its packages.
//
// Source of the rules: the clients' internal/depsfile (wire facts §13). Strict: a lock file decides
// which packages are installed, so anything unknown in a provider's block is an error. Blocks of
// other kinds, which later clients add (for modules), are skipped. Koya never writes a lock file,
// so they stay as they are. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/version.h"
#include "hcl/source_address.h"

namespace koya::hcl {

struct LockedProvider {
  ProviderSource source;
  Version version;
  std::string constraints;          // "" when there are none
  std::vector<std::string> hashes;  // "h1:…", "zh:…", as spelled; also of other schemes
  std::size_t line = 0;
};

// The names of lock files. In a folder that has several, clients use the first.
inline constexpr std::array<std::string_view, 2> kLockFileNames{".opentofu.lock.hcl",
                                                                ".terraform.lock.hcl"};

// In the file's order. Fails: kInvalid, "line N: …".
Result<std::vector<LockedProvider>> ParseLockFile(std::string_view text);

}  // namespace koya::hcl
