#include "cli/text/address_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/text/readable.h"
#include "domain/module_address.h"
#include "domain/provider_address.h"
#include "domain/version.h"

namespace koya::cli {

std::string CheckModule(const std::string& text) { return ReadableBy(ModuleAddress::Parse)(text); }

std::string CheckProvider(const std::string& text) {
  return ReadableBy(ProviderAddress::Parse)(text);
}

bool NamesUpstream(std::string_view text) { return std::ranges::count(text, '/') == 2; }

Result<UpstreamProvider> ParseUpstreamProvider(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  ASSIGN_OR_RETURN(HostName host, HostName::Parse(text.substr(0, slash)));
  const std::string_view rest = slash == text.size() ? "" : text.substr(slash + 1);
  ASSIGN_OR_RETURN(ProviderAddress address, ProviderAddress::Parse(rest));
  return UpstreamProvider{std::move(host), std::move(address)};
}

std::string CheckAnyProvider(const std::string& text) {
  return NamesUpstream(text) ? ReadableBy(ParseUpstreamProvider)(text) : CheckProvider(text);
}

std::string CheckModuleOrProvider(const std::string& text) {
  switch (std::ranges::count(text, '/')) {
    case 1:
      return CheckProvider(text);
    case 2:
      return CheckModule(text);
    default:
      return fmt::format(
          "\"{}\" is not an address: use NAMESPACE/NAME/SYSTEM for a module (acme/vpc/aws) or "
          "NAMESPACE/TYPE for a provider (acme/demo)",
          Printable(text));
  }
}

std::string CheckOwnModule(const std::string& text) {
  Result<ModuleAddress> address = ModuleAddress::Parse(text);
  return address ? ReservedReason(*address) : address.error().message;
}

std::string CheckOwnProvider(const std::string& text) {
  Result<ProviderAddress> address = ProviderAddress::Parse(text);
  return address ? ReservedReason(*address) : address.error().message;
}

std::string CheckVersion(const std::string& text) { return ReadableBy(Version::Parse)(text); }

std::string CheckKnownVersion(const std::string& text) {
  return ReadableBy(Version::ParseLookup)(text);
}

std::string CheckSentence(const std::string& text) {
  bool said = text.find_first_not_of(" \t\r\n") != std::string::npos;
  return said ? "" : "it is empty: give the reason in a sentence";
}

}  // namespace koya::cli
