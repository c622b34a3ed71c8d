// Who is calling, and what they may do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/scope.h"

namespace koya::auth {

struct Principal {
  std::string name;
  Scope scope = Scope::kRead;
  std::vector<std::string> namespaces;  // patterns with "*"; empty = all

  // Fails: kForbidden, naming the scope that is missing.
  Status Require(Scope needed) const;
  // Whether the patterns cover `ns`. Fails: kForbidden, naming the namespace.
  Status RequireNamespace(std::string_view ns) const;
};

// "*" stands for any run of characters; letter case is ignored, as it is in namespaces.
bool MatchesNamespace(std::string_view pattern, std::string_view ns);

// A pattern as it may be stored in a token. Fails: kInvalid.
Status CheckNamespacePattern(std::string_view pattern);

// A token's name: 1–64 of letters, digits, ".", "_", "-". Fails: kInvalid.
Status CheckTokenName(std::string_view name);

}  // namespace koya::auth
