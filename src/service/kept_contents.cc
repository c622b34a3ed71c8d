#include "service/kept_contents.h"

#include <utility>

#include "domain/module_record.h"
#include "domain/upstream_record.h"
#include "service/module_insides.h"
#include "service/provider_docs.h"
#include "service/search_entries.h"

namespace koya::service {

Task<SharedContents> KeptContents::Find(ModuleArchive archive) {
  auto contents = co_await insides_.Find(archive, insides_.OwnReading(),
                                         {.freshness = ContentsWish::Freshness::kNewest});
  // Others ask for as many as may be read for them at once; this is one more, and waits for nobody.
  const bool busy = !contents && contents.error().kind == ErrorKind::kUnavailable;
  if (!busy) co_return contents;
  co_return co_await insides_.ReadAnew(std::move(archive));
}

Task<SharedContents> KeptContents::Read(ModuleVersionRecord record) {
  return Find(ArchiveOf(record));
}

Task<SharedContents> KeptContents::ReadMirrored(UpstreamModuleVersion version) {
  return Find(ArchiveOf(version));
}

Task<std::vector<SearchablePage>> KeptContents::ReadPages(ProviderAddress address,
                                                          Version version) {
  co_return co_await docs_.PagesForSearch(std::move(address), std::move(version),
                                          insides_.OwnReading());
}

}  // namespace koya::service
