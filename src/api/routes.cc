#include "api/routes.h"

#include <algorithm>
#include <utility>

#include "api/admin_handlers.h"
#include "api/admission.h"
#include "api/archives.h"
#include "api/denials.h"
#include "api/documents.h"
#include "api/handlers.h"
#include "api/namespace_handlers.h"
#include "api/page_answer.h"
#include "api/reply.h"
#include "api/request_body.h"
#include "api/version_handlers.h"
#include "api/visit.h"
#include "web/home_page.h"

namespace koya::api {
namespace {

using http::Method;

// clang-format off
constexpr Route kRoutes[] = {
    // What clients ask.
    {Method::kGet, "/.well-known/terraform.json", Access::kOpen, About::kNobody, BodyLimit::kNone, GetDiscovery, "Remote service discovery", KeptDocument},
    {Method::kGet, "/v1/modules/{namespace}/{name}/{system}/versions", Access::kRead, About::kNamespace, BodyLimit::kNone, ListModuleVersions, "All versions of a module", KeptDocument},
    {Method::kGet, "/v1/modules/{namespace}/{name}/{system}/{version}/download", Access::kRead, About::kNamespace, BodyLimit::kNone, GetModuleDownload, "Where to get a version", KeptModuleDownload},
    {Method::kGet, "/download/modules/{namespace}/{name}/{system}/{version}/{file}", Access::kLinked, About::kNamespace, BodyLimit::kNone, GetModuleArchive, "A module's archive", KeptArchive},
    {Method::kGet, "/v1/providers/{namespace}/{type}/versions", Access::kRead, About::kNamespace, BodyLimit::kNone, ListProviderVersions, "All versions of a provider", KeptDocument},
    {Method::kGet, "/v1/providers/{namespace}/{type}/{version}/download/{os}/{arch}", Access::kRead, About::kNamespace, BodyLimit::kNone, GetProviderDownload, "Where to get a version for a platform, and how to verify it", KeptDocument},
    {Method::kGet, "/download/providers/{namespace}/{type}/{version}/{file}", Access::kLinked, About::kNamespace, BodyLimit::kNone, GetProviderFile, "A file of a release", KeptArchive},
    {Method::kGet, "/mirror/{hostname}/{namespace}/{type}/{file}", Access::kRead, About::kHost, BodyLimit::kNone, GetMirrorDocument, "The provider network mirror's documents", KeptDocument, GetAbsentMirrorDocument},
    {Method::kGet, "/mirror/{hostname}/{namespace}/{type}/{version}/{file}", Access::kLinked, About::kHost, BodyLimit::kNone, GetMirrorFile, "A mirrored file", KeptArchive},
    {Method::kGet, "/origin/{hostname}/v1/providers/{namespace}/{type}/versions", Access::kRead, About::kHost, BodyLimit::kNone, ListOriginVersions, "Another registry's versions of a provider", KeptDocument},
    {Method::kGet, "/origin/{hostname}/v1/providers/{namespace}/{type}/{version}/download/{os}/{arch}", Access::kRead, About::kHost, BodyLimit::kNone, GetOriginDownload, "Where to get another registry's provider", KeptDocument},
    {Method::kGet, "/origin/{hostname}/v1/modules/{namespace}/{name}/{system}/versions", Access::kRead, About::kHost, BodyLimit::kNone, ListOriginModuleVersions, "Another registry's versions of a module", KeptDocument},
    {Method::kGet, "/origin/{hostname}/v1/modules/{namespace}/{name}/{system}/{version}/download", Access::kRead, About::kHost, BodyLimit::kNone, GetOriginModuleDownload, "Where to get another registry's module", KeptOriginModuleDownload},
    {Method::kGet, "/origin/{hostname}/v1/modules/{namespace}/{name}/{system}/{version}/{file}", Access::kLinked, About::kHost, BodyLimit::kNone, GetOriginModuleArchive, "A mirrored module's archive", KeptArchive},

    // How people come in, and what their pages need.
    {Method::kGet, "/", Access::kBrowse, About::kNobody, BodyLimit::kNone, ShowHome, "The start page", KeptPage},
    {Method::kGet, "/login", Access::kPage, About::kNobody, BodyLimit::kNone, ShowSignIn, "The page to sign in with"},
    {Method::kPost, "/login", Access::kPage, About::kNobody, BodyLimit::kForm, SignIn, "Sign in"},
    {Method::kGet, "/oauth/authorize", Access::kPage, About::kNobody, BodyLimit::kNone, ShowConsent, "The page that asks whether a client may have a token"},
    {Method::kPost, "/oauth/authorize", Access::kPage, About::kNobody, BodyLimit::kForm, DecideConsent, "Allow it, or deny it"},
    {Method::kPost, "/oauth/token", Access::kOpen, About::kNobody, BodyLimit::kForm, ExchangeCode, "A token for a code"},
    {Method::kPost, "/oauth/revoke", Access::kOpen, About::kNobody, BodyLimit::kForm, RevokePresentedToken, "End a token that one has"},
    {Method::kPost, "/-/sign-out", Access::kPage, About::kNobody, BodyLimit::kForm, SignOut, "Sign out"},
    {Method::kGet, "/-/first-run", Access::kPage, About::kNobody, BodyLimit::kNone, ShowFirstRun, "The page to make the first administrator with"},
    {Method::kPost, "/-/first-run", Access::kPage, About::kNobody, BodyLimit::kForm, FinishFirstRun, "Make the first administrator"},
    {Method::kPost, "/-/prefs", Access::kPage, About::kNobody, BodyLimit::kForm, SetPreferences, "Set theme and language"},
    {Method::kGet, "/-/oidc/{name}/start", Access::kPage, About::kNobody, BodyLimit::kNone, BeginOidcSignIn, "Sign in with another provider"},
    {Method::kGet, "/-/oidc/{name}/callback", Access::kPage, About::kNobody, BodyLimit::kNone, FinishOidcSignIn, "Where that provider sends people back to"},
    {Method::kGet, "/-/assets/{file}", Access::kOpen, About::kNobody, BodyLimit::kNone, GetAsset, "A file that pages load", KeptDocument},
    {Method::kGet, "/-/opensearch.xml", Access::kOpen, About::kNobody, BodyLimit::kNone, GetOpenSearch, "What browsers need to search here", KeptDocument},
    {Method::kGet, "/favicon.ico", Access::kOpen, About::kNobody, BodyLimit::kNone, GetFavicon, "The icon, for who asks without having read a page", KeptDocument},
    {Method::kGet, "/llms.txt", Access::kOpen, About::kNobody, BodyLimit::kNone, GetLlms, "What is here and how to ask for it, for language models", KeptDocument},
    {Method::kGet, "/robots.txt", Access::kOpen, About::kNobody, BodyLimit::kNone, GetRobots, "What search engines may look at", KeptDocument},

    // What is here, for people.
    {Method::kGet, "/search", Access::kBrowse, About::kListing, BodyLimit::kNone, ShowSearch, "What a search finds, as a page", KeptPage},
    {Method::kGet, "/modules", Access::kBrowse, About::kListing, BodyLimit::kNone, ShowModules, "The modules, as a page", KeptPage},
    {Method::kGet, "/providers", Access::kBrowse, About::kListing, BodyLimit::kNone, ShowProviders, "The providers, as a page", KeptPage},
    {Method::kGet, "/providers/{namespace}/{type}", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowProvider, "A provider, as a page", KeptPage},
    {Method::kGet, "/providers/{namespace}/{type}/{version}", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowProviderVersion, "One version of it, as a page", KeptPage},
    {Method::kGet, "/providers/{namespace}/{type}/versions", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowProviderVersions, "Its versions, as a page", KeptPage},
    {Method::kGet, "/providers/{namespace}/{type}/keys", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowProviderKeys, "The keys that its releases are signed with, as a page", KeptPage},
    {Method::kGet, "/providers/{namespace}/{type}/changes", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowProviderChanges, "What changed between two of its versions, as a page", KeptPage},
    {Method::kGet, "/providers/{namespace}/{type}/usage", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowProviderUsage, "Who fetches it, as a page"},
    {Method::kGet, "/providers/{namespace}/{type}/{version}/docs", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowProviderDocs, "Its documentation, as pages", KeptPage},
    {Method::kGet, "/providers/{namespace}/{type}/{version}/docs/{kind}/{name}", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowProviderDoc, "One page of it", KeptPage},
    {Method::kGet, "/providers/{namespace}/{type}/{version}/docs/cdktf/{language}/{kind}/{name}", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowProviderDocInLanguage, "One page of it, for another language", KeptPage},
    {Method::kGet, "/providers/{namespace}/{type}/{version}/deprecate", Access::kPage, About::kNobody, BodyLimit::kNone, ForSignedIn<ShowDeprecation<Versioned::kProvider>>, "The page to deprecate a provider's version with"},
    {Method::kPost, "/providers/{namespace}/{type}/{version}/deprecate", Access::kPage, About::kNobody, BodyLimit::kForm, DeprecateByForm<Versioned::kProvider>, "Deprecate it, or take that back"},
    {Method::kGet, "/providers/{namespace}/{type}/{version}/withdraw", Access::kPage, About::kNobody, BodyLimit::kNone, ForSignedIn<ShowWithdrawal<Versioned::kProvider>>, "The page that asks whether a provider's version is to be withdrawn, and says who would miss it"},
    {Method::kPost, "/providers/{namespace}/{type}/{version}/withdraw", Access::kPage, About::kNobody, BodyLimit::kForm, WithdrawByForm<Versioned::kProvider>, "Withdraw it"},
    {Method::kGet, "/-/mirror", Access::kBrowse, About::kMirror, BodyLimit::kNone, ShowMirror, "Whether the mirror is well, as a page", KeptPage},
    {Method::kGet, "/-/mirror/packages", Access::kBrowse, About::kMirror, BodyLimit::kNone, ShowMirrorPackages, "What is kept of other registries, as a page", KeptPage},
    {Method::kGet, "/-/mirror/upstreams", Access::kBrowse, About::kMirror, BodyLimit::kNone, ShowMirrorUpstreams, "How other registries answer, as a page", KeptPage},
    {Method::kGet, "/-/mirror/policy", Access::kBrowse, About::kMirror, BodyLimit::kNone, ShowMirrorPolicy, "What may be pulled, as a page", KeptPage},
    {Method::kGet, "/-/mirror/explain", Access::kBrowse, About::kMirror, BodyLimit::kNone, ShowMirrorExplanation, "Why something is given, or not, as a page"},
    {Method::kGet, "/-/mirror/explain.json", Access::kRead, About::kMirror, BodyLimit::kNone, GetMirrorExplanation, "Why something is given, or not"},
    {Method::kGet, "/-/mirror/providers/{hostname}/{namespace}/{type}", Access::kBrowse, About::kMirror, BodyLimit::kNone, ShowMirroredProvider, "Another registry's provider, as a page", KeptPage},
    {Method::kGet, "/-/mirror/providers/{hostname}/{namespace}/{type}/{version}", Access::kBrowse, About::kMirror, BodyLimit::kNone, ShowMirroredVersion, "One version of it, as a page", KeptPage},
    {Method::kGet, "/-/mirror/providers/{hostname}/{namespace}/{type}/versions", Access::kBrowse, About::kMirror, BodyLimit::kNone, ShowMirroredVersions, "Its versions, as a page", KeptPage},
    {Method::kGet, "/-/mirror/providers/{hostname}/{namespace}/{type}/usage", Access::kBrowse, About::kMirror, BodyLimit::kNone, ShowMirroredUsage, "Who fetches it, as a page"},
    {Method::kGet, "/-/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs", Access::kBrowse, About::kMirror, BodyLimit::kNone, ShowMirroredDocs, "Its documentation, as pages", KeptPage},
    {Method::kGet, "/-/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs/{kind}/{name}", Access::kBrowse, About::kMirror, BodyLimit::kNone, ShowMirroredDoc, "One page of it", KeptPage},
    {Method::kGet, "/-/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs/cdktf/{language}/{kind}/{name}", Access::kBrowse, About::kMirror, BodyLimit::kNone, ShowMirroredDocInLanguage, "One page of it, for another language", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowModule, "A module's newest version, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowModuleVersion, "A module's version, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/inputs", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowModuleInputs, "Its inputs, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/outputs", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowModuleOutputs, "Its outputs, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/resources", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowModuleResources, "Its resources, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/dependencies", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowModuleDependencies, "What it needs, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/submodules", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ListModuleSubmodules, "Its submodules, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/submodules/{path...}", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowModuleSubmodule, "A submodule, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/examples", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ListModuleExamples, "Its examples, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/examples/{path...}", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowModuleExample, "An example, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/versions", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowModuleVersions, "All versions, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/changes", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowModuleChanges, "What changed between two versions, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/usage", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowModuleUsage, "A form that writes a block, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/used-by", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowModuleUsedBy, "Who fetches it, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/files", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ListModuleFiles, "Its files, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/files/{path...}", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowModuleFile, "A file, as a page", KeptPage},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/deprecate", Access::kPage, About::kNobody, BodyLimit::kNone, ForSignedIn<ShowDeprecation<Versioned::kModule>>, "The page to deprecate a module's version with"},
    {Method::kPost, "/modules/{namespace}/{name}/{system}/{version}/deprecate", Access::kPage, About::kNobody, BodyLimit::kForm, DeprecateByForm<Versioned::kModule>, "Deprecate it, or take that back"},
    {Method::kGet, "/modules/{namespace}/{name}/{system}/{version}/withdraw", Access::kPage, About::kNobody, BodyLimit::kNone, ForSignedIn<ShowWithdrawal<Versioned::kModule>>, "The page that asks whether a module's version is to be withdrawn, and says who would miss it"},
    {Method::kPost, "/modules/{namespace}/{name}/{system}/{version}/withdraw", Access::kPage, About::kNobody, BodyLimit::kForm, WithdrawByForm<Versioned::kModule>, "Withdraw it"},

    {Method::kGet, "/namespaces/{namespace}", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowNamespacePage, "A namespace, as a page", KeptPage},
    {Method::kGet, "/namespaces/{namespace}/keys", Access::kBrowse, About::kNamespace, BodyLimit::kNone, ShowNamespaceKeys, "A namespace's signing keys, as a page"},
    {Method::kPost, "/namespaces/{namespace}/keys", Access::kPage, About::kNobody, BodyLimit::kForm, AddNamespaceKeys, "Add public keys, with the form of that page"},
    {Method::kGet, "/namespaces/{namespace}/keys/{key_id}/remove", Access::kPage, About::kNobody, BodyLimit::kNone, ForOwners<AskRemoveNamespaceKey>, "The page that asks whether a key is to be removed"},
    {Method::kPost, "/namespaces/{namespace}/keys/{key_id}/remove", Access::kPage, About::kNobody, BodyLimit::kForm, RemoveNamespaceKey, "Remove it"},
    {Method::kGet, "/namespaces/{namespace}/people", Access::kPage, About::kNobody, BodyLimit::kNone, ForOwners<ShowPeople>, "Who has which role in a namespace, as a page"},
    {Method::kPost, "/namespaces/{namespace}/people", Access::kPage, About::kNobody, BodyLimit::kForm, GiveRole, "Give a role, with the form of that page"},
    {Method::kGet, "/namespaces/{namespace}/people/remove", Access::kPage, About::kNobody, BodyLimit::kNone, ForOwners<AskTakeRole>, "The page that asks whether a role is to be taken away"},
    {Method::kPost, "/namespaces/{namespace}/people/remove", Access::kPage, About::kNobody, BodyLimit::kForm, TakeRole, "Take it away"},
    {Method::kGet, "/namespaces/{namespace}/publishing", Access::kPage, About::kNobody, BodyLimit::kNone, ForOwners<ShowPublishing>, "Which CI a namespace trusts, as a page"},
    {Method::kPost, "/namespaces/{namespace}/publishing", Access::kPage, About::kNobody, BodyLimit::kForm, TrustCi, "Trust a CI, with the form of that page"},
    {Method::kGet, "/namespaces/{namespace}/publishing/{id}/remove", Access::kPage, About::kNobody, BodyLimit::kNone, ForOwners<AskDistrustCi>, "The page that asks whether a CI is to be trusted no more"},
    {Method::kPost, "/namespaces/{namespace}/publishing/{id}/remove", Access::kPage, About::kNobody, BodyLimit::kForm, DistrustCi, "Trust it no more"},
    {Method::kGet, "/namespaces/{namespace}/settings", Access::kPage, About::kNobody, BodyLimit::kNone, ForOwners<ShowNamespaceSettings>, "A namespace's settings, as a page"},
    {Method::kPost, "/namespaces/{namespace}/settings", Access::kPage, About::kNobody, BodyLimit::kForm, ChangeNamespaceSettings, "Change them, with the form of that page"},
    {Method::kGet, "/namespaces/{namespace}/activity", Access::kPage, About::kNobody, BodyLimit::kNone, ForOwners<ShowActivity>, "What happened in a namespace, as a page"},
    {Method::kGet, "/-/setup", Access::kBrowse, About::kListing, BodyLimit::kNone, ShowSetup, "What a client needs to use this registry, as a page"},
    {Method::kGet, "/-/settings", Access::kPage, About::kNobody, BodyLimit::kNone, ForSignedIn<ShowSettings>, "What is your own: how pages look, and where you are signed in"},
    {Method::kPost, "/-/settings/sessions", Access::kPage, About::kNobody, BodyLimit::kForm, EndOwnSessions, "End sessions of yours"},
    {Method::kPost, "/-/settings/language", Access::kPage, About::kNobody, BodyLimit::kForm, ChangeOwnLanguage, "Say in which language your account has pages"},
    {Method::kGet, "/-/settings/password", Access::kPage, About::kNobody, BodyLimit::kNone, ForSignedIn<ShowPassword>, "The page to change your password with"},
    {Method::kPost, "/-/settings/password", Access::kPage, About::kNobody, BodyLimit::kForm, ChangeOwnPassword, "Change it"},
    {Method::kGet, "/-/settings/tokens", Access::kPage, About::kNobody, BodyLimit::kNone, ForSignedIn<ShowTokens>, "Your tokens, as a page"},
    {Method::kGet, "/-/settings/tokens/new", Access::kPage, About::kNobody, BodyLimit::kNone, ForSignedIn<ShowNewToken>, "The page to make a token with"},
    {Method::kPost, "/-/settings/tokens/new", Access::kPage, About::kNobody, BodyLimit::kForm, MakeToken, "Make it, and show it once"},
    {Method::kGet, "/-/settings/tokens/{name}/revoke", Access::kPage, About::kNobody, BodyLimit::kNone, ForSignedIn<AskRevokeToken>, "The page that asks whether a token is to be revoked"},
    {Method::kPost, "/-/settings/tokens/{name}/revoke", Access::kPage, About::kNobody, BodyLimit::kForm, RevokeOwnToken, "Revoke it"},
    {Method::kGet, "/-/feeds/{file}", Access::kBrowse, About::kListing, BodyLimit::kNone, GetFeed, "What was published, as an Atom feed"},
    {Method::kGet, "/-/feeds/modules/{namespace}/{name}/{file}", Access::kBrowse, About::kNamespace, BodyLimit::kNone, GetModuleFeed, "A module's versions, as an Atom feed", KeptDocument},
    {Method::kGet, "/-/feeds/providers/{namespace}/{file}", Access::kBrowse, About::kNamespace, BodyLimit::kNone, GetProviderFeed, "A provider's versions, as an Atom feed", KeptDocument},
    {Method::kGet, "/-/badges/modules/{namespace}/{name}/{file}", Access::kBrowse, About::kNamespace, BodyLimit::kNone, GetModuleBadge, "A module's newest version, or whether it is known where it is from, as a picture", KeptDocument},
    {Method::kGet, "/-/badges/providers/{namespace}/{file}", Access::kBrowse, About::kNamespace, BodyLimit::kNone, GetProviderBadge, "A provider's newest version, or whether its signature holds, as a picture", KeptDocument},

    // For administrators.
    {Method::kGet, "/-/admin", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<ShowAdministration>, "How the registry is, as a page"},
    {Method::kGet, "/-/admin/audit", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<ShowAudit>, "The audit log, as a page"},
    {Method::kGet, "/-/admin/audit/{id}", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<ShowAuditEntry>, "An entry of it, as a page"},
    {Method::kGet, "/-/admin/audit/proof", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<ShowAuditProof>, "Whether it is whole, as a page"},
    {Method::kGet, "/-/admin/audit/export/{file}", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<GetAuditFile>, "What matches, as a file"},
    {Method::kGet, "/-/admin/grants", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<ShowGrants>, "Who has which role where, as a page"},
    {Method::kPost, "/-/admin/grants", Access::kPage, About::kNobody, BodyLimit::kForm, FromAdministrators<GiveAnyRole>, "Give somebody a role in a namespace"},
    {Method::kGet, "/-/admin/users", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<ShowUsers>, "The users, as a page"},
    {Method::kPost, "/-/admin/users", Access::kPage, About::kNobody, BodyLimit::kForm, FromAdministrators<MakeUser>, "Make a user"},
    {Method::kGet, "/-/admin/chosen-users", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<AskChosenUsers>, "The page that asks whether something is to be done to several users"},
    {Method::kPost, "/-/admin/chosen-users", Access::kPage, About::kNobody, BodyLimit::kForm, FromAdministrators<DoToChosenUsers>, "Disable several users, enable them, or put them into a group"},
    {Method::kGet, "/-/admin/users/{name}", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<ShowUser>, "A user, as a page"},
    {Method::kPost, "/-/admin/users/{name}", Access::kPage, About::kNobody, BodyLimit::kForm, FromAdministrators<ChangeUser>, "Enable, disable or sign a user out, or set their password"},
    {Method::kGet, "/-/admin/users/{name}/delete", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<AskDeleteUser>, "The page that asks whether a user is to be deleted"},
    {Method::kPost, "/-/admin/users/{name}/delete", Access::kPage, About::kNobody, BodyLimit::kForm, FromAdministrators<DeleteUser>, "Delete a user"},
    {Method::kGet, "/-/admin/tokens/{name}/revoke", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<AskRevokeAnyToken>, "The page that asks whether a token is to be revoked"},
    {Method::kPost, "/-/admin/tokens/{name}/revoke", Access::kPage, About::kNobody, BodyLimit::kForm, FromAdministrators<RevokeAnyToken>, "Revoke anybody's token"},
    {Method::kGet, "/-/admin/groups", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<ShowGroups>, "The groups, as a page"},
    {Method::kPost, "/-/admin/groups", Access::kPage, About::kNobody, BodyLimit::kForm, FromAdministrators<MakeGroup>, "Make a group"},
    {Method::kGet, "/-/admin/groups/{name}", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<ShowGroup>, "A group, as a page"},
    {Method::kPost, "/-/admin/groups/{name}", Access::kPage, About::kNobody, BodyLimit::kForm, FromAdministrators<ChangeMembers>, "Put somebody into a group, or take them out"},
    {Method::kGet, "/-/admin/groups/{name}/delete", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<AskDeleteGroup>, "The page that asks whether a group is to be deleted"},
    {Method::kPost, "/-/admin/groups/{name}/delete", Access::kPage, About::kNobody, BodyLimit::kForm, FromAdministrators<DeleteAnyGroup>, "Delete a group"},
    {Method::kGet, "/-/admin/grants/why", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<ShowWhy>, "Why somebody may do something, or not, as a page"},
    {Method::kGet, "/-/admin/sign-in", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<ShowSignInProviders>, "The sign-in providers, as a page"},
    {Method::kGet, "/-/admin/sign-in/{name}", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<ShowSignInProvider>, "A sign-in provider, as a page"},
    {Method::kPost, "/-/admin/sign-in/{name}", Access::kPage, About::kNobody, BodyLimit::kForm, FromAdministrators<AskSignInProvider>, "Ask a sign-in provider whether it would do, and show what it says"},
    {Method::kGet, "/-/admin/sign-in/{name}/trial", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<BeginSignInTrial>, "To a sign-in provider and back, to see what would come of it"},
    {Method::kGet, "/-/admin/storage", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<ShowStorage>, "How much is stored, as a page"},
    {Method::kGet, "/-/admin/health", Access::kBrowse, About::kNobody, BodyLimit::kNone, ForAdministrators<ShowHealth>, "Servers, jobs and numbers, as a page"},

    // The documentation.
    {Method::kGet, "/-/docs", Access::kBrowse, About::kListing, BodyLimit::kNone, ShowManual, "What there is to read, as a page", KeptPage},
    {Method::kGet, "/-/docs/api", Access::kBrowse, About::kListing, BodyLimit::kNone, ShowApi, "The API, as a page", KeptPage},
    {Method::kGet, "/-/docs/api/{name}", Access::kBrowse, About::kListing, BodyLimit::kNone, ShowApiGroup, "A group of its requests, as a page", KeptPage},
    {Method::kGet, "/-/docs/errors", Access::kBrowse, About::kListing, BodyLimit::kNone, ShowErrorCodes, "The kinds of errors, as a page", KeptPage},
    {Method::kGet, "/-/docs/errors/{name}", Access::kBrowse, About::kListing, BodyLimit::kNone, ShowErrorCode, "What an error means, and how to mend it, as a page", KeptPage},
    {Method::kGet, "/-/docs/accessibility", Access::kPage, About::kNobody, BodyLimit::kNone, ShowAccessibility, "The accessibility statement, as a page"},
    {Method::kGet, "/-/docs/{name}", Access::kBrowse, About::kListing, BodyLimit::kNone, ShowManualText, "A text of the documentation, as a page", KeptPage},

    // What tools and people ask.
    {Method::kGet, "/v1/modules", Access::kRead, About::kListing, BodyLimit::kNone, ListModules, "Modules, in order of address"},
    {Method::kGet, "/v1/modules/search", Access::kRead, About::kListing, BodyLimit::kNone, SearchModules, "Modules that a search finds"},
    {Method::kGet, "/v1/modules/{namespace}", Access::kRead, About::kListing, BodyLimit::kNone, ListModulesOfNamespace, "Modules of a namespace"},
    {Method::kGet, "/v1/modules/{namespace}/{name}", Access::kRead, About::kListing, BodyLimit::kNone, ListModulesOfName, "A module's latest version for each system"},
    {Method::kGet, "/v1/modules/{namespace}/{name}/{system}", Access::kRead, About::kNamespace, BodyLimit::kNone, GetLatestModule, "A module's latest version, and the list of all", KeptDocument},
    {Method::kGet, "/v1/modules/{namespace}/{name}/{system}/download", Access::kRead, About::kNamespace, BodyLimit::kNone, RedirectToLatestDownload, "302 to the latest version's download"},
    {Method::kGet, "/v1/modules/{namespace}/{name}/{system}/{version}", Access::kRead, About::kNamespace, BodyLimit::kNone, GetModuleVersion, "One version", KeptDocument},
    {Method::kGet, "/v2/modules/{namespace}/{name}/{system}/downloads/summary", Access::kRead, About::kNamespace, BodyLimit::kNone, GetModuleDownloads, "How often a module was downloaded", KeptDocument},
    {Method::kGet, "/v1/providers", Access::kRead, About::kListing, BodyLimit::kNone, ListProviders, "Providers, in order of address"},
    {Method::kGet, "/v1/providers/search", Access::kRead, About::kListing, BodyLimit::kNone, SearchProviders, "Providers in which every word occurs"},
    {Method::kGet, "/v1/providers/{namespace}", Access::kRead, About::kListing, BodyLimit::kNone, ListProvidersOfNamespace, "Providers of a namespace"},
    {Method::kGet, "/v1/providers/{namespace}/{type}", Access::kRead, About::kNamespace, BodyLimit::kNone, GetLatestProvider, "A provider's latest version, and the list of all", KeptDocument},
    {Method::kGet, "/v1/providers/{namespace}/{type}/{version}", Access::kRead, About::kNamespace, BodyLimit::kNone, GetProviderVersion, "One version", KeptDocument},

    {Method::kGet, "/api/openapi.json", Access::kOpen, About::kNobody, BodyLimit::kNone, GetOpenApi, "The API as OpenAPI 3.1", KeptDocument},
    {Method::kGet, "/api/v1/search", Access::kRead, About::kListing, BodyLimit::kNone, GetSearch, "What is inside modules and providers"},

    // What authors and operators ask.
    {Method::kGet, "/api/v1/modules/{namespace}/{name}/{system}/diff", Access::kRead, About::kNamespace, BodyLimit::kNone, GetModuleDiff, "What changed between two versions of a module", KeptModuleDiff},
    {Method::kPut, "/api/v1/modules/{namespace}/{name}/{system}/{version}", Access::kPublish, About::kNobody, BodyLimit::kModuleArchive, PublishModule, "Publish a module version"},
    {Method::kGet, "/api/v1/modules/{namespace}/{name}/{system}/{version}", Access::kRead, About::kNamespace, BodyLimit::kNone, GetModuleInside, "What is inside a version", KeptDocument},
    {Method::kGet, "/api/v1/modules/{namespace}/{name}/{system}/{version}/readme", Access::kRead, About::kNamespace, BodyLimit::kNone, GetModuleReadme, "A version's README as safe HTML", KeptDocument},
    {Method::kPut, "/api/v1/modules/{namespace}/{name}/{system}/{version}/deprecation", Access::kPublish, About::kNobody, BodyLimit::kSmall, DeprecateModule, "Warn the users of a module's version"},
    {Method::kDelete, "/api/v1/modules/{namespace}/{name}/{system}/{version}", Access::kAdmin, About::kNobody, BodyLimit::kSmall, WithdrawModule, "Withdraw a version"},
    {Method::kPost, "/api/v1/providers/{namespace}/{type}/{version}/drafts", Access::kPublish, About::kNobody, BodyLimit::kSmall, OpenDraft, "Begin publishing a provider version"},
    {Method::kGet, "/api/v1/providers/{namespace}/{type}/{version}/drafts", Access::kPublish, About::kNobody, BodyLimit::kNone, ListDrafts, "Your open drafts of a version"},
    {Method::kGet, "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}", Access::kPublish, About::kNobody, BodyLimit::kNone, ShowDraft, "What a draft holds"},
    {Method::kPut, "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}/files/{file}", Access::kPublish, About::kNobody, BodyLimit::kProviderFile, UploadDraftFile, "Upload a file of the release"},
    {Method::kPost, "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}/commit", Access::kPublish, About::kNobody, BodyLimit::kSmall, CommitDraft, "Check a draft and publish it"},
    {Method::kPost, "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}/check", Access::kPublish, About::kNobody, BodyLimit::kSmall, CheckDraft, "Say what a commit of a draft would do"},
    {Method::kDelete, "/api/v1/providers/{namespace}/{type}/{version}/drafts/{id}", Access::kPublish, About::kNobody, BodyLimit::kNone, AbandonDraft, "Give a draft up"},
    {Method::kGet, "/api/v1/providers/{namespace}/{type}/diff", Access::kRead, About::kNamespace, BodyLimit::kNone, GetProviderDiff, "What changed between two versions of a provider", KeptProviderDiff},
    {Method::kGet, "/api/v1/providers/{namespace}/{type}/{version}", Access::kRead, About::kNamespace, BodyLimit::kNone, GetProviderInside, "What is inside a provider version", KeptDocument},
    {Method::kGet, "/api/v1/providers/{namespace}/{type}/{version}/docs", Access::kRead, About::kNamespace, BodyLimit::kNone, ListProviderDocs, "The pages of a version's docs", KeptDocument},
    {Method::kGet, "/api/v1/providers/{namespace}/{type}/{version}/docs/{kind}/{name}", Access::kRead, About::kNamespace, BodyLimit::kNone, GetProviderDoc, "A page of docs", KeptProviderDoc},
    {Method::kGet, "/api/v1/providers/{namespace}/{type}/{version}/schema", Access::kRead, About::kNamespace, BodyLimit::kNone, ListProviderSchema, "What a version's schema describes", KeptDocument},
    {Method::kGet, "/api/v1/providers/{namespace}/{type}/{version}/schema/{kind}/{name}", Access::kRead, About::kNamespace, BodyLimit::kNone, GetProviderSchema, "The schema of one resource, data source or function", KeptDocument},
    {Method::kPut, "/api/v1/providers/{namespace}/{type}/{version}/deprecation", Access::kPublish, About::kNobody, BodyLimit::kSmall, DeprecateProvider, "Warn the users of a version"},
    {Method::kDelete, "/api/v1/providers/{namespace}/{type}/{version}", Access::kAdmin, About::kNobody, BodyLimit::kSmall, WithdrawProvider, "Withdraw a provider version"},
    {Method::kGet, "/api/v1/namespaces/{namespace}/keys", Access::kRead, About::kNamespace, BodyLimit::kNone, ListKeys, "The public keys of a namespace", nullptr, ListNoKeys},
    {Method::kPost, "/api/v1/namespaces/{namespace}/keys", Access::kAdmin, About::kNobody, BodyLimit::kKeys, AddKeys, "Add public keys"},
    {Method::kPost, "/api/v1/namespaces/{namespace}/keys/rotate", Access::kAdmin, About::kNobody, BodyLimit::kSmall, RotateKey, "Make a new server key for a namespace"},
    {Method::kDelete, "/api/v1/namespaces/{namespace}/keys/{key_id}", Access::kAdmin, About::kNobody, BodyLimit::kNone, RemoveKey, "Stop taking releases signed with a key"},
    {Method::kGet, "/api/v1/verify", Access::kEverything, About::kNobody, BodyLimit::kNone, ListKeptThings, "Everything whose bytes can be checked"},
    {Method::kGet, "/api/v1/verify/runs", Access::kEverything, About::kNobody, BodyLimit::kNone, ListVerifyRuns, "The last runs of koya verify"},
    {Method::kPost, "/api/v1/verify/runs", Access::kEverything, About::kNobody, BodyLimit::kSmall, BeginVerifyRun, "Say that a run of koya verify begins"},
    {Method::kPut, "/api/v1/verify/runs/{id}", Access::kEverything, About::kNobody, BodyLimit::kSmall, TellVerifyRun, "Say what a run of koya verify has found"},
    {Method::kPost, "/api/v1/modules/{namespace}/{name}/{system}/{version}/verify", Access::kPublish, About::kNobody, BodyLimit::kSmall, CheckModule, "Check a published module for damage"},
    {Method::kPost, "/api/v1/providers/{namespace}/{type}/{version}/verify", Access::kPublish, About::kNobody, BodyLimit::kSmall, CheckProviderDocuments, "Check a release's documents for damage"},
    {Method::kPost, "/api/v1/providers/{namespace}/{type}/{version}/docs/verify", Access::kPublish, About::kNobody, BodyLimit::kSmall, CheckProviderDocs, "Check a release's docs for damage"},
    {Method::kPost, "/api/v1/providers/{namespace}/{type}/{version}/schema/verify", Access::kPublish, About::kNobody, BodyLimit::kSmall, CheckProviderSchema, "Check a release's schema for damage"},
    {Method::kPost, "/api/v1/providers/{namespace}/{type}/{version}/{os}/{arch}/verify", Access::kPublish, About::kNobody, BodyLimit::kSmall, CheckProviderPackage, "Check a release's package for damage"},
    {Method::kGet, "/api/v1/mirror/status", Access::kRead, About::kMirror, BodyLimit::kNone, GetMirrorStatus, "What the mirror did of late"},
    {Method::kGet, "/api/v1/mirror/providers", Access::kRead, About::kMirror, BodyLimit::kNone, ListInventoryReleases, "What is kept of other registries' providers"},
    {Method::kGet, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/release", Access::kRead, About::kMirror, BodyLimit::kNone, GetInventoryDocuments, "A mirrored release's documents by its author"},
    {Method::kPut, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/release", Access::kEverything, About::kNobody, BodyLimit::kRelease, ImportRelease, "Import a release's documents"},
    {Method::kPost, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/verify", Access::kEverything, About::kNobody, BodyLimit::kSmall, CheckInventoryDocuments, "Check a release's documents for damage"},
    {Method::kPut, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}", Access::kEverything, About::kNobody, BodyLimit::kProviderFile, ImportPackage, "Import a provider's package"},
    {Method::kDelete, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}", Access::kEverything, About::kNobody, BodyLimit::kNone, ReleaseInventoryPackage, "Let go of a package's bytes"},
    {Method::kPost, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}/verify", Access::kEverything, About::kNobody, BodyLimit::kSmall, CheckInventoryPackage, "Check a package for damage"},
    {Method::kGet, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs", Access::kRead, About::kMirror, BodyLimit::kNone, ListMirroredProviderDocs, "The pages of a mirrored provider's docs", KeptDocument},
    {Method::kGet, "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs/{kind}/{name}", Access::kRead, About::kMirror, BodyLimit::kNone, GetMirroredProviderDoc, "A page of a mirrored provider's docs", KeptProviderDoc},
    {Method::kGet, "/api/v1/mirror/modules", Access::kRead, About::kMirror, BodyLimit::kNone, ListInventoryModules, "What is kept of other registries' modules"},
    {Method::kGet, "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}", Access::kRead, About::kMirror, BodyLimit::kNone, GetInventoryModule, "A mirrored module's archive"},
    {Method::kGet, "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}/inside", Access::kRead, About::kMirror, BodyLimit::kNone, GetMirroredModuleInside, "What is inside a mirrored module", KeptDocument},
    {Method::kGet, "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}/readme", Access::kRead, About::kMirror, BodyLimit::kNone, GetMirroredModuleReadme, "A mirrored module's README as safe HTML", KeptDocument},
    {Method::kPut, "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}", Access::kEverything, About::kNobody, BodyLimit::kModuleArchive, ImportModule, "Import a module version"},
    {Method::kDelete, "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}", Access::kEverything, About::kNobody, BodyLimit::kNone, ReleaseInventoryModule, "Let go of a module's bytes"},
    {Method::kPost, "/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}/verify", Access::kEverything, About::kNobody, BodyLimit::kSmall, CheckInventoryModule, "Check a module for damage"},
    {Method::kGet, "/api/v1/audit", Access::kAdmin, About::kNobody, BodyLimit::kNone, ListAudit, "The audit log"},
    {Method::kGet, "/api/v1/audit/verify", Access::kEverything, About::kNobody, BodyLimit::kNone, VerifyAudit, "Prove that the audit log is whole"},
    {Method::kGet, "/api/v1/usage/modules/{namespace}/{name}/{system}", Access::kRead, About::kNamespace, BodyLimit::kNone, GetModuleUsage, "Who fetches a module"},
    {Method::kGet, "/api/v1/usage/providers/{namespace}/{type}", Access::kRead, About::kNamespace, BodyLimit::kNone, GetProviderUsage, "Who fetches a provider"},
    {Method::kGet, "/api/v1/usage/mirror/modules/{hostname}/{namespace}/{name}/{system}", Access::kRead, About::kMirror, BodyLimit::kNone, GetMirroredModuleUsage, "Who fetches another registry's module"},
    {Method::kGet, "/api/v1/usage/mirror/providers/{hostname}/{namespace}/{type}", Access::kRead, About::kMirror, BodyLimit::kNone, GetMirroredProviderUsage, "Who fetches another registry's provider"},
    {Method::kGet, "/api/v1/usage/impact/{namespace}/{name}/{system}/{version}", Access::kRead, About::kNamespace, BodyLimit::kNone, GetModuleImpact, "Who would miss a module's version"},
    {Method::kGet, "/api/v1/usage/impact/{namespace}/{type}/{version}", Access::kRead, About::kNamespace, BodyLimit::kNone, GetProviderImpact, "Who would miss a provider's version"},
    {Method::kGet, "/api/v1/usage/lag", Access::kAdmin, About::kNobody, BodyLimit::kNone, GetUsageLag, "How far behind the consumers of a namespace are"},
    {Method::kGet, "/api/v1/usage/unused", Access::kAdmin, About::kNobody, BodyLimit::kNone, ListUnused, "What nobody fetches"},
    {Method::kPost, "/api/v1/usage/forget", Access::kEverything, About::kNobody, BodyLimit::kSmall, ForgetUsage, "Forget what somebody fetched"},
    {Method::kPost, "/api/v1/tokens", Access::kGrant, About::kNobody, BodyLimit::kSmall, CreateToken, "Make a token"},
    {Method::kGet, "/api/v1/tokens", Access::kGrant, About::kNobody, BodyLimit::kNone, ListTokens, "The tokens, without their secrets"},
    {Method::kPost, "/api/v1/tokens/{name}/rotate", Access::kGrant, About::kNobody, BodyLimit::kSmall, RotateToken, "Give a token another text"},
    {Method::kDelete, "/api/v1/tokens/{name}", Access::kGrant, About::kNobody, BodyLimit::kNone, RevokeToken, "Revoke a token"},
    {Method::kPost, "/api/v1/setup", Access::kOpen, About::kNobody, BodyLimit::kSmall, SetUp, "Make the first administrator"},
    {Method::kPut, "/api/v1/users/{name}/password", Access::kOneself, About::kNobody, BodyLimit::kSmall, SetPassword, "Set a user's password"},
    {Method::kPut, "/api/v1/users/{name}/language", Access::kOneself, About::kNobody, BodyLimit::kSmall, SetLanguage, "Say in which language a user has pages"},
    {Method::kGet, "/api/v1/sessions", Access::kOneself, About::kNobody, BodyLimit::kNone, ListSessions, "Browsers that are signed in"},
    {Method::kDelete, "/api/v1/sessions/{id}", Access::kOneself, About::kNobody, BodyLimit::kNone, EndSession, "Sign a browser out"},
    {Method::kDelete, "/api/v1/users/{name}/sessions", Access::kEverything, About::kNobody, BodyLimit::kNone, EndSessionsOfUser, "Sign a user out everywhere"},
    {Method::kPost, "/api/v1/idps", Access::kEverything, About::kNobody, BodyLimit::kSmall, AddIdentityProvider, "Add a sign-in provider"},
    {Method::kGet, "/api/v1/idps", Access::kEverything, About::kNobody, BodyLimit::kNone, ListIdentityProviders, "The sign-in providers"},
    {Method::kDelete, "/api/v1/idps/{name}", Access::kEverything, About::kNobody, BodyLimit::kNone, RemoveIdentityProvider, "Remove a sign-in provider"},
    {Method::kPost, "/api/v1/idps/{name}/test", Access::kEverything, About::kNobody, BodyLimit::kSmall, TestIdentityProvider, "Ask a sign-in provider whether it would do"},
    {Method::kPost, "/api/v1/oidc/exchange", Access::kOpen, About::kNobody, BodyLimit::kSmall, ExchangeOidcToken, "A token to publish with, for a CI's"},
    {Method::kGet, "/api/v1/admin/replicas", Access::kEverything, About::kNobody, BodyLimit::kNone, ListReplicas, "The servers that run on this catalog"},
    {Method::kGet, "/api/v1/admin/storage", Access::kEverything, About::kNobody, BodyLimit::kNone, ListStorageDays, "How much is stored, day by day"},
    {Method::kPost, "/api/v1/admin/reseal", Access::kEverything, About::kNobody, BodyLimit::kSmall, ResealSecrets, "Seal every secret with server.secret"},
    {Method::kPost, "/api/v1/inspect", Access::kEverything, About::kNobody, BodyLimit::kSmall, InspectUnread, "Read what nobody has read yet in modules, a step"},
    {Method::kPost, "/api/v1/reindex", Access::kEverything, About::kNobody, BodyLimit::kSmall, Reindex, "Make the search index anew, a step"},
    {Method::kPost, "/api/v1/users", Access::kEverything, About::kNobody, BodyLimit::kSmall, CreateAccount<AccountKind::kUser>, "Make a user"},
    {Method::kGet, "/api/v1/users", Access::kEverything, About::kNobody, BodyLimit::kNone, ListAccounts<AccountKind::kUser>, "The users"},
    {Method::kPost, "/api/v1/users/{name}/disable", Access::kEverything, About::kNobody, BodyLimit::kSmall, DisableAccount<AccountKind::kUser>, "Disable a user"},
    {Method::kPost, "/api/v1/users/{name}/enable", Access::kEverything, About::kNobody, BodyLimit::kSmall, EnableAccount<AccountKind::kUser>, "Enable a user again"},
    {Method::kDelete, "/api/v1/users/{name}", Access::kEverything, About::kNobody, BodyLimit::kNone, DeleteAccount<AccountKind::kUser>, "Delete a user"},
    {Method::kPost, "/api/v1/services", Access::kEverything, About::kNobody, BodyLimit::kSmall, CreateAccount<AccountKind::kService>, "Make a service account"},
    {Method::kGet, "/api/v1/services", Access::kEverything, About::kNobody, BodyLimit::kNone, ListAccounts<AccountKind::kService>, "The service accounts"},
    {Method::kPost, "/api/v1/services/{name}/disable", Access::kEverything, About::kNobody, BodyLimit::kSmall, DisableAccount<AccountKind::kService>, "Disable a service account"},
    {Method::kPost, "/api/v1/services/{name}/enable", Access::kEverything, About::kNobody, BodyLimit::kSmall, EnableAccount<AccountKind::kService>, "Enable a service account again"},
    {Method::kDelete, "/api/v1/services/{name}", Access::kEverything, About::kNobody, BodyLimit::kNone, DeleteAccount<AccountKind::kService>, "Delete a service account"},
    {Method::kPost, "/api/v1/groups", Access::kEverything, About::kNobody, BodyLimit::kSmall, CreateGroup, "Make a group"},
    {Method::kGet, "/api/v1/groups", Access::kEverything, About::kNobody, BodyLimit::kNone, ListGroups, "The groups"},
    {Method::kDelete, "/api/v1/groups/{name}", Access::kEverything, About::kNobody, BodyLimit::kNone, DeleteGroup, "Delete a group"},
    {Method::kGet, "/api/v1/groups/{name}/members", Access::kEverything, About::kNobody, BodyLimit::kNone, ListMembers, "The members of a group"},
    {Method::kPut, "/api/v1/groups/{name}/members/users/{member}", Access::kEverything, About::kNobody, BodyLimit::kSmall, AddMember<AccountKind::kUser>, "Put a user into a group"},
    {Method::kDelete, "/api/v1/groups/{name}/members/users/{member}", Access::kEverything, About::kNobody, BodyLimit::kNone, RemoveMember<AccountKind::kUser>, "Take a user out of a group"},
    {Method::kPut, "/api/v1/groups/{name}/members/services/{member}", Access::kEverything, About::kNobody, BodyLimit::kSmall, AddMember<AccountKind::kService>, "Put a service account into a group"},
    {Method::kDelete, "/api/v1/groups/{name}/members/services/{member}", Access::kEverything, About::kNobody, BodyLimit::kNone, RemoveMember<AccountKind::kService>, "Take a service account out of a group"},
    {Method::kGet, "/api/v1/namespaces", Access::kGrant, About::kNobody, BodyLimit::kNone, ListNamespaces, "The namespaces that you administer"},
    {Method::kGet, "/api/v1/namespaces/{namespace}", Access::kAdmin, About::kNobody, BodyLimit::kNone, ShowNamespace, "A namespace"},
    {Method::kPut, "/api/v1/namespaces/{namespace}", Access::kAdmin, About::kNobody, BodyLimit::kSmall, SetNamespace, "Say who may read a namespace"},
    {Method::kGet, "/api/v1/namespaces/{namespace}/grants", Access::kAdmin, About::kNobody, BodyLimit::kNone, ListGrants, "Who has which role in a namespace"},
    {Method::kPost, "/api/v1/namespaces/{namespace}/trust", Access::kAdmin, About::kNobody, BodyLimit::kSmall, AddTrust, "Trust a CI to publish in a namespace"},
    {Method::kGet, "/api/v1/namespaces/{namespace}/trust", Access::kAdmin, About::kNobody, BodyLimit::kNone, ListTrust, "Which CI a namespace trusts"},
    {Method::kDelete, "/api/v1/namespaces/{namespace}/trust/{id}", Access::kAdmin, About::kNobody, BodyLimit::kNone, RemoveTrust, "Trust a CI no more"},
    {Method::kPut, "/api/v1/namespaces/{namespace}/grants/users/{name}", Access::kAdmin, About::kNobody, BodyLimit::kSmall, PutGrant<GranteeKind::kUser>, "Give a user a role"},
    {Method::kDelete, "/api/v1/namespaces/{namespace}/grants/users/{name}", Access::kAdmin, About::kNobody, BodyLimit::kNone, RemoveGrant<GranteeKind::kUser>, "Take a user's role away"},
    {Method::kPut, "/api/v1/namespaces/{namespace}/grants/groups/{name}", Access::kAdmin, About::kNobody, BodyLimit::kSmall, PutGrant<GranteeKind::kGroup>, "Give a group a role"},
    {Method::kDelete, "/api/v1/namespaces/{namespace}/grants/groups/{name}", Access::kAdmin, About::kNobody, BodyLimit::kNone, RemoveGrant<GranteeKind::kGroup>, "Take a group's role away"},
    {Method::kPut, "/api/v1/namespaces/{namespace}/grants/services/{name}", Access::kAdmin, About::kNobody, BodyLimit::kSmall, PutGrant<GranteeKind::kService>, "Give a service account a role"},
    {Method::kDelete, "/api/v1/namespaces/{namespace}/grants/services/{name}", Access::kAdmin, About::kNobody, BodyLimit::kNone, RemoveGrant<GranteeKind::kService>, "Take a service account's role away"},
};
// clang-format on

// What is kept is sent to whoever may read it, which nobody but the table says.
constexpr bool SaysWhose(const Route& route) {
  switch (route.about) {
    case About::kNobody:
      return !IsReading(route.access) || route.access == Access::kBrowse;
    case About::kNamespace:
      return IsReading(route.access) && route.pattern.contains("{namespace}");
    case About::kHost:
      return IsReading(route.access) && route.pattern.contains("{hostname}") &&
             route.pattern.contains("{namespace}");
    case About::kMirror:
      return IsReading(route.access);
    case About::kListing:
      return IsReading(route.access) &&
             (route.ready == nullptr ||
              (route.access == Access::kBrowse && route.ready == KeptPage));
  }
  return false;
}
static_assert(std::ranges::all_of(kRoutes, SaysWhose));
static_assert(std::ranges::all_of(kRoutes, [](const Route& route) {
  return route.ready == nullptr || IsOpen(route.access);
}));

// A page that nobody needs who comes in to get a token.
bool IsForShow(const Route& route) {
  return route.access == Access::kBrowse || route.pattern == "/" ||
         route.pattern.starts_with("/-/admin") || route.pattern == "/-/opensearch.xml" ||
         route.pattern.starts_with("/-/settings") || route.pattern.starts_with("/namespaces/") ||
         route.pattern.starts_with("/modules/") || route.pattern.starts_with("/providers/");
}

std::uint64_t MaxBody(const Services& services, BodyLimit limit) {
  switch (limit) {
    case BodyLimit::kNone:
      return 0;
    case BodyLimit::kForm:
      return Form::kMostBytes;
    case BodyLimit::kSmall:
      return kSmallBody;
    case BodyLimit::kKeys:
      return kKeyBody;
    case BodyLimit::kRelease:
      return kReleaseBody;
    case BodyLimit::kModuleArchive:
      return services.module_upload_bytes;
    case BodyLimit::kProviderFile:
      return services.provider_zip_bytes;
  }
  return 0;
}

LimitName MaxBodyName(BodyLimit limit) {
  switch (limit) {
    case BodyLimit::kNone:
      return {};
    case BodyLimit::kModuleArchive:
      return "limits.module_bytes";
    case BodyLimit::kProviderFile:
      return "limits.provider_zip_bytes";
    default:
      return "fixed.request_document_bytes";
  }
}

Awaitable<http::Response> AnswerOrExplain(const Route& route, http::Exchange& exchange,
                                          Services& services) {
  Result<http::Response> reply = co_await Answer(route, exchange, services);
  if (reply) {
    if (IsDenied(route, reply->status)) {
      co_await NoteDenied(route, exchange.request, services, reply->status);
    }
    co_return *std::move(reply);
  }
  const unsigned status = StatusFor(reply.error().kind);
  if (IsDenied(route, status)) {
    co_await NoteDenied(route, exchange.request, services, status);
  }
  co_return co_await ErrorAnswer(route.access, std::move(reply).error(), exchange.request,
                                 services);
}

Task<http::Response> GetNothing(Call& /*call*/) {
  co_return Fail(ErrorKind::kNotFound, "there is nothing at this path");
}

constexpr Route kElsewhere{Method::kGet, "", Access::kRead, About::kListing, BodyLimit::kNone,
                           GetNothing,   ""};

}  // namespace

std::span<const Route> Routes() { return kRoutes; }

std::vector<http::RouteSpec> BindRoutes(Services& services) {
  // Each template is read when it is first shown; that of the start page now already.
  web::RenderHome({}, {});
  std::vector<http::RouteSpec> specs;
  for (const Route& route : kRoutes) {
    if (!services.site.enabled && IsForShow(route)) continue;
    http::Handler handler = [&route, &services](http::Exchange& exchange) {
      return AnswerOrExplain(route, exchange, services);
    };
    http::ReadyAnswer ready;
    if (route.ready != nullptr) {
      ready = [&route, &services](http::Exchange& exchange) {
        return ReadyAnswer(route, exchange, services);
      };
    }
    specs.push_back({route.method, std::string(route.pattern), MaxBody(services, route.body),
                     std::move(handler), std::move(ready), MaxBodyName(route.body)});
  }
  return specs;
}

http::RouteSpec BindElsewhere(Services& services) {
  return {.handler = [&services](http::Exchange& exchange) {
    return AnswerOrExplain(kElsewhere, exchange, services);
  }};
}

}  // namespace koya::api
