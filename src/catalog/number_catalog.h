// Which versions several modules and providers have, asked for at once: for lists that say of each
// how far its newest version is from the one before.
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
  friend bool operator==(const PublishedNumber&, const PublishedNumber&) = default;
};

class NumberCatalog {
 public:
  static constexpr std::size_t kMostNumbers = 4000;

  virtual ~NumberCatalog() = default;
  // Of what is published here and not withdrawn, those of each together, by subject. When there are
  // more than kMostNumbers, the last subjects are left out whole: of each there are all or none.
  virtual Task<std::vector<PublishedNumber>> ListNumbers(
      std::vector<ModuleAddress> modules, std::vector<ProviderAddress> providers) = 0;
};

}  // namespace koya
