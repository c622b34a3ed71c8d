// Source of stored contents of module versions, which reads and stores missing ones from the
// archive; also of the pages of a provider's docs.
#pragma once

#include "service/search/reindex.h"

namespace koya {
struct ModuleVersionRecord;
class ProviderAddress;
struct UpstreamModuleVersion;
class Version;
}  // namespace koya

namespace koya::service {

struct ModuleArchive;
class ModuleMetadata;
class ProviderDocs;
struct SearchablePage;

class StoredContents final : public ContentsSource {
 public:
  StoredContents(ModuleMetadata& insides, ProviderDocs& docs) : insides_(insides), docs_(docs) {}

  // As the current reader finds them; so does ReadMirrored.
  Task<SharedContents> Read(ModuleVersionRecord record) override;
  Task<SharedContents> ReadMirrored(UpstreamModuleVersion version) override;
  Task<std::vector<SearchablePage>> ReadPages(ProviderAddress address, Version version) override;

 private:
  Task<SharedContents> FindContents(ModuleArchive archive);

  ModuleMetadata& insides_;
  ProviderDocs& docs_;
};

}  // namespace koya::service
