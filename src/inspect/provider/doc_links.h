// Links in a page of docs, as markup's `Resolve`. Pure: any thread.
#pragma once

#include <functional>
#include <string>

#include "inspect/provider/doc_address.h"
#include "markup/markdown.h"

namespace koya::inspect::provider {

// Behind "…/docs/": "resources/a", "cdktf/python/resources/a"; "" for the overview.
std::string DocAddressPath(const DocAddress& address);

// Leads to BASE/resources/a and its like when `has` knows that page; other links lead nowhere.
// `base` is of ours: "/providers/acme/demo/1.0.0/docs", without a "/" at its end.
markup::Resolve LinksOfDoc(DocAddress from, std::string base,
                           std::function<bool(const DocAddress&)> has);

}  // namespace koya::inspect::provider
