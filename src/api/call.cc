#include "api/call.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace koya::api {
namespace {

// The same failure as a look-up that finds nothing: reading asks "is it there?".
Failure AsNotFound(Error error) {
  return Fail(ErrorKind::kNotFound, std::move(error.message), std::move(error.detail));
}

}  // namespace

std::string_view Services::host() const {
  std::string_view rest = url;
  return rest.substr(rest.find("://") + 3);
}

bool Services::IsOwn(const HostName& name) const {
  return std::ranges::find(own_names, name) != own_names.end();
}

Result<ModuleAddress> Call::AddressFromPath() const {
  auto address = ModuleAddress::FromParts(parameter(0), parameter(1), parameter(2));
  if (!address) return AsNotFound(std::move(address).error());
  return address;
}

Result<ProviderAddress> Call::ProviderFromPath() const {
  auto address = ProviderAddress::FromParts(parameter(0), parameter(1));
  if (!address) return AsNotFound(std::move(address).error());
  return address;
}

Result<Version> Call::VersionFromPath(std::size_t position) const {
  auto version = Version::ParseLookup(parameter(position));
  if (!version) return AsNotFound(std::move(version).error());
  return version;
}

}  // namespace koya::api
