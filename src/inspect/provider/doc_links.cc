#include "inspect/provider/doc_links.h"

#include <utility>

namespace koya::inspect::provider {

std::string DocAddressPath(const DocAddress& address) {
  std::string out;
  if (!address.language.empty()) out = "cdktf/" + address.language;
  if (address.kind == DocKind::kOverview) return out;
  if (!out.empty()) out += '/';
  return out.append(DocKindFolder(address.kind)).append("/").append(address.name);
}

markup::Resolve LinksOfDoc(DocAddress from, std::string base,
                           std::function<bool(const DocAddress&)> has) {
  return [from = std::move(from), base = std::move(base),
          has = std::move(has)](std::string_view address) -> std::optional<std::string> {
    std::optional<DocAddress> to = ResolveDocLink(from, address);
    if (!to || !has(*to)) return std::nullopt;
    std::string path = DocAddressPath(*to);
    return path.empty() ? base : base + "/" + path;
  };
}

}  // namespace koya::inspect::provider
