#include "service/search/mirrored_docs.h"

#include <utility>

#include "base/offload.h"
#include "catalog/upstream_catalog.h"
#include "domain/upstream_record.h"
#include "service/search/search_entries.h"
#include "wire/foreign_docs.h"

namespace koya::service {
namespace {

std::vector<SearchablePage> SearchablePagesOf(const std::string& body) {
  std::vector<SearchablePage> pages;
  Result<wire::ForeignDocs> list = wire::Decode<wire::ForeignDocs>(body);
  if (!list) return pages;
  for (wire::ForeignDoc& doc : list->docs) {
    if (!doc.language.empty()) continue;
    std::string title = doc.title.empty() ? doc.name : std::move(doc.title);
    pages.push_back({.kind = std::move(doc.kind),
                     .name = std::move(doc.name),
                     .title = std::move(title),
                     .text = std::move(doc.description)});
  }
  return pages;
}

}  // namespace

std::string MirroredDocsKey(const UpstreamProvider& provider, const Version& version) {
  return "provider-docs:" + provider.Key() + "@" + version.ToString();
}

Task<std::vector<SearchablePage>> ReadMirroredPages(UpstreamDocuments& documents,
                                                    WorkerPool& workers, UpstreamProvider provider,
                                                    Version version) {
  auto held = co_await documents.FindDocument(MirroredDocsKey(provider, version));
  if (!held && held.error().kind == ErrorKind::kNotFound) {
    co_return std::vector<SearchablePage>();
  }
  if (!held) co_return Failure(std::move(held).error());
  auto read = [&held] { return SearchablePagesOf(held->body); };
  co_return co_await Offload(workers, read);
}

}  // namespace koya::service
