// Reading docs and schemas of the providers that are published here. A page is made of its file
// whenever it is asked for: what makes HTML of Markdown gets better, and a page is small.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "domain/provider_docs_record.h"
#include "service/reading.h"

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
  std::string html;    // safe to stand in a page; links lead to other pages here
  std::string schema;  // of what the page is about, as JSON; or empty
};

// Threads: any.
class ProviderDocs {
 public:
  // Both must outlive this.
  ProviderDocs(ProviderDocsCatalog& catalog, BlobStore& blobs) : catalog_(catalog), blobs_(blobs) {}

  // A reading claims what is unpacked for it beside what it has, and lists once they are there.
  // These fail: kNotFound: there is no such release; IsTurnedAway().

  // Fails, too: kNotFound: it has no docs.
  Task<DocList> List(ProviderAddress address, Version version, Reading reading);
  // What there is, in short; nothing in it when there is neither.
  Task<DocsSummary> Summary(ProviderAddress address, Version version);
  // Fails, too: kNotFound: there is no such page; kCorrupt: its bytes are damaged, or gone.
  Task<DocPage> Page(ProviderAddress address, Version version, DocName name, Reading reading);
  // All items, without what is in them. Fails, too: kNotFound: it has no schema.
  Task<std::vector<SchemaRecord>> Schema(ProviderAddress address, Version version, Reading reading);
  // One of them, as JSON. Fails, too: kNotFound, kCorrupt, as Page.
  Task<std::string> SchemaItem(ProviderAddress address, Version version, std::string kind,
                               std::string name, Reading reading);
  // What the author says of the provider at the head of its docs; "" where nothing is said.
  Task<std::string> Description(ProviderAddress address, Version version);
  // All pages of configurations, those that only the schema describes among them; empty when the
  // release has neither docs nor a schema.
  Task<std::vector<DocEntry>> Index(ProviderAddress address, Version version, Reading reading);
  // What the schema says of what a page is about, at most kMostSchemaRows rows of it. Fails, too:
  // kNotFound: it says nothing of it; kCorrupt, as Page.
  static constexpr std::size_t kMostSchemaRows = 400;
  Task<SchemaTable> SchemaPage(ProviderAddress address, Version version, DocName name,
                               Reading reading);
  // Whether there is such a page, or the schema describes what it would be about.
  Task<bool> Has(ProviderAddress address, Version version, DocName name);
  // A page's file, as its author wrote it. Fails: as Page.
  Task<std::string> Source(ProviderAddress address, Version version, DocName name, Reading reading);
  // A part of an archive of a release, unpacked, for which room was claimed. Fails: kCorrupt: its
  // bytes are damaged, or gone.
  Task<std::string> ReadPart(DocArchive archive, PackedPart part, Reading reading);
  // What a search finds its pages by, as a publish has it: nothing when it has no docs. Pages that
  // are damaged, or gone, are left out. For indexing anew.
  Task<std::vector<SearchablePage>> PagesForSearch(ProviderAddress address, Version version,
                                                   Reading reading);

 private:
  Task<std::string> SchemaOf(ProviderAddress address, Version version, DocArchive archive,
                             DocName page, Reading reading);

  ProviderDocsCatalog& catalog_;
  BlobStore& blobs_;
};

}  // namespace koya::service
