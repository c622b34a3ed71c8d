#include "hcl/source_address.h"

#include <algorithm>

#include "base/text.h"

namespace koya::hcl {

Result<std::optional<ProviderSource>> ParseProviderSource(std::string_view text,
                                                          const HostName& default_host) {
  auto parts = std::ranges::count(text, '/') + 1;
  if (parts > 3 || text.empty()) {
    return FailInvalid(
        "\"{}\" is not the address of a provider: write NAMESPACE/TYPE or "
        "HOST/NAMESPACE/TYPE",
        Printable(text));
  }
  HostName host = default_host;
  if (parts == 3) {
    std::size_t slash = text.find('/');
    ASSIGN_OR_RETURN(host, HostName::Parse(text.substr(0, slash)));
    text.remove_prefix(slash + 1);
    if (host.ascii() == "terraform.io" && text.starts_with("builtin/")) return std::nullopt;
  }
  std::string full = parts == 1 ? "hashicorp/" + std::string(text) : std::string(text);
  ASSIGN_OR_RETURN(ProviderAddress address, ProviderAddress::Parse(full));
  return ProviderSource{std::move(host), std::move(address)};
}

std::optional<ModuleSource> ParseModuleSource(std::string_view text, const HostName& default_host) {
  if (text.find("://") != text.npos || text.find("::") != text.npos) return std::nullopt;
  text = text.substr(0, text.find("//"));
  auto parts = std::ranges::count(text, '/') + 1;
  if (parts != 3 && parts != 4) return std::nullopt;
  HostName host = default_host;
  if (parts == 4) {
    std::size_t slash = text.find('/');
    Result<HostName> named = HostName::Parse(text.substr(0, slash));
    // As clients have it: names without a dot are folders, and these two are fetched with git.
    if (!named || named->ascii().find('.') == std::string::npos) return std::nullopt;
    if (named->ascii() == "github.com" || named->ascii() == "bitbucket.org") return std::nullopt;
    host = *std::move(named);
    text.remove_prefix(slash + 1);
  }
  Result<ModuleAddress> address = ModuleAddress::Parse(text);
  if (!address) return std::nullopt;
  return ModuleSource{std::move(host), *std::move(address)};
}

bool IsLocalModule(std::string_view source) {
  return source == "." || source == ".." || source.starts_with("./") || source.starts_with("../");
}

}  // namespace koya::hcl
