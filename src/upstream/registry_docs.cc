#include "upstream/registry_docs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "upstream/registry_source.h"

namespace koya::upstream {
namespace {

// A page of JSON:API is a text within a document, where an escaped character takes up to six bytes.
constexpr std::uint64_t kMostEscaped = 6;

// "NS/TYPE/v1.0.0/" in the files of OpenTofu's registry.
std::string TofuFolder(const ProviderAddress& address, const Version& version) {
  return fmt::format("{}/v{}/", PathOf(address), http::PercentEncode(version.ToString()));
}

// A path below that folder, of parts that are names.
std::string EncodedPath(std::string_view path) {
  std::string out;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (begin > 0) out += '/';
    out += http::PercentEncode(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

DocsApi Api(std::string_view registry, DocsFamily family, std::string_view base) {
  return {*HostName::Parse(registry), family, *http::ParseUrl(base)};
}

}  // namespace

std::vector<DocsApi> PublicDocsApis() {
  return {Api("registry.terraform.io", DocsFamily::kJsonApi, "https://registry.terraform.io/v2/"),
          Api("registry.opentofu.org", DocsFamily::kTofuFiles,
              "https://api.opentofu.org/registry/docs/providers/")};
}

struct RegistryDocs::Question {
  std::string path;  // below the API's base, with its query
  std::string what;
  Validators held = {};
  std::uint64_t max_bytes = kMaxMetadata;
  Deadline patience = {};
};

std::optional<HostName> RegistryDocs::HostOf(const HostName& registry) const {
  const auto api = std::ranges::find(apis_, registry, &DocsApi::registry);
  if (api == apis_.end()) return std::nullopt;
  Result<HostName> host = HostName::ParseWire(api->base.Authority());
  if (!host) return std::nullopt;
  return *std::move(host);
}

Result<const DocsApi*> RegistryDocs::ApiOf(const HostName& registry) const {
  const auto api = std::ranges::find(apis_, registry, &DocsApi::registry);
  if (api != apis_.end()) return &*api;
  return FailNotFound("{} has no docs API that Koya knows", registry.display());
}

Result<Document> RegistryDocs::FetchDocument(const DocsApi& api, Question question) {
  Result<http::Url> url = http::ResolveUrl(api.base, question.path);
  if (!url) return BadDocument(question.what, api.base, "it cannot have a URL there");
  return fetcher_.Get({.url = *url,
                       .what = std::move(question.what),
                       .held = std::move(question.held),
                       .max_bytes = question.max_bytes,
                       .patience = std::move(question.patience),
                       .same_host = true});
}

Result<std::string> RegistryDocs::ListPath(const DocsApi& api, const ProviderAddress& address,
                                           const Version& version, const Deadline& patience) {
  if (api.family == DocsFamily::kTofuFiles) return TofuFolder(address, version) + "index.json";
  Question question{.path = fmt::format("providers/{}?include=provider-versions", PathOf(address)),
                    .what = fmt::format("the list of versions of {}", address.ToString()),
                    .patience = patience};
  const std::string what = question.what;
  ASSIGN_OR_RETURN(Document document, FetchDocument(api, std::move(question)));
  auto id = wire::DecodeProviderVersionId(document.body, version.ToString());
  if (!id) return BadDocument(what, document.url, id.error().message, id.error().limit);
  if (id->empty()) {
    return FailNotFound("{} has no version {} of {}", api.registry.display(), version.ToString(),
                        address.ToString());
  }
  return fmt::format("provider-versions/{}?include=provider-docs", *id);
}

Result<FetchedDocs> RegistryDocs::List(const HostName& registry, const ProviderAddress& address,
                                       const Version& version, const Validators& held,
                                       const Deadline& caller) {
  const Deadline patience = fetcher_.ForDocuments(caller);
  ASSIGN_OR_RETURN(const DocsApi* api, ApiOf(registry));
  ASSIGN_OR_RETURN(std::string path, ListPath(*api, address, version, patience));
  Question question{
      .path = std::move(path),
      .what = fmt::format("the docs of {} {}", address.ToString(), version.ToString()),
      .held = held,
      .max_bytes = bounds_.list_bytes,
      .patience = patience};
  const std::string what = question.what;
  ASSIGN_OR_RETURN(Document document, FetchDocument(*api, std::move(question)));
  FetchedDocs fetched{
      .unchanged = document.unchanged, .list = {}, .validators = document.validators};
  if (document.unchanged) return fetched;
  auto list = api->family == DocsFamily::kJsonApi
                  ? wire::DecodeIncludedDocs(document.body, bounds_.files)
                  : wire::DecodeTofuDocs(document.body, bounds_.files);
  if (!list) return BadDocument(what, document.url, list.error().message, list.error().limit);
  fetched.list = *std::move(list);
  return fetched;
}

Result<std::string> RegistryDocs::Page(const HostName& registry, const ProviderAddress& address,
                                       const Version& version, const wire::ForeignDoc& page,
                                       const Deadline& caller) {
  ASSIGN_OR_RETURN(const DocsApi* api, ApiOf(registry));
  const bool json = api->family == DocsFamily::kJsonApi;
  Question question{.path = json ? "provider-docs/" + http::PercentEncode(page.place)
                                 : TofuFolder(address, version) + EncodedPath(page.place),
                    .what = fmt::format("the page {}/{} of {} {}", page.kind, page.name,
                                        address.ToString(), version.ToString()),
                    .max_bytes = bounds_.page_bytes * (json ? kMostEscaped : 1),
                    .patience = fetcher_.ForDocuments(caller)};
  const std::string what = question.what;
  ASSIGN_OR_RETURN(Document document, FetchDocument(*api, std::move(question)));
  Result<std::string> text = json ? wire::DecodeDocContent(document.body) : document.body;
  if (!text) return BadDocument(what, document.url, text.error().message, text.error().limit);
  if (text->size() > bounds_.page_bytes) {
    return BadDocument(what, document.url,
                       fmt::format("it has {} bytes, and the limit of a page of docs is {}",
                                   text->size(), bounds_.page_bytes),
                       "fixed.docs_page_bytes");
  }
  if (!IsUtf8(*text)) return BadDocument(what, document.url, "it is not UTF-8");
  return text;
}

}  // namespace koya::upstream
