// Tables of routes, each defined beside its handlers; routes.cc joins them in this order.
#pragma once

#include <span>

#include "api/common/route.h"

namespace koya::api {

std::span<const Route> DiscoveryRoutes();
std::span<const Route> ModuleRoutes();
std::span<const Route> ProviderRoutes();
std::span<const Route> MirrorRoutes();
std::span<const Route> OriginRoutes();
std::span<const Route> OriginModuleRoutes();
std::span<const Route> HomePageRoutes();
std::span<const Route> SignInPageRoutes();
std::span<const Route> ConsentRoutes();
std::span<const Route> OauthTokenRoutes();
std::span<const Route> OauthRevokeRoutes();
std::span<const Route> FirstRunRoutes();
std::span<const Route> SitePageRoutes();
std::span<const Route> OidcSignInRoutes();
std::span<const Route> SearchPageRoutes();
std::span<const Route> ProviderPageRoutes();
std::span<const Route> ProviderHistoryPageRoutes();
std::span<const Route> ProviderDocsPageRoutes();
std::span<const Route> VersionFormRoutes();
std::span<const Route> MirrorPageRoutes();
std::span<const Route> MirrorPackagesPageRoutes();
std::span<const Route> MirrorProviderPageRoutes();
std::span<const Route> MirrorDocsPageRoutes();
std::span<const Route> ModulePageRoutes();
std::span<const Route> ModuleTabRoutes();
std::span<const Route> ModuleChangesPageRoutes();
std::span<const Route> ModuleFilePageRoutes();
std::span<const Route> NamespacePageRoutes();
std::span<const Route> NamespaceKeyPageRoutes();
std::span<const Route> NamespacePeopleRoutes();
std::span<const Route> NamespaceTrustPageRoutes();
std::span<const Route> SetupPageRoutes();
std::span<const Route> AccountPageRoutes();
std::span<const Route> FeedRoutes();
std::span<const Route> AdminStatePageRoutes();
std::span<const Route> AdminAuditPageRoutes();
std::span<const Route> AdminGrantsPageRoutes();
std::span<const Route> AdminUserPageRoutes();
std::span<const Route> AdminGroupPageRoutes();
std::span<const Route> AdminSignInPageRoutes();
std::span<const Route> ManualPageRoutes();
std::span<const Route> ApiDocsPageRoutes();
std::span<const Route> ModuleListingRoutes();
std::span<const Route> ProviderListingRoutes();
std::span<const Route> OpenapiRoutes();
std::span<const Route> SearchRoutes();
std::span<const Route> ModuleDiffRoutes();
std::span<const Route> ModulePublishingRoutes();
std::span<const Route> ModuleInsideRoutes();
std::span<const Route> ProviderPublishingRoutes();
std::span<const Route> ProviderDiffRoutes();
std::span<const Route> ProviderDocsRoutes();
std::span<const Route> SigningKeyRoutes();
std::span<const Route> VerifyRoutes();
std::span<const Route> MirrorStatusRoutes();
std::span<const Route> InventoryRoutes();
std::span<const Route> MirrorImportRoutes();
std::span<const Route> MirrorDocsRoutes();
std::span<const Route> AuditRoutes();
std::span<const Route> UsageRoutes();
std::span<const Route> TokenRoutes();
std::span<const Route> SessionRoutes();
std::span<const Route> IdentityProviderRoutes();
std::span<const Route> OidcExchangeRoutes();
std::span<const Route> ReplicaRoutes();
std::span<const Route> ReadingRoutes();
std::span<const Route> AccountRoutes();
std::span<const Route> NamespaceRoutes();
std::span<const Route> TrustRoutes();

}  // namespace koya::api
