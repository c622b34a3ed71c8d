// Parses source addresses of configurations: with the registry's host, or without it for the
// default host. Pure.
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

// "HOST/NAMESPACE/TYPE", "NAMESPACE/TYPE", or "TYPE" for hashicorp/TYPE. Nothing for providers that
// are built into the clients ("terraform.io/builtin/terraform"). Fails: kInvalid.
Result<std::optional<ProviderSource>> ParseProviderSource(std::string_view text,
                                                          const HostName& default_host);

struct ModuleSource {
  HostName host;
  ModuleAddress address;
  std::string ToString() const { return host.display() + "/" + address.ToString(); }
};

// "[HOST/]NAMESPACE/NAME/SYSTEM[//SUBFOLDER]". Nothing for sources that clients fetch without a
// registry: URLs, paths, github.com/… .
std::optional<ModuleSource> ParseModuleSource(std::string_view text, const HostName& default_host);

// "./x" or "../x": a folder relative to the calling module.
bool IsLocalModule(std::string_view source);

}  // namespace koya::hcl
