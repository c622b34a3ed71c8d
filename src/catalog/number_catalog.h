// NumberCatalog lists the versions of several modules and providers at once: for lists that show
// how far each newest version is from the one before.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/version.h"

namespace koya {

class ModuleAddress;
class ProviderAddress;

struct PublishedNumber {
  std::string subject;  // SearchSubject::key: "module:acme/vpc/aws", "provider:acme/demo"
  Version version;
  std::string publisher;  // name of the token
  friend bool operator==(const PublishedNumber&, const PublishedNumber&) = default;
};

class NumberCatalog {
 public:
  static constexpr std::size_t kMostNumbers = 4000;

  virtual ~NumberCatalog() = default;
  // Versions that are published here and not withdrawn, grouped by subject and in its order. Above
  // kMostNumbers, the last subjects are left out whole: a subject has all its versions or none.
  virtual Task<std::vector<PublishedNumber>> ListNumbers(
      std::vector<ModuleAddress> modules, std::vector<ProviderAddress> providers) = 0;
};

}  // namespace koya
