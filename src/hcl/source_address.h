// Addresses as configurations write them: with the registry's host, or without it for the default
// one. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/host_name.h"
#include "domain/module_address.h"
#include "domain/provider_address.h"

namespace koya::hcl {

struct ProviderSource {
  HostName host;
  ProviderAddress address;
  std::string ToString() const { return host.display() + "/" + address.ToString(); }
};

// "HOST/NAMESPACE/TYPE", "NAMESPACE/TYPE", or "TYPE" for hashicorp/TYPE. Nothing for the providers
// that are a part of the clients ("terraform.io/builtin/terraform"). Fails: kInvalid.
Result<std::optional<ProviderSource>> ParseProviderSource(std::string_view text,
                                                          const HostName& default_host);

struct ModuleSource {
  HostName host;
  ModuleAddress address;
  std::string ToString() const { return host.display() + "/" + address.ToString(); }
};

// "[HOST/]NAMESPACE/NAME/SYSTEM[//SUBFOLDER]". Nothing for what clients fetch without a registry:
// URLs, paths, github.com/… .
std::optional<ModuleSource> ParseModuleSource(std::string_view text, const HostName& default_host);

// "./x" or "../x": a folder beside the one that says so.
bool IsLocalModule(std::string_view source);

}  // namespace koya::hcl
