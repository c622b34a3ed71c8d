#include "api/providers/attachments.h"

#include <fmt/format.h>

#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "api/common/archives.h"
#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/package_urls.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "domain/topic.h"
#include "obs/log.h"

namespace koya::api {
namespace {

using Owner = service::Attachments::Owner;

// "modules/acme/vpc/aws", "providers/acme/demo".
std::string PathOf(const Owner& owner) {
  const bool module = std::holds_alternative<ModuleAddress>(owner.address);
  const std::string address =
      std::visit([](const auto& each) { return each.ToString(); }, owner.address);
  return (module ? "modules/" : "providers/") + address;
}

wire::Attachment Describe(std::string_view base_url, const Owner& owner,
                          const Attachment& attachment) {
  return {.name = attachment.name,
          .url = AttachmentUrl(base_url, PathOf(owner), owner.version, attachment.name),
          .sha256 = attachment.digest.hex(),
          .size = attachment.size};
}

Task<http::Response> AnswerAttachment(Call& call, Owner owner, std::string topic) {
  const ArchiveCache::Ticket ticket = call.services.archives.TakeTicket();
  std::string name(call.path("file"));
  ASSIGN_OR_CO_RETURN(service::OpenAttachment open,
                      co_await call.services.attachments.Open(std::move(owner), std::move(name)));
  ASSIGN_OR_CO_RETURN(const AttachmentKind kind, ParseAttachmentName(open.attachment.name));
  OpenedArchive archive{std::move(open.blob), open.attachment.digest, std::string(MediaType(kind))};
  co_return co_await KeepArchive(call, ticket, std::move(topic), std::move(archive));
}

Task<http::Response> GetModuleAttachment(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  std::string topic = ModuleTopic(address);
  Owner owner{std::move(address), std::move(version)};
  co_return co_await AnswerAttachment(call, std::move(owner), std::move(topic));
}

Task<http::Response> GetProviderAttachment(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  std::string topic = ProviderTopic(address);
  Owner owner{std::move(address), std::move(version)};
  co_return co_await AnswerAttachment(call, std::move(owner), std::move(topic));
}

Task<http::Response> AddAttachment(Call& call, Owner owner, std::string ns, std::string target) {
  service::Publishing publishing{
      .by = call.principal, .ns = std::move(ns), .target = std::move(target)};
  ASSIGN_OR_CO_RETURN(publishing.break_glass, ReadBreakGlass(call));
  std::string name(call.path("file"));
  ASSIGN_OR_CO_RETURN(service::Attachments::Added added,
                      co_await call.services.attachments.Add(publishing, owner, std::move(name),
                                                             call.exchange.body));
  if (added.created) {
    call.services.log.Info("attachment added", {{"request_id", call.request().request_id},
                                                {"by", call.principal.name},
                                                {"to", publishing.target},
                                                {"name", added.attachment.name},
                                                {"digest", added.attachment.digest.ToString()}});
  }
  co_return JsonReply(added.created ? 201 : 200,
                      wire::Encode(Describe(call.services.url, owner, added.attachment)));
}

// Publishing is strict where reading is lenient: it reports errors and guesses nothing.
Task<http::Response> PutModuleAttachment(Call& call) {
  ASSIGN_OR_CO_RETURN(
      ModuleAddress address,
      ModuleAddress::FromParts(call.path("namespace"), call.path("name"), call.path("system")));
  ASSIGN_OR_CO_RETURN(Version version, Version::Parse(call.path("version")));
  std::string ns = address.ns();
  std::string target = fmt::format("module:{}@{}", address.ToString(), version.ToString());
  Owner owner{std::move(address), std::move(version)};
  co_return co_await AddAttachment(call, std::move(owner), std::move(ns), std::move(target));
}

Task<http::Response> PutProviderAttachment(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address,
                      ProviderAddress::FromParts(call.path("namespace"), call.path("type")));
  ASSIGN_OR_CO_RETURN(Version version, Version::Parse(call.path("version")));
  std::string ns = address.ns();
  std::string target = fmt::format("provider:{}@{}", address.ToString(), version.ToString());
  Owner owner{std::move(address), std::move(version)};
  co_return co_await AddAttachment(call, std::move(owner), std::move(ns), std::move(target));
}

}  // namespace

Task<std::vector<wire::Attachment>> ListAttachments(Call& call, Owner owner) {
  ASSIGN_OR_CO_RETURN(const std::vector<Attachment> list,
                      co_await call.services.attachments.List(owner));
  std::vector<wire::Attachment> entries;
  entries.reserve(list.size());
  for (const Attachment& each : list) entries.push_back(Describe(call.services.url, owner, each));
  co_return entries;
}

Task<std::vector<web::ShownAttachment>> ShowAttachments(Call& call, Owner owner) {
  ASSIGN_OR_CO_RETURN(std::vector<wire::Attachment> list,
                      co_await ListAttachments(call, std::move(owner)));
  const Links links = Links::For(call);
  std::vector<web::ShownAttachment> shown;
  shown.reserve(list.size());
  for (wire::Attachment& each : list) {
    shown.push_back({std::move(each.name), links(std::move(each.url)), each.size});
  }
  co_return shown;
}

// Attachments: reading and adding them.
std::span<const Route> AttachmentRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get(wire::kPutModuleAttachment.pattern, Access::kSignedUrl, ResourceScope::kNamespace,
                 GetModuleAttachment, "Download an attachment of a module version", KeptArchive),
      Route::For(wire::kPutModuleAttachment, Access::kPublish, BodyLimit::kAttachment,
                 PutModuleAttachment, "Add an attachment to a module version"),
      Route::Get(wire::kPutProviderAttachment.pattern, Access::kSignedUrl,
                 ResourceScope::kNamespace, GetProviderAttachment,
                 "Download an attachment of a provider version", KeptArchive),
      Route::For(wire::kPutProviderAttachment, Access::kPublish, BodyLimit::kAttachment,
                 PutProviderAttachment, "Add an attachment to a provider version"),
  };
  return kRoutes;
}

}  // namespace koya::api
