// Reads docs and schemas of the providers published here. Pages are rendered from their files on
// each request: the Markdown renderer gets better over time, and a page is small.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "domain/provider_docs_record.h"
#include "markup/markdown.h"
#include "service/common/reading.h"

namespace koya {
class BlobStore;
class ProviderAddress;
class ProviderDocsCatalog;
class Version;
}  // namespace koya

namespace koya::service {

struct DocEntry;
struct SchemaTable;
struct SearchablePage;

struct DocList {
  std::vector<DocRecord> pages;  // by language, kind and name
  bool is_signed = false;
};

struct DocPage {
  DocRecord record;
  bool is_signed = false;
  std::string html;  // safe to embed in a page; links lead to other pages here
  std::vector<markup::Heading> contents;
  std::string item;    // name of the page's subject in the schema; or empty
  std::string schema;  // schema of the page's subject, as JSON; or empty
};

// Threads: any.
class ProviderDocs {
 public:
  // Both arguments must outlive this.
  ProviderDocs(ProviderDocsCatalog& catalog, BlobStore& blobs) : catalog_(catalog), blobs_(blobs) {}

  // A reading claims memory for the unpacked data in addition to its claim so far, and for lists
  // once they are loaded. The methods with a reading fail: kNotFound: there is no such release;
  // IsTurnedAway().

  // Fails, too: kNotFound: the release has no docs.
  Task<DocList> List(ProviderAddress address, Version version, Reading reading);
  // Summary of docs and schema; empty if there is neither.
  Task<DocsSummary> Summary(ProviderAddress address, Version version);
  // Fails, too: kNotFound: there is no such page; kCorrupt: its bytes are damaged or lost.
  Task<DocPage> Page(ProviderAddress address, Version version, DocName name, Reading reading);
  // All items, without their contents. Fails, too: kNotFound: the release has no schema.
  Task<std::vector<SchemaRecord>> Schema(ProviderAddress address, Version version, Reading reading);
  // One item as JSON. Fails, too: kNotFound, kCorrupt, as Page.
  Task<std::string> SchemaItem(ProviderAddress address, Version version, std::string kind,
                               std::string name, Reading reading);
  // The author's description of the provider, from the head of its docs; "" if there is none.
  Task<std::string> Description(ProviderAddress address, Version version);
  // All pages of configurations, including those that only the schema describes; empty if the
  // release has neither docs nor a schema.
  Task<std::vector<DocEntry>> Index(ProviderAddress address, Version version, Reading reading);
  // The schema of a page's subject, at most kMostSchemaRows rows. Fails, too: kNotFound: the schema
  // does not describe it; kCorrupt, as Page.
  static constexpr std::size_t kMostSchemaRows = 400;
  Task<SchemaTable> SchemaPage(ProviderAddress address, Version version, DocName name,
                               Reading reading);
  // Whether the page exists, or the schema describes its subject.
  Task<bool> Has(ProviderAddress address, Version version, DocName name);
  // The Markdown file of a page, unchanged. Fails: as Page.
  Task<std::string> Source(ProviderAddress address, Version version, DocName name, Reading reading);
  // Unpacks a part of an archive of a release; its memory must have been claimed. Fails: kCorrupt:
  // the bytes are damaged or lost.
  Task<std::string> ReadPart(DocArchive archive, PackedPart part, Reading reading);
  // Searchable text of the release's pages, the same that a publish provides; empty if it has no
  // docs. Damaged or lost pages are left out. For rebuilding the index.
  Task<std::vector<SearchablePage>> PagesForSearch(ProviderAddress address, Version version,
                                                   Reading reading);

 private:
  // What the schema has of a page's subject; nullopt if it does not describe it.
  Task<std::optional<SchemaRecord>> FindItem(ProviderAddress address, Version version,
                                             DocName page);

  ProviderDocsCatalog& catalog_;
  BlobStore& blobs_;
};

}  // namespace koya::service
