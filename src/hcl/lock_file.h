// Parses the dependency lock file, .terraform.lock.hcl: the version of each provider that a
// configuration uses, and the permitted hashes of its packages.
//
// Source of the rules: the clients' internal/depsfile (wire facts §13). Strict: a lock file decides
// which packages are installed, so anything unknown in it is an error. Pure.
#pragma once

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

// In the file's order. Fails: kInvalid, "line N: …".
Result<std::vector<LockedProvider>> ParseLockFile(std::string_view text);

}  // namespace koya::hcl
