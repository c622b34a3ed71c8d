// What is inside a module's version, as it is kept; else read out of its archive, and kept. And
// the pages of a provider's docs.
#pragma once

#include "service/contents_source.h"

namespace koya {
struct ModuleVersionRecord;
class ProviderAddress;
struct UpstreamModuleVersion;
class Version;
}  // namespace koya

namespace koya::service {

struct ModuleArchive;
class ModuleInsides;
class ProviderDocs;
struct SearchablePage;

class KeptContents final : public ContentsSource {
 public:
  KeptContents(ModuleInsides& insides, ProviderDocs& docs) : insides_(insides), docs_(docs) {}

  // As today's reader finds it; so the next.
  Task<SharedContents> Read(ModuleVersionRecord record) override;
  Task<SharedContents> ReadMirrored(UpstreamModuleVersion version) override;
  Task<std::vector<SearchablePage>> ReadPages(ProviderAddress address, Version version) override;

 private:
  Task<SharedContents> Find(ModuleArchive archive);

  ModuleInsides& insides_;
  ProviderDocs& docs_;
};

}  // namespace koya::service
