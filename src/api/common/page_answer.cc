#include "api/common/page_answer.h"

#include <fmt/format.h>

#include <utility>

#include "api/common/cookies.h"
#include "api/common/credentials.h"
#include "api/common/document_cache.h"
#include "api/common/route.h"
#include "auth/capability.h"
#include "domain/namespace_record.h"
#include "service/access/namespaces.h"

namespace koya::api {
namespace {

// How long pages of many things are cached: short enough that readers do not mind.
constexpr std::chrono::seconds kBriefly{5};
// Beyond it a page is compressed on a worker.
constexpr std::size_t kQuicklyMade = std::size_t{48} << 10;
// What a page takes while it is made: its text, a copy that is sent, and the packed form.
constexpr std::uint64_t kPageWeight = 3;

std::string PageKey(std::string_view path, std::string_view look) {
  std::string key(path);
  key.push_back('\0');
  key += look;
  return key;
}

// The language that a CommonLook names.
web::Language LanguageOfLook(std::string_view look) {
  return web::ParseLanguage(look.substr(look.find(' ') + 1, 2)).value_or(web::Language::kEnglish);
}

// A page of before, said to be one. It is not what its ETag says any more.
http::Response MarkedPage(const http::Document& page, std::string_view look) {
  http::Response reply;
  reply.fields = PageContext::PageFields();
  reply.fields.emplace_back("Content-Type", page.content_type);
  reply.fields.emplace_back("Cache-Control", "private, no-store");
  reply.fields.emplace_back("Warning", kCatalogUnreachable);
  reply.body = web::WithOfflineNote(page.body, LanguageOfLook(look));
  return reply;
}

}  // namespace

PageAnswer::PageAnswer(Call& call)
    : call_(call), visit_(call), ticket_(call.services.documents.TakeTicket()) {
  frame = visit_.Frame();
}

Task<std::shared_ptr<const http::Document>> PageAnswer::MakePage(std::string html, unsigned status,
                                                                 UnixSeconds fresh_until,
                                                                 bool lasting) {
  const std::uint64_t size = html.size();
  auto make = [html = std::move(html), status, fresh_until,
               lasting]() mutable -> Result<std::shared_ptr<const http::Document>> {
    return http::MakeDocument(std::move(html), {.content_type = "text/html; charset=utf-8",
                                                .cache_control = "private, no-cache",
                                                .fields = PageContext::PageFields(),
                                                .status = status,
                                                .fresh_until = fresh_until,
                                                .lasting = lasting});
  };
  if (size <= kQuicklyMade) co_return make();
  CO_RETURN_IF_ERROR(co_await call_.reading.Claim(kPageWeight * size));
  co_return co_await call_.reading.Do(std::move(make));
}

Task<http::Response> PageAnswer::SendAndKeep(std::string html, std::string topic,
                                             UnixSeconds fresh_until, bool lasting) {
  const std::optional<std::string> look = CommonLook(call_.request());
  const bool common = look && frame.account.empty() && call_.principal.is_anonymous() &&
                      call_.visibility == Visibility::kPublic;
  ASSIGN_OR_CO_RETURN(std::shared_ptr<const http::Document> document,
                      co_await MakePage(std::move(html), 200, fresh_until, common && lasting));
  if (common) {
    call_.services.documents.Put(ticket_, PageKey(call_.request().path, *look), topic, document,
                                 call_.services.clock.Now());
  }
  co_return visit_.MadePage(std::move(document));
}

Task<http::Response> PageAnswer::Send(std::string html, std::string topic) {
  co_return co_await SendAndKeep(std::move(html), std::move(topic), 0, true);
}

Task<http::Response> PageAnswer::Send(std::string html, std::string topic,
                                      std::chrono::seconds life) {
  const UnixSeconds until = call_.services.clock.Now() + life.count();
  co_return co_await SendAndKeep(std::move(html), std::move(topic), until, true);
}

Task<http::Response> PageAnswer::SendBriefly(std::string html) {
  const UnixSeconds until = call_.services.clock.Now() + kBriefly.count();
  co_return co_await SendAndKeep(std::move(html), "pages", until, false);
}

Task<http::Response> PageAnswer::SendUnkept(std::string html, unsigned status) {
  ASSIGN_OR_CO_RETURN(std::shared_ptr<const http::Document> document,
                      co_await MakePage(std::move(html), status, 0, false));
  co_return visit_.MadePage(std::move(document));
}

Awaitable<NamespaceOwners> OwnersFor(Call& call, std::string ns) {
  const std::optional<auth::CapabilityBearer>& bearer = call.principal.bearer;
  if (!bearer || bearer->kind != auth::CapabilityBearer::Kind::kSession) {
    co_return NamespaceOwners();
  }
  Result<std::shared_ptr<const NamespaceOwners>> owners =
      co_await call.services.rights.namespaces.Owners(std::move(ns));
  co_return owners ? **owners : NamespaceOwners();
}

std::optional<Visibility> VisibilityBadge(const Call& call) {
  if (call.principal.is_anonymous()) return std::nullopt;
  return call.visibility;
}

std::optional<http::Response> KeptPage(const http::Exchange& exchange, Services& services) {
  const http::Request& request = exchange.request;
  const OfflineRules::Held held = services.offline.held();
  if (held == OfflineRules::Held::kTooOld) return std::nullopt;
  const bool away = held == OfflineRules::Held::kMarked;
  // Callers with a session or a token have pages of their own, and get shared ones only when there
  // is nothing else.
  const bool has_session =
      !Cookies(request).Get(kSessionCookie).empty() || HasCredentials(Access::kBrowse, request);
  if (!away && has_session) return std::nullopt;
  const std::optional<std::string> look = CommonLook(request);
  if (!look) return std::nullopt;
  std::optional<UnixSeconds> now;
  if (!away) now = services.clock.Now();
  std::shared_ptr<const http::Document> page =
      services.documents.FindDocument(PageKey(request.path, *look), now);
  if (!page) return std::nullopt;
  return away ? MarkedPage(*page, *look) : http::Response::FromDocument(std::move(page));
}

}  // namespace koya::api
