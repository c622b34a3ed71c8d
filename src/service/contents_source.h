// Where what is inside a published version comes from, for whoever indexes it.
#pragma once

#include <vector>

#include "base/task.h"
#include "service/module_reading.h"

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
  // Fails: kCorrupt, kRefused: what is kept cannot be read; kUnavailable: not now.
  virtual Task<SharedContents> Read(ModuleVersionRecord record) = 0;
  // Of a module that is kept of another registry. Fails, too: kNotFound: it is not kept.
  virtual Task<SharedContents> ReadMirrored(UpstreamModuleVersion version) = 0;
  // The pages of a provider's docs; it may have none. Fails: kUnavailable, kNotFound.
  virtual Task<std::vector<SearchablePage>> ReadPages(ProviderAddress address, Version version) = 0;
};

}  // namespace koya::service
