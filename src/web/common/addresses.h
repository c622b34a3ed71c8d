// Paths of pages and their forms. api/ has routes for them.
#pragma once

#include <string_view>

namespace koya::web {

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

}  // namespace koya::web
