// Paths of the pages, and of their forms. All pages and feeds use these.
#pragma once

#include <string>
#include <string_view>

namespace koya {
struct SearchHit;
}

namespace koya::web {

// ---- pages and their forms; api/ has routes for them

inline constexpr std::string_view kHomeAddress = "/";
inline constexpr std::string_view kSignInAddress = "/login";
inline constexpr std::string_view kConsentAddress = "/oauth/authorize";
inline constexpr std::string_view kFirstRunAddress = "/-/first-run";
inline constexpr std::string_view kAdminAddress = "/-/admin";
inline constexpr std::string_view kSearchAddress = "/search";
inline constexpr std::string_view kModulesAddress = "/modules";
inline constexpr std::string_view kProvidersAddress = "/providers";
inline constexpr std::string_view kNamespacesAddress = "/namespaces";
inline constexpr std::string_view kDocsAddress = "/-/docs";
inline constexpr std::string_view kApiDocsAddress = "/-/docs/api";
inline constexpr std::string_view kErrorDocsAddress = "/-/docs/errors";
inline constexpr std::string_view kOpenApiAddress = "/api/openapi.json";
inline constexpr std::string_view kSettingsAddress = "/-/settings";
inline constexpr std::string_view kPasswordAddress = "/-/settings/password";
inline constexpr std::string_view kTokensAddress = "/-/settings/tokens";
inline constexpr std::string_view kNewTokenAddress = "/-/settings/tokens/new";
inline constexpr std::string_view kSetupAddress = "/-/setup";
inline constexpr std::string_view kAssetsAddress = "/-/assets/";  // and the name of one

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
