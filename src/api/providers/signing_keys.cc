#include "api/common/route.h"

#include <optional>
#include <string>
#include <utility>

#include "api/common/call.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "base/clock.h"
#include "domain/provider_address.h"
#include "domain/signing_key_record.h"
#include "obs/log.h"
#include "service/operate/installation.h"
#include "service/providers/signing_keys.h"
#include "service/sign_in/identity_providers.h"
#include "wire/admin.h"
#include "wire/provider_publishing.h"

namespace koya::api {
namespace {

Result<std::string> NamespaceFromPath(const Call& call) {
  return NormalizeProviderNamespace(call.path("namespace"));
}

wire::NamespaceKey WireOf(const Services& services, SigningKeyRecord record) {
  bool expired = record.expires_at && *record.expires_at <= services.clock.Now();
  return {.key_id = std::move(record.key_id),
          .fingerprint = std::move(record.fingerprint),
          .user_ids = std::move(record.user_ids),
          .algorithm = std::move(record.algorithm),
          .created = FormatRfc3339(record.created_at),
          .expires = record.expires_at ? FormatRfc3339(*record.expires_at) : "",
          .expired = expired,
          .added = FormatRfc3339(record.added_at),
          .added_by = std::move(record.added_by),
          .removed = record.removed_at ? FormatRfc3339(*record.removed_at) : "",
          .server_made = record.server_made,
          .ascii_armor = std::move(record.armor)};
}

void LogKey(Call& call, std::string_view event, const SigningKeyRecord& key) {
  call.services.log.Info(event, {{"request_id", call.request().request_id},
                                 {"by", call.principal.name},
                                 {"namespace", key.ns},
                                 {"fingerprint", key.fingerprint}});
}

Task<http::Response> ListKeys(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string ns, NamespaceFromPath(call));
  ASSIGN_OR_CO_RETURN(std::vector<SigningKeyRecord> records,
                      co_await call.services.providers.signing_keys.List(std::move(ns)));
  std::vector<wire::NamespaceKey> keys;
  for (SigningKeyRecord& record : records) keys.push_back(WireOf(call.services, std::move(record)));
  co_return JsonReply(200, wire::Encode(wire::KeyList{std::move(keys)}));
}

// As of a namespace that has none, or that is not there.
Task<http::Response> ListNoKeys(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string ns, NamespaceFromPath(call));
  co_return JsonReply(200, wire::Encode(wire::KeyList()));
}

// Strict, since a misspelled parameter must not let a key sign.
Result<service::SigningKeys::Use> ReadKeyUse(const Call& call) {
  using Use = service::SigningKeys::Use;
  ASSIGN_OR_RETURN(std::optional<std::string> text,
                   QueryParameter(call.request().query, "verify_only"));
  if (!text || text == "false") return Use::kSign;
  if (text == "true") return Use::kVerify;
  return FailInvalid("verify_only must be true or false: no key was added");
}

Task<http::Response> AddKeys(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string ns, NamespaceFromPath(call));
  ASSIGN_OR_CO_RETURN(const service::SigningKeys::Use use, ReadKeyUse(call));
  ASSIGN_OR_CO_RETURN(std::string text, co_await ReadSmallBody(call.exchange.body, kKeyBody));
  ASSIGN_OR_CO_RETURN(std::vector<service::SigningKeys::Added> added,
                      co_await call.services.providers.signing_keys.Add(
                          call.principal, std::move(ns), std::move(text), use));
  std::vector<wire::NamespaceKey> keys;
  bool created = false;
  for (service::SigningKeys::Added& each : added) {
    LogKey(call, each.created ? "key added" : "key renewed", each.key);
    created = created || each.created;
    keys.push_back(WireOf(call.services, std::move(each.key)));
  }
  co_return JsonReply(created ? 201 : 200, wire::Encode(wire::KeyList{std::move(keys)}));
}

Task<http::Response> RotateKey(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string ns, NamespaceFromPath(call));
  ASSIGN_OR_CO_RETURN(SigningKeyRecord key, co_await call.services.providers.signing_keys.Rotate(
                                                call.principal, std::move(ns)));
  LogKey(call, "key rotated", key);
  std::vector<wire::NamespaceKey> keys;
  keys.push_back(WireOf(call.services, std::move(key)));
  co_return JsonReply(201, wire::Encode(wire::KeyList{std::move(keys)}));
}

Task<http::Response> RemoveKey(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string ns, NamespaceFromPath(call));
  std::string key_id(call.path("key_id"));
  ASSIGN_OR_CO_RETURN(SigningKeyRecord key, co_await call.services.providers.signing_keys.Remove(
                                                call.principal, std::move(ns), std::move(key_id)));
  LogKey(call, "key removed", key);
  http::Response reply;
  reply.status = 204;
  co_return reply;
}

Task<http::Response> ResealSecrets(Call& call) {
  ASSIGN_OR_CO_RETURN(service::SigningKeys::Resealed done,
                      co_await call.services.providers.signing_keys.Reseal(call.principal));
  ASSIGN_OR_CO_RETURN(service::SigningKeys::Resealed providers,
                      co_await call.services.identity.providers.Reseal(call.principal));
  done.renewed += providers.renewed;
  done.current += providers.current;
  done.lost.insert(done.lost.end(), providers.lost.begin(), providers.lost.end());
  // What cannot be opened stays shut whichever secret counts.
  CO_RETURN_IF_ERROR(co_await call.services.upkeep.installation.Reseal());
  call.services.log.Info("secrets re-encrypted", {{"request_id", call.request().request_id},
                                                  {"by", call.principal.name},
                                                  {"renewed", done.renewed},
                                                  {"lost", done.lost.size()}});
  co_return JsonReply(
      200, wire::Encode<wire::ResealReport>(
               {.renewed = done.renewed, .current = done.current, .lost = std::move(done.lost)}));
}

}  // namespace

// The keys that a namespace's releases are signed with.
std::span<const Route> SigningKeyRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kListKeys, Access::kRead, ResourceScope::kNamespace, ListKeys,
                 "List the public keys of a namespace", nullptr, ListNoKeys),
      Route::For(wire::kAddKeys, Access::kOwner, BodyLimit::kKeys, AddKeys,
                 "Add public keys to a namespace"),
      Route::For(wire::kRotateKey, Access::kOwner, BodyLimit::kSmall, RotateKey,
                 "Create a new server key for a namespace"),
      Route::For(wire::kRemoveKey, Access::kOwner, BodyLimit::kNone, RemoveKey,
                 "Reject new releases signed with a key"),
      Route::For(wire::kResealSecrets, Access::kAdmin, BodyLimit::kSmall, ResealSecrets,
                 "Re-encrypt every secret with server.secret"),
  };
  return kRoutes;
}

}  // namespace koya::api
