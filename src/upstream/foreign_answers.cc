#include "upstream/foreign_answers.h"

#include <string>
#include <unordered_set>

#include "domain/version.h"
#include "wire/providers.h"

namespace koya::upstream {

std::size_t DropUnusableVersions(wire::ProviderVersions& document) {
  std::unordered_set<std::string> seen;
  return std::erase_if(document.versions, [&](const wire::ProviderVersion& each) {
    return !Version::Parse(each.version) || !seen.insert(each.version).second;
  });
}

}  // namespace koya::upstream
