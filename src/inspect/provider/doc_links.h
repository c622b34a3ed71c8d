// Resolves links in a page of docs, as markup's `Resolve`. Pure: any thread.
#pragma once

#include <functional>
#include <string>

#include "inspect/provider/doc_address.h"
#include "markup/markdown.h"

namespace koya::inspect::provider {

// The path after "…/docs/": "resources/a", "cdktf/python/resources/a"; "" for the overview.
std::string DocAddressPath(const DocAddress& address);

// Resolves to BASE/resources/a and similar if `has` knows that page; other links lead nowhere.
// `base` is a path on this server: "/providers/acme/demo/1.0.0/docs", without a "/" at its end.
markup::Resolve LinksOfDoc(DocAddress from, std::string base,
                           std::function<bool(const DocAddress&)> has);

}  // namespace koya::inspect::provider
