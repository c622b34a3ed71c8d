// The address of a module on this registry: NAMESPACE/NAME/SYSTEM.
//
// Grammar (OpenTofu registry-address, module.go): NAMESPACE and NAME are 1–64 of [0-9A-Za-z_-],
// beginning and ending with a letter or digit; SYSTEM is 1–64 of [0-9a-z]. The letter case is kept
// as written, but two addresses that differ only in case are the same module: compare keys.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

class ModuleAddress {
 public:
  // "acme/vpc/aws". Fails: kInvalid, naming the part and the rule it breaks.
  static Result<ModuleAddress> Parse(std::string_view text);
  // The parts as they appear in a URL path.
  static Result<ModuleAddress> FromParts(std::string_view ns, std::string_view name,
                                         std::string_view system);

  const std::string& ns() const { return ns_; }
  const std::string& name() const { return name_; }
  const std::string& system() const { return system_; }

  // "acme/vpc/aws", in the original letter case.
  std::string ToString() const { return ns_ + "/" + name_ + "/" + system_; }
  // In lower case, for look-ups and uniqueness.
  std::string Key() const;

  friend bool operator==(const ModuleAddress&, const ModuleAddress&) = default;

 private:
  ModuleAddress(std::string ns, std::string name, std::string system)
      : ns_(std::move(ns)), name_(std::move(name)), system_(std::move(system)) {}
  std::string ns_;
  std::string name_;
  std::string system_;
};

// The reason why a new module may not have this address, because a client or this server gives the
// name a meaning; "" when `address` may be published.
std::string ReservedReason(const ModuleAddress& address);

}  // namespace koya
