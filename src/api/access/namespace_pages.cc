// A namespace, for people; and the keys that its releases are signed with, as a page, and how its
// owners look after them.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "api/common/listed_hits.h"
#include "api/common/namespace_owned.h"
#include "api/common/page_answer.h"
#include "api/common/paging.h"
#include "api/common/route.h"
#include "domain/module_record.h"
#include "domain/name_rules.h"
#include "domain/provider_address.h"
#include "domain/provider_record.h"
#include "service/access/namespaces.h"
#include "service/modules/modules.h"
#include "service/providers/providers.h"
#include "service/providers/signing_keys.h"
#include "web/access/namespace_page.h"
#include "web/access/namespace_tabs.h"
#include "web/common/page_paths.h"

namespace koya::api {
namespace {

constexpr std::uint64_t kModulesShown = 20;
constexpr std::uint64_t kProvidersShown = 20;

// The name in the letter case of the packages in it.
std::string ShownName(const Page<ModuleSummary>& modules, const Page<ProviderSummary>& providers,
                      std::string name) {
  if (!modules.items.empty()) return modules.items.front().address.ns();
  if (!providers.items.empty()) return providers.items.front().address.ns();
  return name;
}

Task<web::NamespacePage> FindNamespacePage(Call& call, std::string name, std::uint64_t offset) {
  ModuleFilter modules;
  modules.ns = name;
  modules.readable = call.Readable();
  ASSIGN_OR_CO_RETURN(Page<ModuleSummary> listed,
                      co_await call.services.modules.published.List(
                          std::move(modules), {.offset = offset, .limit = kModulesShown}));
  ProviderFilter providers;
  providers.ns = name;
  providers.readable = call.Readable();
  ASSIGN_OR_CO_RETURN(Page<ProviderSummary> provided,
                      co_await call.services.providers.published.List(std::move(providers),
                                                                      {.limit = kProvidersShown}));
  ASSIGN_OR_CO_RETURN(service::NamespaceState state,
                      co_await call.services.rights.namespaces.FindNamespace(name));
  const bool nothing = listed.items.empty() && provided.items.empty();
  if (nothing && !state.recorded) {
    co_return FailNotFound("there is no such namespace");
  }
  ASSIGN_OR_CO_RETURN(NamespaceWords words, co_await call.services.rights.namespaces.Words(name));
  NamespaceOwners owners = co_await OwnersFor(call, name);
  co_return web::NamespacePage{.name = ShownName(listed, provided, std::move(name)),
                               .url = call.services.url,
                               .visibility = state.visibility,
                               .words = std::move(words),
                               .owners = std::move(owners),
                               .modules = HitsOf(listed.items),
                               .part = {.offset = offset,
                                        .shown = listed.items.size(),
                                        .size = kModulesShown,
                                        .more = listed.more},
                               .providers = HitsOf(provided.items),
                               .has_more_providers = provided.more};
}

Task<http::Response> ShowNamespacePage(Call& call) {
  PageAnswer page(call);
  Result<std::string> name = ParseNamespaceName(call.path("namespace"));
  if (!name) co_return FailNotFound("there is no such namespace");
  ASSIGN_OR_CO_RETURN(std::uint64_t offset, ReadPartOffset(call, kModulesShown));
  ASSIGN_OR_CO_RETURN(web::NamespacePage shown,
                      co_await FindNamespacePage(call, *std::move(name), offset));
  const bool signed_in = !page.frame.account.empty();
  shown.may_publish =
      signed_in && call.principal.RequireNamespace(shown.name, Role::kPublisher).has_value();
  shown.is_owner = signed_in && call.principal.RequireNamespace(shown.name).has_value();
  shown.audience = call.services.identity.audience;
  page.frame.canonical = web::NamespacePath(shown.name);
  page.frame.feed = web::FeedPath(shown.name);
  // TitleText makes one line of it.
  page.frame.description =
      shown.words.description.empty() ? shown.words.title : shown.words.description;
  co_return co_await page.SendBriefly(web::RenderNamespace(page.frame, shown));
}

// ---- keys

constexpr std::size_t kKeysShown = 100;

// A namespace that only modules can have has no keys.
Task<web::NamespaceKeysPage> KeysOf(Call& call, web::NamespaceHead head) {
  web::NamespaceKeysPage page{.head = std::move(head), .now = call.services.clock.Now()};
  Result<std::string> ns = NormalizeProviderNamespace(page.head.name);
  if (!ns) co_return page;
  ASSIGN_OR_CO_RETURN(page.keys,
                      co_await call.services.providers.signing_keys.List(*std::move(ns)));
  page.left_out = CutTo(page.keys, kKeysShown);
  co_return page;
}

Task<http::Response> ShowNamespaceKeys(Call& call) {
  PageAnswer page(call);
  Result<std::string> name = ParseNamespaceName(call.path("namespace"));
  if (!name) co_return FailNotFound("there is no such namespace");
  ASSIGN_OR_CO_RETURN(service::NamespaceState state,
                      co_await call.services.rights.namespaces.FindNamespace(*name));
  if (!state.recorded) co_return FailNotFound("there is no such namespace");
  const bool signed_in = !page.frame.account.empty();
  web::NamespaceHead head{.name = *std::move(name), .visibility = state.visibility};
  head.is_owner = signed_in && call.principal.RequireNamespace(head.name).has_value();
  ASSIGN_OR_CO_RETURN(NamespaceWords words,
                      co_await call.services.rights.namespaces.Words(head.name));
  head.title = std::move(words.title);
  ASSIGN_OR_CO_RETURN(web::NamespaceKeysPage shown, co_await KeysOf(call, std::move(head)));
  co_return co_await page.SendUnkept(web::RenderNamespaceKeys(page.frame, shown));
}

// The page for owners, after a rejected form.
Task<std::string> AskNamespaceKeys(OwnersPage& page) {
  ASSIGN_OR_CO_RETURN(web::NamespaceKeysPage shown, co_await KeysOf(page.call, page.Head()));
  shown.key = page.form.Get("key");
  shown.errors = page.errors;
  co_return web::RenderNamespaceKeys(page.visit.Frame(), shown);
}

Task<Outcome> AddNamespaceKeys(OwnersPage& page) {
  std::string text = page.form.Get("key");
  if (text.empty()) page.errors.Add("key", "required");
  Result<std::string> ns = NormalizeProviderNamespace(page.record.name);
  if (!ns) page.errors.AddError("key", web::Refusal::Of(ns.error()));
  if (!page.errors.empty()) co_return kFormAgain;
  Result<std::vector<service::SigningKeys::Added>> added =
      co_await page.services.providers.signing_keys.Add(page.by, *std::move(ns), std::move(text));
  if (!added) co_return page.Reject("key", added.error(), web::Typed::kPublicKey);
  std::string ids;
  for (const service::SigningKeys::Added& each : *added) {
    page.Log(each.created ? "key added" : "key renewed", each.key.fingerprint);
    ids += (ids.empty() ? "" : ", ") + each.key.key_id;
  }
  co_return page.Done("key_added", std::move(ids));
}

// The key with this fingerprint, which signs still.
Task<SigningKeyRecord> KeyInUse(OwnersPage& page) {
  constexpr const char* kNoKey = "no such key in use";
  Result<std::string> ns = NormalizeProviderNamespace(page.record.name);
  if (!ns) co_return Fail(ErrorKind::kNotFound, kNoKey);
  std::string fingerprint(page.call.path("key_id"));
  ASSIGN_OR_CO_RETURN(SigningKeyRecord key, co_await page.services.providers.signing_keys.FindKey(
                                                *std::move(ns), std::move(fingerprint)));
  if (key.removed_at) co_return Fail(ErrorKind::kNotFound, kNoKey);
  co_return key;
}

Task<web::ConfirmPage> AskRemoveNamespaceKey(OwnersPage& page) {
  ASSIGN_OR_CO_RETURN(SigningKeyRecord key, co_await KeyInUse(page));
  co_return web::ConfirmPage{.key = "remove_key",
                             .what = key.key_id,
                             .action = page.Path("keys/" + key.fingerprint + "/remove"),
                             .back = page.Path("keys"),
                             .command = fmt::format("koya key remove {} {}",
                                                    web::ShellWord(page.record.name), key.key_id)};
}

Task<Outcome> RemoveNamespaceKey(OwnersPage& page) {
  Result<SigningKeyRecord> key = co_await KeyInUse(page);
  if (key) {
    key = co_await page.services.providers.signing_keys.Remove(page.by, key->ns, key->fingerprint);
  }
  if (key) page.Log("key removed", key->fingerprint);
  const Status removed = key ? Status() : Status(Failure(key.error()));
  co_return page.Removed(removed, {.removed = "key_removed", .gone = "key_gone"},
                         key ? key->key_id : "");
}

}  // namespace

// A namespace, for people, and its keys.
std::span<const Route> NamespacePageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/namespaces/{namespace}", Access::kBrowse, ResourceScope::kNamespace,
                 ShowNamespacePage, "Show a namespace", KeptPage),
      Route::Get("/namespaces/{namespace}/keys", Access::kBrowse, ResourceScope::kNamespace,
                 ShowNamespaceKeys, "Show a namespace's signing keys"),
      FormRow<AskNamespaceKeys, AddNamespaceKeys>("/namespaces/{namespace}/keys",
                                                  "Add public keys to a namespace"),
      PageRow<AskRemoveNamespaceKey>("/namespaces/{namespace}/keys/{key_id}/remove",
                                     "Show the form to confirm that a key is removed"),
      FormRow<AskRemoveNamespaceKey, RemoveNamespaceKey>(
          "/namespaces/{namespace}/keys/{key_id}/remove", "Remove a key"),
  };
  return kRoutes;
}

}  // namespace koya::api
