// Renders a page of a provider's docs for display, published or mirrored. Pure; milliseconds for
// each 100 KiB: run on a worker.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koya {
struct DocName;
}
namespace koya::inspect::provider {
struct DocAddress;
}

namespace koya::service {

// The page that a name in the catalog denotes. nullopt: no page has such a kind.
std::optional<inspect::provider::DocAddress> AddressOf(const DocName& name);

struct RenderedDoc {
  // From its front matter, else its first lines, else its name.
  std::string title;
  std::string subcategory;
  std::string description;
  bool deprecated = false;
  std::string html;  // safe to embed in a page
};

// `names`: all pages of the release, sorted: links to these lead below `base`
// ("/providers/acme/demo/1.0.0/docs"); links to other pages lead nowhere.
RenderedDoc RenderDoc(std::string_view text, const DocName& name, const std::vector<DocName>& names,
                      const std::string& base);

}  // namespace koya::service
