#include "wire/provider_docs.h"

#include "wire/document.h"
#include "wire/schema.h"
#include "wire/shared_documents.h"

namespace koya::wire {
namespace {

// Docs have as many pages as limits.docs_files lets in.
constexpr JsonLimits kDocListBounds{.storage = 256U << 20};

}  // namespace

template <>
constexpr auto kDocument<DocEntry> = Document(
    "a page of docs", Required("kind", &DocEntry::kind), Required("name", &DocEntry::name),
    Optional("language", &DocEntry::language), Optional("title", &DocEntry::title),
    Optional("subcategory", &DocEntry::subcategory),
    Optional("description", &DocEntry::description), Optional("deprecated", &DocEntry::deprecated));

template <>
constexpr auto kDocument<DocList> = Document("the list of docs", Required("docs", &DocList::docs),
                                             Optional("signed", &DocList::is_signed))
                                        .Within(kDocListBounds);

template <>
constexpr auto kDocument<ReadmeHeading> =
    Document("a heading", Optional("level", &ReadmeHeading::level),
             Required("name", &ReadmeHeading::name), Optional("text", &ReadmeHeading::text));

template <>
constexpr auto kDocument<Readme> =
    Document("the README", Required("file", &Readme::file), Optional("lang", &Readme::lang),
             Optional("html", &Readme::html), Optional("contents", &Readme::contents),
             Optional("truncated", &Readme::truncated));

template <>
constexpr auto kDocument<DocPage> = Document(
    "a page of docs", Required("kind", &DocPage::kind), Required("name", &DocPage::name),
    Optional("language", &DocPage::language), Optional("title", &DocPage::title),
    Optional("subcategory", &DocPage::subcategory), Optional("description", &DocPage::description),
    Optional("deprecated", &DocPage::deprecated), Optional("signed", &DocPage::is_signed),
    Optional("html", &DocPage::html), Optional("contents", &DocPage::contents));

template <>
constexpr auto kDocument<SchemaEntry> = Document(
    "an item of the schema", Required("kind", &SchemaEntry::kind),
    Optional("name", &SchemaEntry::name), Optional("deprecated", &SchemaEntry::deprecated));

template <>
constexpr auto kDocument<KindCount> =
    Document("a count", Required("kind", &KindCount::kind), Optional("count", &KindCount::count));

template <>
constexpr auto kDocument<DocsInside> =
    Document("the docs", Optional("signed", &DocsInside::is_signed),
             Optional("pages", &DocsInside::pages), Optional("languages", &DocsInside::languages));

template <>
constexpr auto kDocument<SchemaInside> =
    Document("the schema", Optional("signed", &SchemaInside::is_signed),
             Optional("items", &SchemaInside::items));

template <>
constexpr auto kDocument<ProviderInside> = Document(
    "the provider's contents", Required("address", &ProviderInside::address),
    Required("version", &ProviderInside::version), OrNull("docs", &ProviderInside::docs),
    OrNull("schema", &ProviderInside::schema), Optional("warnings", &ProviderInside::warnings));

KOYA_DOCUMENT(DocList);
KOYA_DOCUMENT(Readme);

std::string EncodeDocPage(const DocPage& page, std::string_view schema) {
  std::string out = Encode(page);
  out.back() = ',';
  out += "\"schema\":";
  return out.append(schema.empty() ? "null" : schema).append("}");
}

template std::string Encode(const SchemaEntries&);

KOYA_DOCUMENT(ProviderInside);

void AddProviderDocsSchemas(SchemaList& list) {
  AddSchema<DocList>(list);
  AddSchema<SchemaEntry>(list);
  AddSchema<ProviderInside>(list);
  boost::json::object page = SchemaFor(SchemaTag<DocPage>());
  page["properties"].as_object()["schema"] = boost::json::object();
  list.emplace_back("DocPage", std::move(page));
}

void AddReadmeSchemas(SchemaList& list) { AddSchema<Readme>(list); }

}  // namespace koya::wire
