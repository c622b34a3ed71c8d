#include "service/providers/stored_contents.h"

#include <utility>

#include "domain/module_record.h"
#include "domain/upstream_record.h"
#include "service/modules/module_metadata.h"
#include "service/providers/provider_docs.h"
#include "service/search/search_entries.h"

namespace koya::service {

Task<SharedContents> StoredContents::FindContents(ModuleArchive archive) {
  auto contents = co_await insides_.FindContents(
      archive, insides_.OwnReading(), {.freshness = ContentsRequest::Freshness::kNewest});
  // Requests use up the limit of concurrent analyses; this one runs in addition to it, without a
  // wait.
  const bool busy = !contents && contents.error().kind == ErrorKind::kUnavailable;
  if (!busy) co_return contents;
  co_return co_await insides_.ReadAgain(std::move(archive));
}

Task<SharedContents> StoredContents::Read(ModuleVersionRecord record) {
  return FindContents(ArchiveOf(record));
}

Task<SharedContents> StoredContents::ReadMirrored(UpstreamModuleVersion version) {
  return FindContents(ArchiveOf(version));
}

Task<std::vector<SearchablePage>> StoredContents::ReadPages(ProviderAddress address,
                                                            Version version) {
  co_return co_await docs_.PagesForSearch(std::move(address), std::move(version),
                                          insides_.OwnReading());
}

}  // namespace koya::service
