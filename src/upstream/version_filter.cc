#include "upstream/version_filter.h"

#include <string>
#include <unordered_set>

#include "domain/version.h"

namespace koya::upstream {

std::size_t DropUnusableVersions(wire::ProviderVersions& document) {
  std::unordered_set<std::string> seen;
  return std::erase_if(document.versions, [&](const wire::ProviderVersion& each) {
    return !Version::Parse(each.version) || !seen.insert(each.version).second;
  });
}

}  // namespace koya::upstream
