// Paths of the pages of modules, providers and namespaces. All pages and feeds use these.
#pragma once

#include <string>
#include <string_view>

#include "domain/search_record.h"

namespace koya::web {

// "/modules/acme/vpc/aws", ".../1.0.0", ".../1.0.0/inputs". `address` and `version` as they are
// shown; `rest` may be several segments. Each is encoded.
std::string ModulePath(std::string_view address, std::string_view version = {},
                       std::string_view rest = {});
// "/providers/acme/demo", ".../1.0.0", ".../1.0.0/docs/resources/server".
std::string ProviderPath(std::string_view address, std::string_view version = {},
                         std::string_view rest = {});
std::string NamespacePath(std::string_view ns);
// The Atom feed of a namespace, of a module, of a provider.
std::string FeedPath(std::string_view ns);
std::string ModuleFeedPath(std::string_view address);
std::string ProviderFeedPath(std::string_view address);

// The page of the module or provider that contains a hit, and the page of the hit itself. The path
// names a version unless the newest is meant. Stored packages of other registries are below
// /-/mirror.
std::string PackagePath(const SearchHit& hit);
std::string PathOfHit(const SearchHit& hit);

}  // namespace koya::web
