#include "service/providers/doc_page.h"

#include <algorithm>
#include <utility>

#include "domain/provider_docs_record.h"
#include "inspect/provider/doc_links.h"
#include "inspect/provider/provider_doc.h"
#include "markup/markdown.h"

namespace koya::service {
namespace {

namespace provider = inspect::provider;

}  // namespace

std::optional<provider::DocAddress> AddressOf(const DocName& name) {
  auto kind = name.kind == "overview" ? std::optional(provider::DocKind::kOverview)
                                      : provider::ParseDocKind(name.kind);
  if (!kind) return std::nullopt;
  return provider::DocAddress{.kind = *kind, .name = name.name, .language = name.language};
}

RenderedDoc RenderDoc(std::string_view text, const DocName& name, const std::vector<DocName>& names,
                      const std::string& base) {
  const auto address = AddressOf(name);
  if (!address) return {};
  provider::DocWarnings warnings;
  const provider::ProviderDoc doc =
      provider::ReadProviderDoc(*address, "", text, text.size(), warnings);
  auto has = [&names](const provider::DocAddress& page) {
    const bool overview = page.kind == provider::DocKind::kOverview;
    const DocName wanted{page.language,
                         overview ? "overview" : std::string(provider::DocKindFolder(page.kind)),
                         page.name};
    return std::ranges::binary_search(names, wanted);
  };
  markup::MarkdownOptions options;
  options.link = provider::LinksOfDoc(*address, base, has);
  options.name_arguments = true;
  return {.title = doc.title,
          .subcategory = doc.subcategory,
          .description = doc.description,
          .deprecated = doc.deprecated,
          .html = markup::RenderMarkdown(doc.body, options).html};
}

}  // namespace koya::service
