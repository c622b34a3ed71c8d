// A page of a provider's docs as it is shown, whoever keeps its text. Pure; milliseconds for each
// 100 KiB: for a worker.
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

// What a name in the catalog means. None: no page has such a kind.
std::optional<inspect::provider::DocAddress> AddressOf(const DocName& name);

struct RenderedDoc {
  // From its front matter, else its first lines, else its name.
  std::string title;
  std::string subcategory;
  std::string description;
  bool deprecated = false;
  std::string html;  // safe to stand in a page
};

// `names`: all pages of the release, in order: links to these lead below `base`
// ("/providers/acme/demo/1.0.0/docs"), links to others nowhere.
RenderedDoc RenderDoc(std::string_view text, const DocName& name, const std::vector<DocName>& names,
                      const std::string& base);

}  // namespace koya::service
