// Who owns a namespace, as it is told: a few of them, and how many there are besides.
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

  std::vector<NamespaceOwner> owners;  // kMost at most: users, groups, services, each by name
  std::uint64_t more = 0;              // besides them
  friend bool operator==(const NamespaceOwners&, const NamespaceOwners&) = default;
};

}  // namespace koya
