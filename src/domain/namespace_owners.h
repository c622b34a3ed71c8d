// The owners of a namespace, for display: the first few, and the number of the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/namespace_record.h"

namespace koya {

struct NamespaceOwner {
  std::string name;
  GranteeKind kind = GranteeKind::kUser;
  friend bool operator==(const NamespaceOwner&, const NamespaceOwner&) = default;
};

struct NamespaceOwners {
  static constexpr std::size_t kMost = 3;

  std::vector<NamespaceOwner> owners;  // at most kMost: users, groups, services, each by name
  std::uint64_t more = 0;              // number of other owners
  friend bool operator==(const NamespaceOwners&, const NamespaceOwners&) = default;
};

}  // namespace koya
