// Every handler, by protocol. What a route takes and answers stands in the route table (routes.cc)
// and in the Markdown beside it; what a handler does, beside the handler.
#pragma once

#include <optional>

#include "api/call.h"

namespace koya::api {

class Visit;

// ---- remote service discovery: discovery.cc

// Answered to everybody, whatever Authorization says: clients send expired tokens here too, and
// login must be able to begin.
Task<http::Response> GetDiscovery(Call& call);
// The API as OpenAPI 3.1: openapi.cc. The same for everybody: what there is to ask is no secret.
Task<http::Response> GetOpenApi(Call& call);

// ---- the module registry protocol, and the archives it points at: modules.cc

Task<http::Response> ListModuleVersions(Call& call);
// 200 with {"location"} for OpenTofu and whoever accepts JSON, 204 for everybody else;
// X-Terraform-Get in both.
Task<http::Response> GetModuleDownload(Call& call);
std::optional<http::Response> KeptModuleDownload(const http::Exchange& exchange,
                                                 Services& services);
Task<http::Response> GetModuleArchive(Call& call);

// ---- the wider module API that tools, pages and people read: module_listing.cc
// Paging is limit and offset (15 unless asked, 100 at most); version lists are never paged.

Task<http::Response> ListModules(Call& call);
Task<http::Response> SearchModules(Call& call);
Task<http::Response> ListModulesOfNamespace(Call& call);
Task<http::Response> ListModulesOfName(Call& call);
Task<http::Response> GetLatestModule(Call& call);
Task<http::Response> GetModuleVersion(Call& call);
Task<http::Response> RedirectToLatestDownload(Call& call);
// How often it was downloaded. Made anew after a minute.
Task<http::Response> GetModuleDownloads(Call& call);
// What changed between two versions: module_diff.cc. Kept until the module changes.
Task<http::Response> GetModuleDiff(Call& call);
std::optional<http::Response> KeptModuleDiff(const http::Exchange& exchange, Services& services);
// The same of a provider: provider_diff.cc.
Task<http::Response> GetProviderDiff(Call& call);
std::optional<http::Response> KeptProviderDiff(const http::Exchange& exchange, Services& services);

// ---- what is inside of them all: search.cc

Task<http::Response> GetSearch(Call& call);
// One step of it.
Task<http::Response> Reindex(Call& call);

// ---- publishing, deprecating and withdrawing modules: module_publishing.cc

Task<http::Response> PublishModule(Call& call);
Task<http::Response> DeprecateModule(Call& call);
Task<http::Response> WithdrawModule(Call& call);

// ---- what is inside modules: module_insides.cc
// Read at publish, else when it is asked for first: 503 when too many ask for that at once.

Task<http::Response> GetModuleInside(Call& call);
Task<http::Response> GetModuleReadme(Call& call);
// Of other registries' modules whose bytes are held.
Task<http::Response> GetMirroredModuleInside(Call& call);
Task<http::Response> GetMirroredModuleReadme(Call& call);
// Reads what nobody has read yet, one step of it: readings.cc
Task<http::Response> InspectUnread(Call& call);

// ---- the provider registry protocol, and the files it points at: providers.cc

Task<http::Response> ListProviderVersions(Call& call);
Task<http::Response> GetProviderDownload(Call& call);
Task<http::Response> GetProviderFile(Call& call);

// ---- the wider provider API: provider_listing.cc

Task<http::Response> ListProviders(Call& call);
Task<http::Response> SearchProviders(Call& call);
Task<http::Response> ListProvidersOfNamespace(Call& call);
Task<http::Response> GetLatestProvider(Call& call);
Task<http::Response> GetProviderVersion(Call& call);

// ---- publishing, deprecating and withdrawing provider releases: provider_publishing.cc

Task<http::Response> OpenDraft(Call& call);
Task<http::Response> ListDrafts(Call& call);
Task<http::Response> ShowDraft(Call& call);
Task<http::Response> UploadDraftFile(Call& call);
Task<http::Response> CommitDraft(Call& call);
Task<http::Response> CheckDraft(Call& call);
Task<http::Response> AbandonDraft(Call& call);
Task<http::Response> WithdrawProvider(Call& call);
Task<http::Response> DeprecateProvider(Call& call);

// ---- the keys that a namespace's releases are signed with: signing_keys.cc

Task<http::Response> ListKeys(Call& call);
// As of a namespace that has none, or that is not there.
Task<http::Response> ListNoKeys(Call& call);
Task<http::Response> AddKeys(Call& call);
Task<http::Response> RotateKey(Call& call);
Task<http::Response> RemoveKey(Call& call);

// ---- the provider network mirror: mirror.cc
// This server's own providers and, pulled through, other registries'.

// VERSION.json is never 404: clients would give up on their other sources.
Task<http::Response> GetMirrorDocument(Call& call);
Task<http::Response> GetAbsentMirrorDocument(Call& call);
Task<http::Response> GetMirrorFile(Call& call);

// ---- other registries under their own protocols, every byte from here: origin.cc,
// origin_modules.cc For clients' `host "registry.opentofu.org" {}` blocks.

Task<http::Response> ListOriginVersions(Call& call);
Task<http::Response> GetOriginDownload(Call& call);
Task<http::Response> ListOriginModuleVersions(Call& call);
// Fetches the module when it was never asked for before.
Task<http::Response> GetOriginModuleDownload(Call& call);
std::optional<http::Response> KeptOriginModuleDownload(const http::Exchange& exchange,
                                                       Services& services);
Task<http::Response> GetOriginModuleArchive(Call& call);

// ---- what is kept of other registries, for those who look after it: inventory.cc

// What the mirror did of late: mirror_status.cc
Task<http::Response> GetMirrorStatus(Call& call);
// Everything that is pinned, page by page.
Task<http::Response> ListInventoryReleases(Call& call);
Task<http::Response> ListInventoryModules(Call& call);
Task<http::Response> GetInventoryDocuments(Call& call);
Task<http::Response> GetInventoryModule(Call& call);
// Forget the bytes, not what is pinned.
Task<http::Response> ReleaseInventoryPackage(Call& call);
Task<http::Response> ReleaseInventoryModule(Call& call);

// ---- docs of other registries' providers: mirror_docs.cc

Task<http::Response> ListMirroredProviderDocs(Call& call);
// What is kept of it is found as a page of our own is: KeptProviderDoc.
Task<http::Response> GetMirroredProviderDoc(Call& call);

// ---- bringing bytes of other registries into the mirror: mirror_import.cc

Task<http::Response> ImportPackage(Call& call);
Task<http::Response> ImportRelease(Call& call);
Task<http::Response> ImportModule(Call& call);

// ---- whether what is kept is still what it was: verify.cc

// Everything that can be checked, page by page.
Task<http::Response> ListKeptThings(Call& call);
// Of what was published here: an author may check what they may publish.
Task<http::Response> CheckModule(Call& call);
Task<http::Response> CheckProviderDocuments(Call& call);
Task<http::Response> CheckProviderDocs(Call& call);
Task<http::Response> CheckProviderSchema(Call& call);
Task<http::Response> CheckProviderPackage(Call& call);
// Of what is kept of other registries.
Task<http::Response> CheckInventoryDocuments(Call& call);
Task<http::Response> CheckInventoryPackage(Call& call);
Task<http::Response> CheckInventoryModule(Call& call);

// ---- what runs of koya verify tell of themselves: verify_runs.cc

Task<http::Response> ListVerifyRuns(Call& call);
Task<http::Response> BeginVerifyRun(Call& call);
Task<http::Response> TellVerifyRun(Call& call);

// ---- what is inside providers that are published here: provider_docs.cc

Task<http::Response> GetProviderInside(Call& call);
Task<http::Response> ListProviderDocs(Call& call);
Task<http::Response> GetProviderDoc(Call& call);
Task<http::Response> ListProviderSchema(Call& call);
Task<http::Response> GetProviderSchema(Call& call);
// One that is kept: a page has a variant for each language.
std::optional<http::Response> KeptProviderDoc(const http::Exchange& exchange, Services& services);

// ---- who fetches what: usage.cc
// As JSON, or as CSV for Accept: text/csv. Names are for a namespace's owners and administrators.

Task<http::Response> GetModuleUsage(Call& call);
Task<http::Response> GetProviderUsage(Call& call);
// Of other registries' things. What nobody fetched, or is nowhere, has no fetches.
Task<http::Response> GetMirroredModuleUsage(Call& call);
Task<http::Response> GetMirroredProviderUsage(Call& call);
// Who would miss a version.
Task<http::Response> GetModuleImpact(Call& call);
Task<http::Response> GetProviderImpact(Call& call);
Task<http::Response> GetUsageLag(Call& call);
Task<http::Response> ListUnused(Call& call);
Task<http::Response> ForgetUsage(Call& call);

// ---- tokens: tokens.cc

// 201 with the token, which is shown this once.
Task<http::Response> ListAudit(Call& call);
Task<http::Response> VerifyAudit(Call& call);
Task<http::Response> CreateToken(Call& call);
Task<http::Response> ListTokens(Call& call);
Task<http::Response> RotateToken(Call& call);
Task<http::Response> ResealSecrets(Call& call);
Task<http::Response> RevokeToken(Call& call);

// ---- the servers on this one's catalog: replicas.cc

Task<http::Response> ListReplicas(Call& call);
Task<http::Response> ListStorageDays(Call& call);

// ---- users, service accounts and groups: accounts.cc
// Where the kind is part of the path, it is part of the handler's name.

template <AccountKind kKind>
Task<http::Response> CreateAccount(Call& call);
template <AccountKind kKind>
Task<http::Response> ListAccounts(Call& call);
template <AccountKind kKind>
Task<http::Response> DisableAccount(Call& call);
template <AccountKind kKind>
Task<http::Response> EnableAccount(Call& call);
template <AccountKind kKind>
Task<http::Response> DeleteAccount(Call& call);
Task<http::Response> CreateGroup(Call& call);
Task<http::Response> ListGroups(Call& call);
Task<http::Response> DeleteGroup(Call& call);
Task<http::Response> ListMembers(Call& call);
template <AccountKind kKind>
Task<http::Response> AddMember(Call& call);
template <AccountKind kKind>
Task<http::Response> RemoveMember(Call& call);

// ---- signing in and out: sign_in_pages.cc
// Pages. What is wrong with what somebody typed is told in the form, with a status that says so.

Task<http::Response> ShowSignIn(Call& call);
Task<http::Response> SignIn(Call& call);
Task<http::Response> SignOut(Call& call);

// ---- `tofu login`, RFC 6749 §4.1: consent.cc, oauth_token.cc

Task<http::Response> ShowConsent(Call& call);
Task<http::Response> DecideConsent(Call& call);
// No page: a program asks. Its errors are those of RFC 6749 §5.2.
Task<http::Response> ExchangeCode(Call& call);
Task<http::Response> RevokePresentedToken(Call& call);  // RFC 7009: oauth_revoke.cc

// ---- the first administrator: first_run.cc

Task<http::Response> ShowFirstRun(Call& call);
Task<http::Response> FinishFirstRun(Call& call);
// The same for programs.
Task<http::Response> SetUp(Call& call);

// ---- the start page: home_page.cc

Task<http::Response> ShowHome(Call& call);

// ---- what all pages have: site_pages.cc

Task<http::Response> GetAsset(Call& call);
Task<http::Response> GetFavicon(Call& call);
Task<http::Response> GetRobots(Call& call);
Task<http::Response> GetOpenSearch(Call& call);
Task<http::Response> GetLlms(Call& call);
Task<http::Response> SetPreferences(Call& call);

// ---- what is here, for people: search_pages.cc

Task<http::Response> ShowSearch(Call& call);
Task<http::Response> ShowModules(Call& call);
Task<http::Response> ShowProviders(Call& call);

// ---- a namespace, for people: namespace_pages.cc

Task<http::Response> ShowNamespacePage(Call& call);

// ---- the documentation that a registry shows: manual_pages.cc

Task<http::Response> ShowManual(Call& call);
Task<http::Response> ShowManualText(Call& call);
Task<http::Response> ShowErrorCodes(Call& call);
Task<http::Response> ShowErrorCode(Call& call);
Task<http::Response> ShowAccessibility(Call& call);
// The API, and a group of its requests: api_docs_pages.cc.
Task<http::Response> ShowApi(Call& call);
Task<http::Response> ShowApiGroup(Call& call);

// ---- what is somebody's own, for people: account_pages.cc

Task<http::Response> ShowSettings(Call& call, const Visit& visit);
Task<http::Response> EndOwnSessions(Call& call);
Task<http::Response> ChangeOwnLanguage(Call& call);
Task<http::Response> ShowPassword(Call& call, const Visit& visit);
Task<http::Response> ChangeOwnPassword(Call& call);
Task<http::Response> ShowTokens(Call& call, const Visit& visit);
Task<http::Response> ShowNewToken(Call& call, const Visit& visit);
Task<http::Response> MakeToken(Call& call);
Task<http::Response> AskRevokeToken(Call& call, const Visit& visit);
Task<http::Response> RevokeOwnToken(Call& call);

// ---- how a client is set up, for people: setup_page.cc

Task<http::Response> ShowSetup(Call& call);

// ---- what was published, for readers of feeds; the newest version as a picture: feeds.cc

Task<http::Response> GetFeed(Call& call);
Task<http::Response> GetModuleFeed(Call& call);
Task<http::Response> GetProviderFeed(Call& call);
Task<http::Response> GetModuleBadge(Call& call);
Task<http::Response> GetProviderBadge(Call& call);

// ---- a provider, for people: provider_pages.cc, provider_docs_pages.cc, provider_history_pages.cc
// A provider and a version of it have twins for programs: the same path with .md or .json; a page
// of documentation has .md. See page_twins.h.

Task<http::Response> ShowProvider(Call& call);
Task<http::Response> ShowProviderVersion(Call& call);
Task<http::Response> ShowProviderVersions(Call& call);
Task<http::Response> ShowProviderKeys(Call& call);
Task<http::Response> ShowProviderDocs(Call& call);
Task<http::Response> ShowProviderDoc(Call& call);
Task<http::Response> ShowProviderDocInLanguage(Call& call);
Task<http::Response> ShowProviderChanges(Call& call);
Task<http::Response> ShowProviderUsage(Call& call);

// ---- the mirror, for people: mirror_pages.cc, mirror_provider_pages.cc, mirror_docs_pages.cc
// Nothing is fetched for them but documentation.

Task<http::Response> ShowMirror(Call& call);
Task<http::Response> ShowMirrorPackages(Call& call);
Task<http::Response> ShowMirrorUpstreams(Call& call);
Task<http::Response> ShowMirrorPolicy(Call& call);
Task<http::Response> ShowMirrorExplanation(Call& call);
Task<http::Response> GetMirrorExplanation(Call& call);
Task<http::Response> ShowMirroredProvider(Call& call);
Task<http::Response> ShowMirroredVersion(Call& call);
Task<http::Response> ShowMirroredVersions(Call& call);
Task<http::Response> ShowMirroredUsage(Call& call);
Task<http::Response> ShowMirroredDocs(Call& call);
Task<http::Response> ShowMirroredDoc(Call& call);
Task<http::Response> ShowMirroredDocInLanguage(Call& call);

// ---- pages of modules: module_page.cc, module_tabs.cc, module_changes_page.cc,
// module_file_pages.cc. A version that is not here has a page that names others.

// The newest version; ".json" and ".md" behind the system or version are the same for programs.
Task<http::Response> ShowModule(Call& call);
Task<http::Response> ShowModuleVersion(Call& call);
Task<http::Response> ShowModuleReadme(Call& call);
Task<http::Response> ShowModuleInputs(Call& call);
Task<http::Response> ShowModuleOutputs(Call& call);
Task<http::Response> ShowModuleResources(Call& call);
Task<http::Response> ShowModuleDependencies(Call& call);
Task<http::Response> ListModuleSubmodules(Call& call);
Task<http::Response> ShowModuleSubmodule(Call& call);
Task<http::Response> ListModuleExamples(Call& call);
Task<http::Response> ShowModuleExample(Call& call);
Task<http::Response> ShowModuleVersions(Call& call);
Task<http::Response> ShowModuleChanges(Call& call);
Task<http::Response> ShowModuleUsage(Call& call);
Task<http::Response> ShowModuleUsedBy(Call& call);
Task<http::Response> ListModuleFiles(Call& call);
Task<http::Response> ShowModuleFile(Call& call);

// ---- passwords and sessions, for the command line: sessions.cc

Task<http::Response> SetPassword(Call& call);
Task<http::Response> SetLanguage(Call& call);
Task<http::Response> ListSessions(Call& call);
Task<http::Response> EndSession(Call& call);
Task<http::Response> EndSessionsOfUser(Call& call);

// ---- sign-in providers, and signing in with them: identity_providers.cc, oidc_sign_in.cc

Task<http::Response> BeginOidcSignIn(Call& call);
Task<http::Response> FinishOidcSignIn(Call& call);
Task<http::Response> AddIdentityProvider(Call& call);
Task<http::Response> ListIdentityProviders(Call& call);
Task<http::Response> RemoveIdentityProvider(Call& call);
Task<http::Response> TestIdentityProvider(Call& call);

// ---- trusted publishing: trust.cc, oidc_exchange.cc

Task<http::Response> AddTrust(Call& call);
Task<http::Response> ListTrust(Call& call);
Task<http::Response> RemoveTrust(Call& call);
Task<http::Response> ExchangeOidcToken(Call& call);

// ---- namespaces and the roles in them: namespaces.cc

Task<http::Response> ListNamespaces(Call& call);
Task<http::Response> ShowNamespace(Call& call);
Task<http::Response> SetNamespace(Call& call);
Task<http::Response> ListGrants(Call& call);
template <GranteeKind kKind>
Task<http::Response> PutGrant(Call& call);
template <GranteeKind kKind>
Task<http::Response> RemoveGrant(Call& call);

}  // namespace koya::api
