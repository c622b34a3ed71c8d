#include "wire/foreign/foreign_docs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "wire/document.h"

namespace koya::wire {

template <>
constexpr auto kDocument<ForeignDoc> = Document(
    "a page of docs", Required("kind", &ForeignDoc::kind), Required("name", &ForeignDoc::name),
    Optional("language", &ForeignDoc::language), Optional("title", &ForeignDoc::title),
    Optional("subcategory", &ForeignDoc::subcategory),
    Optional("description", &ForeignDoc::description), Required("place", &ForeignDoc::place));

template <>
constexpr auto kDocument<ForeignDocs> =
    Document("the list of docs", Required("docs", &ForeignDocs::docs))
        .Within({.storage = 256U << 20});

namespace {

namespace json = boost::json;

constexpr std::string_view kVersionsName = "the list of provider versions";
constexpr std::string_view kListName = "the list of docs";
constexpr std::string_view kPageName = "the page of docs";
// A list of as many pages as limits.docs_files lets in by default, with room to spare.
constexpr std::size_t kListStorage = 32U << 20;
constexpr std::size_t kPageStorage = 16U << 20;

constexpr std::string_view kIncludedMembers[] = {"included", "id",       "type", "attributes",
                                                 "version",  "category", "slug", "subcategory",
                                                 "language", "title"};
constexpr std::string_view kPageMembers[] = {"data", "attributes", "content"};

// As addresses of our own docs have them; the overview is "overview" in both.
constexpr std::array<std::string_view, 9> kKinds = {
    "overview",       "guides",  "resources",   "data-sources", "functions", "ephemeral-resources",
    "list-resources", "actions", "state-stores"};

// The lists of OpenTofu's document, which name the folders of its pages, too.
struct TofuList {
  std::string_view key;
  std::string_view kind;
};
constexpr auto kTofuLists = std::to_array<TofuList>({{"resources", "resources"},
                                                     {"datasources", "data-sources"},
                                                     {"functions", "functions"},
                                                     {"guides", "guides"}});

bool IsDocName(std::string_view name) {
  auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kMostDocName && name[0] != '.' &&
         std::ranges::all_of(name, fits);
}

bool IsLanguage(std::string_view text) {
  constexpr std::size_t kMost = 32;
  auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return text.size() <= kMost && std::ranges::all_of(text, fits);
}

// The number of a thing below /v2/, which becomes a part of URLs.
bool IsRecordId(std::string_view text) {
  constexpr std::size_t kMost = 20;
  return !text.empty() && text.size() <= kMost &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The text of a member for display; empty when it is not plain text.
std::string ShownText(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return {};
  std::string_view text = value->get_string();
  if (!IsPlainText(text)) return {};
  return std::string(CutUtf8(text, kMostDocText));
}

std::string TextOf(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

bool IsAddressable(const ForeignDoc& doc) {
  const bool known = std::ranges::find(kKinds, doc.kind) != kKinds.end();
  const bool overview = doc.kind == "overview";
  return known && IsDocName(doc.name) && IsLanguage(doc.language) &&
         (!overview || doc.name == "index");
}

// Collects pages, and counts unusable entries.
class Pages {
 public:
  explicit Pages(std::size_t most) : most_(most) {}

  Status Add(std::optional<ForeignDoc> doc) {
    if (seen_++ == most_) {
      return FailLimit(
          ErrorKind::kTooLarge, "limits.docs_files",
          fmt::format("{}: it has more than {} pages (limits.docs_files)", kListName, most_));
    }
    if (!doc || !IsAddressable(*doc)) return {};
    Name name{doc->language, doc->kind, doc->name};
    found_.try_emplace(std::move(name), *std::move(doc));
    return {};
  }

  ForeignDocs Take() {
    ForeignDocs docs;
    docs.docs.reserve(found_.size());
    for (auto& [name, doc] : found_) docs.docs.push_back(std::move(doc));
    docs.skipped = seen_ - docs.docs.size();
    return docs;
  }

 private:
  using Name = std::tuple<std::string, std::string, std::string>;

  const std::size_t most_;
  std::size_t seen_ = 0;
  std::map<Name, ForeignDoc> found_;
};

// {"type": "provider-docs", "id": "1", "attributes": {"category": …, "slug": …}}
std::optional<ForeignDoc> ReadIncluded(const json::object& record) {
  const json::value* attributes = record.if_contains("attributes");
  std::string id = TextOf(record, "id");
  if (attributes == nullptr || !attributes->is_object() || !IsRecordId(id)) return std::nullopt;
  const json::object& said = attributes->get_object();
  ForeignDoc doc{.kind = TextOf(said, "category"),
                 .name = TextOf(said, "slug"),
                 .language = TextOf(said, "language"),
                 .title = ShownText(said, "title"),
                 .subcategory = ShownText(said, "subcategory"),
                 .description = {},
                 .place = std::move(id)};
  if (doc.language == "hcl") doc.language.clear();
  return doc;
}

std::optional<ForeignDoc> ReadTofuItem(const json::value& item, const TofuList& list,
                                       std::string_view language) {
  if (!item.is_object()) return std::nullopt;
  const json::object& said = item.get_object();
  ForeignDoc doc{.kind = std::string(list.kind),
                 .name = list.kind == "overview" ? "index" : TextOf(said, "name"),
                 .language = std::string(language),
                 .title = ShownText(said, "title"),
                 .subcategory = ShownText(said, "subcategory"),
                 .description = ShownText(said, "description"),
                 .place = {}};
  if (!language.empty()) doc.place = fmt::format("cdktf/{}/", language);
  if (!list.key.empty()) doc.place.append(list.key).append("/");
  doc.place += doc.name + ".md";
  return doc;
}

// {"index": {…}, "resources": […], …}: of configurations, or of one language of cdktf.
Status AddTofuDocs(const json::value& docs, std::string_view language, Pages& pages) {
  if (!docs.is_object()) return {};
  const json::object& lists = docs.get_object();
  const json::value* index = lists.if_contains("index");
  if (index != nullptr && !index->is_null()) {
    RETURN_IF_ERROR(pages.Add(ReadTofuItem(*index, {"", "overview"}, language)));
  }
  for (const TofuList& list : kTofuLists) {
    const json::value* items = lists.if_contains(list.key);
    if (items == nullptr || !items->is_array()) continue;
    for (const json::value& item : items->get_array()) {
      RETURN_IF_ERROR(pages.Add(ReadTofuItem(item, list, language)));
    }
  }
  return {};
}

}  // namespace

Result<std::string> DecodeProviderVersionId(std::string_view body, std::string_view version) {
  ASSIGN_OR_RETURN(const json::object document,
                   ParseObject(kVersionsName, body, {kIncludedMembers, kForeignStorage}));
  ASSIGN_OR_RETURN(const json::array* records, RequiredArray(kVersionsName, document, "included"));
  for (const json::value& each : *records) {
    if (!each.is_object()) continue;
    const json::object& record = each.get_object();
    const json::value* attributes = record.if_contains("attributes");
    if (TextOf(record, "type") != "provider-versions" || attributes == nullptr ||
        !attributes->is_object() || TextOf(attributes->get_object(), "version") != version) {
      continue;
    }
    std::string id = TextOf(record, "id");
    if (!IsRecordId(id)) return MustBe(kVersionsName, "id", "a number");
    return id;
  }
  return std::string();
}

Result<ForeignDocs> DecodeIncludedDocs(std::string_view body, std::size_t most) {
  ASSIGN_OR_RETURN(const json::object document,
                   ParseObject(kListName, body, {kIncludedMembers, kListStorage}));
  Pages pages(most);
  // JSON:API leaves it out when there is nothing to include.
  const json::value* included = document.if_contains("included");
  if (included == nullptr || included->is_null()) return pages.Take();
  ASSIGN_OR_RETURN(const json::array* records, RequiredArray(kListName, document, "included"));
  for (const json::value& each : *records) {
    const bool object = each.is_object();
    if (object && TextOf(each.get_object(), "type") != "provider-docs") continue;
    RETURN_IF_ERROR(pages.Add(object ? ReadIncluded(each.get_object()) : std::nullopt));
  }
  return pages.Take();
}

Result<std::string> DecodeDocContent(std::string_view body) {
  ASSIGN_OR_RETURN(const json::object document,
                   ParseObject(kPageName, body, {kPageMembers, kPageStorage}));
  const json::value* data = document.if_contains("data");
  const json::value* said =
      data != nullptr && data->is_object() ? data->get_object().if_contains("attributes") : nullptr;
  const json::value* text =
      said != nullptr && said->is_object() ? said->get_object().if_contains("content") : nullptr;
  if (text == nullptr || !text->is_string()) {
    return MustBe(kPageName, "data.attributes.content", "a string");
  }
  return std::string(text->get_string());
}

Result<ForeignDocs> DecodeTofuDocs(std::string_view body, std::size_t most) {
  // What languages are called cannot be said before, so all members are read.
  ASSIGN_OR_RETURN(const json::object document, ParseObject(kListName, body, {{}, kListStorage}));
  const json::value* docs = document.if_contains("docs");
  if (docs == nullptr || !docs->is_object()) return MustBe(kListName, "docs", "an object");
  Pages pages(most);
  RETURN_IF_ERROR(AddTofuDocs(*docs, "", pages));
  const json::value* languages = document.if_contains("cdktf_docs");
  if (languages == nullptr || !languages->is_object()) return pages.Take();
  for (const auto& [language, of_language] : languages->get_object()) {
    if (std::string_view(language).empty() || !IsLanguage(language)) continue;
    RETURN_IF_ERROR(AddTofuDocs(of_language, language, pages));
  }
  return pages.Take();
}

KOYA_DOCUMENT(ForeignDocs);

}  // namespace koya::wire
