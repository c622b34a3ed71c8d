#include "service/providers/provider_docs.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "archive/docs_package.h"
#include "base/text.h"
#include "blobs/blob_store.h"
#include "catalog/provider_catalog.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "inspect/provider/doc_address.h"
#include "inspect/provider/provider_doc.h"
#include "service/providers/docs_pages.h"
#include "service/providers/docs_reading.h"

namespace koya::service {
namespace {

namespace provider = inspect::provider;

constexpr std::uint64_t kMostOfPart = 64ULL << 20;  // far more than is stored of any part
// Of the text of a page or of an item: HTML or values are made of it, and an answer of those.
constexpr std::uint64_t kPartWeight = 6;
// Of a page or an item in a list, which pages and answers show.
constexpr std::uint64_t kListedBytes = 512;

// What a part is for that is shown.
Task<void> ClaimPart(Reading reading, PackedPart part) {
  const std::uint64_t bytes = kUnpackBytes + part.packed + kPartWeight * part.size;
  co_return co_await reading.Claim(reading.claimed() + bytes);
}

Failure NoDocs(const ProviderAddress& address, const Version& version, std::string_view what) {
  return FailNotFound(
      "{} {} was published without {}: koya publish provider --{} stores it with a version",
      address.ToString(), version.ToString(), what == "docs" ? "docs" : "a schema", what);
}

}  // namespace

Task<std::string> ProviderDocs::ReadPart(DocArchive archive, PackedPart part, Reading reading) {
  if (part.packed > kMostOfPart || part.size > kMostOfPart) {
    co_return Fail(ErrorKind::kCorrupt, "the index of the docs is damaged in this server's catalog",
                   "a part is too large");
  }
  auto blob = co_await blobs_.Open(archive.digest);
  if (!blob && blob.error().kind == ErrorKind::kNotFound) {
    co_return Fail(ErrorKind::kCorrupt,
                   "the docs are missing from this server's storage: publish the same release "
                   "again, or have its operator restore them from a backup",
                   "no blob " + archive.digest.ToString());
  }
  if (!blob) co_return Failure(std::move(blob).error());
  std::string packed(part.packed, '\0');
  std::span<std::byte> rest = std::as_writable_bytes(std::span(packed));
  std::uint64_t at = part.begin;
  while (!rest.empty()) {
    ASSIGN_OR_CO_RETURN(std::size_t got, co_await (*blob)->ReadAt(at, rest));
    if (got == 0) break;  // told when it is unpacked
    at += got;
    rest = rest.subspan(got);
  }
  packed.resize(packed.size() - rest.size());
  auto unpack = [&packed, &part] { return UnpackPart(packed, part); };
  co_return co_await reading.Do(unpack);
}

Task<DocList> ProviderDocs::List(ProviderAddress address, Version version, Reading reading) {
  ASSIGN_OR_CO_RETURN(DocsSummary summary, co_await catalog_.FindDocs(address, version));
  if (!summary.docs) co_return NoDocs(address, version, "docs");
  DocList list;
  list.is_signed = summary.docs->is_signed;
  ASSIGN_OR_CO_RETURN(list.pages, co_await catalog_.ListDocs(address, version));
  CO_RETURN_IF_ERROR(co_await reading.Claim(reading.claimed() + kListedBytes * list.pages.size()));
  co_return list;
}

Task<DocsSummary> ProviderDocs::Summary(ProviderAddress address, Version version) {
  co_return co_await catalog_.FindDocs(std::move(address), std::move(version));
}

Task<std::optional<SchemaRecord>> ProviderDocs::FindItem(ProviderAddress address, Version version,
                                                         DocName page) {
  const std::optional<SchemaNames> names = SchemaNamesOf(page, address.type());
  if (!names) co_return std::nullopt;
  for (const std::string& name : names->names) {
    auto item = co_await catalog_.FindSchema(address, version, names->kind, name);
    if (item) co_return *std::move(item);
    if (item.error().kind != ErrorKind::kNotFound) co_return Failure(std::move(item).error());
  }
  co_return std::nullopt;
}

Task<DocPage> ProviderDocs::Page(ProviderAddress address, Version version, DocName name,
                                 Reading reading) {
  ASSIGN_OR_CO_RETURN(DocsSummary summary, co_await catalog_.FindDocs(address, version));
  if (!summary.docs) co_return NoDocs(address, version, "docs");
  DocPage page;
  page.is_signed = summary.docs->is_signed;
  ASSIGN_OR_CO_RETURN(page.record, co_await catalog_.FindDoc(address, version, std::move(name)));
  ASSIGN_OR_CO_RETURN(std::vector<DocName> names, co_await catalog_.ListDocNames(address, version));
  CO_RETURN_IF_ERROR(co_await ClaimPart(reading, page.record.part));
  ASSIGN_OR_CO_RETURN(std::string text,
                      co_await ReadPart(*summary.docs, page.record.part, reading));
  const std::string base =
      fmt::format("/providers/{}/{}/docs", address.ToString(), version.ToString());
  auto render = [&]() -> Result<RenderedDoc> {
    return RenderDoc(text, page.record.name, names, base);
  };
  ASSIGN_OR_CO_RETURN(RenderedDoc rendered, co_await reading.Do(render));
  page.html = std::move(rendered.html);
  page.contents = std::move(rendered.contents);
  if (!summary.schema) co_return page;
  ASSIGN_OR_CO_RETURN(std::optional<SchemaRecord> item,
                      co_await FindItem(address, version, page.record.name));
  if (!item) co_return page;
  CO_RETURN_IF_ERROR(co_await ClaimPart(reading, item->part));
  ASSIGN_OR_CO_RETURN(page.schema, co_await ReadPart(*summary.schema, item->part, reading));
  page.item = std::move(item->name);
  co_return page;
}

Task<std::vector<SearchablePage>> ProviderDocs::PagesForSearch(ProviderAddress address,
                                                               Version version, Reading reading) {
  std::vector<SearchablePage> pages;
  ASSIGN_OR_CO_RETURN(DocsSummary summary, co_await catalog_.FindDocs(address, version));
  if (!summary.docs) co_return pages;
  ASSIGN_OR_CO_RETURN(std::vector<DocRecord> records,
                      co_await catalog_.ListDocs(std::move(address), std::move(version)));
  for (const DocRecord& record : records) {
    const auto page = AddressOf(record.name);
    if (!page || !record.name.language.empty()) continue;
    Result<std::string> text = co_await ReadPart(*summary.docs, record.part, reading);
    if (!text && text.error().kind != ErrorKind::kCorrupt) co_return Failure(text.error());
    if (!text) continue;
    auto read = [&]() -> Result<SearchablePage> {
      provider::DocWarnings warnings;
      return PageForSearch(provider::ReadProviderDoc(*page, "", *text, text->size(), warnings),
                           records.size());
    };
    ASSIGN_OR_CO_RETURN(SearchablePage searchable, co_await reading.Do(read));
    pages.push_back(std::move(searchable));
  }
  co_return pages;
}

Task<std::vector<SchemaRecord>> ProviderDocs::Schema(ProviderAddress address, Version version,
                                                     Reading reading) {
  ASSIGN_OR_CO_RETURN(DocsSummary summary, co_await catalog_.FindDocs(address, version));
  if (!summary.schema) co_return NoDocs(address, version, "schema");
  ASSIGN_OR_CO_RETURN(std::vector<SchemaRecord> items,
                      co_await catalog_.ListSchema(std::move(address), std::move(version)));
  CO_RETURN_IF_ERROR(co_await reading.Claim(reading.claimed() + kListedBytes * items.size()));
  co_return items;
}

Task<std::string> ProviderDocs::SchemaItem(ProviderAddress address, Version version,
                                           std::string kind, std::string name, Reading reading) {
  ASSIGN_OR_CO_RETURN(DocsSummary summary, co_await catalog_.FindDocs(address, version));
  if (!summary.schema) co_return NoDocs(address, version, "schema");
  ASSIGN_OR_CO_RETURN(SchemaRecord item,
                      co_await catalog_.FindSchema(std::move(address), std::move(version),
                                                   std::move(kind), std::move(name)));
  CO_RETURN_IF_ERROR(co_await ClaimPart(reading, item.part));
  co_return co_await ReadPart(*summary.schema, item.part, reading);
}

Task<std::vector<DocEntry>> ProviderDocs::Index(ProviderAddress address, Version version,
                                                Reading reading) {
  ASSIGN_OR_CO_RETURN(DocsSummary summary, co_await catalog_.FindDocs(address, version));
  std::vector<DocRecord> pages;
  std::vector<SchemaRecord> items;
  if (summary.docs) {
    ASSIGN_OR_CO_RETURN(pages, co_await catalog_.ListDocs(address, version));
  }
  if (summary.schema) {
    ASSIGN_OR_CO_RETURN(items, co_await catalog_.ListSchema(address, std::move(version)));
  }
  CO_RETURN_IF_ERROR(
      co_await reading.Claim(reading.claimed() + kListedBytes * (pages.size() + items.size())));
  co_return IndexDocs(pages, items, address.type());
}

Task<std::string> ProviderDocs::Description(ProviderAddress address, Version version) {
  Result<DocRecord> overview =
      co_await catalog_.FindDoc(std::move(address), std::move(version),
                                {.language = "", .kind = "overview", .name = "index"});
  if (overview) co_return std::move(overview->description);
  if (overview.error().kind == ErrorKind::kNotFound) co_return std::string();
  co_return Failure(std::move(overview).error());
}

Task<SchemaTable> ProviderDocs::SchemaPage(ProviderAddress address, Version version, DocName name,
                                           Reading reading) {
  ASSIGN_OR_CO_RETURN(DocsSummary summary, co_await catalog_.FindDocs(address, version));
  if (!summary.schema) co_return NoDocs(address, version, "schema");
  ASSIGN_OR_CO_RETURN(std::optional<SchemaRecord> item, co_await FindItem(address, version, name));
  if (!item) {
    co_return FailNotFound("the schema of {} {} does not contain {}", address.ToString(),
                           version.ToString(), Printable(name.kind + "/" + name.name, 200));
  }
  CO_RETURN_IF_ERROR(co_await ClaimPart(reading, item->part));
  ASSIGN_OR_CO_RETURN(std::string schema, co_await ReadPart(*summary.schema, item->part, reading));
  Result<SchemaTable> table = ReadSchemaTable(schema, kMostSchemaRows);
  if (table) co_return table;
  co_return Fail(ErrorKind::kCorrupt, "a schema is damaged in this server's storage",
                 std::move(table).error().message);
}

Task<bool> ProviderDocs::Has(ProviderAddress address, Version version, DocName name) {
  Result<DocRecord> page = co_await catalog_.FindDoc(address, version, name);
  if (page) co_return true;
  if (page.error().kind != ErrorKind::kNotFound) co_return Failure(std::move(page).error());
  if (!name.language.empty()) co_return false;
  ASSIGN_OR_CO_RETURN(std::optional<SchemaRecord> item,
                      co_await FindItem(std::move(address), std::move(version), std::move(name)));
  co_return item.has_value();
}

Task<std::string> ProviderDocs::Source(ProviderAddress address, Version version, DocName name,
                                       Reading reading) {
  ASSIGN_OR_CO_RETURN(DocsSummary summary, co_await catalog_.FindDocs(address, version));
  if (!summary.docs) co_return NoDocs(address, version, "docs");
  ASSIGN_OR_CO_RETURN(
      DocRecord record,
      co_await catalog_.FindDoc(std::move(address), std::move(version), std::move(name)));
  CO_RETURN_IF_ERROR(co_await ClaimPart(reading, record.part));
  co_return co_await ReadPart(*summary.docs, record.part, reading);
}

}  // namespace koya::service
