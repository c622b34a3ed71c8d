#include "wire/search.h"

#include "wire/document.h"
#include "wire/json_writer.h"
#include "wire/schema.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kSearchResults = "the search response";
constexpr std::string_view kReindexReport = "the indexing report";

}  // namespace

template <>
constexpr auto kDocument<SearchMark> = Document(
    kSearchResults, Optional("begin", &SearchMark::begin), Optional("end", &SearchMark::end));

template <>
constexpr auto kDocument<SearchHit> = Document(
    kSearchResults, Required("kind", &SearchHit::kind), OrAbsent("package", &SearchHit::package),
    OrAbsent("address", &SearchHit::address), OrNull("hostname", &SearchHit::hostname),
    OrAbsent("version", &SearchHit::version), Optional("name", &SearchHit::name),
    Optional("title", &SearchHit::title), Optional("field", &SearchHit::field),
    Optional("snippet", &SearchHit::snippet), Optional("marks", &SearchHit::marks),
    OrAbsent("published_at", &SearchHit::published_at), Optional("newest", &SearchHit::newest),
    Optional("deprecated", &SearchHit::deprecated), OrAbsent("visibility", &SearchHit::visibility),
    OrAbsent("why", &SearchHit::why), OrAbsent("url", &SearchHit::url));

template <>
constexpr auto kDocument<SearchCounts> = Document(
    kSearchResults, Optional("module", &SearchCounts::modules),
    Optional("provider", &SearchCounts::providers),
    Optional("submodule", &SearchCounts::submodules), Optional("example", &SearchCounts::examples),
    Optional("resource", &SearchCounts::resources), Optional("input", &SearchCounts::inputs),
    Optional("output", &SearchCounts::outputs), Optional("doc", &SearchCounts::docs),
    Optional("guide", &SearchCounts::guides), Optional("setting", &SearchCounts::settings),
    Optional("error", &SearchCounts::errors));

template <>
constexpr auto kDocument<SearchFacetValues> = Document(
    kSearchResults, Optional("kind", &SearchFacetValues::kind),
    Optional("namespace", &SearchFacetValues::ns), Optional("system", &SearchFacetValues::system),
    Optional("deprecated", &SearchFacetValues::deprecated));

template <>
constexpr auto kDocument<SearchResults> = Document(
    kSearchResults, Required("hits", &SearchResults::hits),
    Optional("total", &SearchResults::total), Optional("packages", &SearchResults::packages),
    Optional("counts", &SearchResults::counts), Optional("facets", &SearchResults::facets),
    Optional("facets_cut", &SearchResults::facets_cut), Optional("cut", &SearchResults::cut),
    Optional("cut_kinds", &SearchResults::cut_kinds),
    Optional("forgiven", &SearchResults::forgiven), Optional("missing", &SearchResults::missing));

template <>
constexpr auto kDocument<ReindexProblem> = Document(
    kReindexReport, Required("address", &ReindexProblem::address),
    Required("version", &ReindexProblem::version), Required("problem", &ReindexProblem::problem));

template <>
constexpr auto kDocument<ReindexReport> = Document(
    kReindexReport, OrNull("next", &ReindexReport::next),
    Optional("indexed", &ReindexReport::indexed), Optional("removed", &ReindexReport::removed),
    Optional("problems", &ReindexReport::problems));

std::string EncodeSearchResults(const SearchResults& results) {
  json::object out = WriteObject(results);
  out["meta"] = PageMeta(results);
  return json::serialize(out);
}
Result<SearchResults> DecodeSearchResults(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kSearchResults, body));
  ASSIGN_OR_RETURN(SearchResults results, ReadObject<SearchResults>(document));
  RETURN_IF_ERROR(ReadPageMeta(kSearchResults, document, results));
  return results;
}

KOYA_DOCUMENT(ReindexReport);

void AddSearchSchemas(SchemaList& list) {
  AddSchema<ReindexReport>(list);
  json::object results = SchemaFor(SchemaTag<SearchResults>());
  results["properties"].as_object()["meta"] = {{"$ref", "#/components/schemas/PageMeta"}};
  list.emplace_back("SearchResults", std::move(results));
}

}  // namespace koya::wire
