// Interface from which the search index gets the contents of published versions.
#pragma once

#include <vector>

#include "base/task.h"
#include "service/common/module_reading.h"

namespace koya {
struct ModuleVersionRecord;
class ProviderAddress;
struct UpstreamModuleVersion;
class Version;
}  // namespace koya

namespace koya::service {

struct SearchablePage;

class ContentsSource {
 public:
  virtual ~ContentsSource() = default;
  // Fails: kCorrupt, kRefused: the stored contents cannot be read; kUnavailable: temporarily.
  virtual Task<SharedContents> Read(ModuleVersionRecord record) = 0;
  // Reads a mirrored module. Fails, too: kNotFound: it is not stored.
  virtual Task<SharedContents> ReadMirrored(UpstreamModuleVersion version) = 0;
  // Returns the pages of a provider's docs, if it has any. Fails: kUnavailable, kNotFound.
  virtual Task<std::vector<SearchablePage>> ReadPages(ProviderAddress address, Version version) = 0;
};

}  // namespace koya::service
