#include "api/common/route.h"

#include <utility>

#include "api/common/call.h"
#include "api/common/package_urls.h"
#include "api/common/provenance.h"
#include "api/common/reply.h"
#include "api/common/repository_url.h"
#include "base/clock.h"
#include "domain/access.h"
#include "domain/provider_address.h"
#include "domain/provider_docs_record.h"
#include "domain/provider_record.h"
#include "domain/version.h"
#include "domain/version_step.h"
#include "obs/log.h"
#include "service/access/namespaces.h"
#include "service/providers/providers.h"
#include "service/providers/publish_provider.h"
#include "wire/error_document.h"
#include "wire/modules.h"
#include "wire/provider_publishing.h"

namespace koya::api {
namespace {

using Request = service::ProviderPublisher::Request;

// Publishing is strict where reading is lenient: it reports errors and guesses nothing.
Result<Request> ReadRequest(Call& call) {
  ASSIGN_OR_RETURN(ProviderAddress address,
                   ProviderAddress::FromParts(call.path("namespace"), call.path("type")));
  ASSIGN_OR_RETURN(Version version, Version::Parse(call.path("version")));
  ASSIGN_OR_RETURN(std::string break_glass, ReadBreakGlass(call));
  return Request{.publisher = call.principal,
                 .address = std::move(address),
                 .version = std::move(version),
                 .break_glass = std::move(break_glass)};
}

wire::DraftFile WireOf(DraftFile file) {
  return {.name = std::move(file.name),
          .digest = file.digest.ToString(),
          .size = file.size,
          .problems = std::move(file.problems)};
}

wire::Draft WireOf(DraftRecord record) {
  wire::Draft draft{.id = std::move(record.id),
                    .address = record.address.ToString(),
                    .version = record.version.ToString(),
                    .created = FormatRfc3339(record.created_at),
                    .expires = FormatRfc3339(record.expires_at),
                    .upload = std::move(record.upload),
                    .files = {}};
  for (DraftFile& file : record.files) draft.files.push_back(WireOf(std::move(file)));
  return draft;
}

wire::PublishedProvider WireOf(const Services& services, service::CommitOutcome& outcome,
                               bool dry_run) {
  const ProviderRelease& release = *outcome.release;
  wire::PublishedProvider published{.address = release.address.ToString(),
                                    .version = release.version.ToString(),
                                    .source = SourceAddress(services.host(), release.address),
                                    .protocols = release.protocols,
                                    .shasums_digest = release.sums.digest.ToString(),
                                    .key_fingerprint = release.key_fingerprint,
                                    .packages = {},
                                    .warnings = {},
                                    .dry_run = dry_run};
  for (const ReadWarning& each : outcome.warnings) {
    published.warnings.push_back({each.file, each.line, each.text});
  }
  if (outcome.judgement) {
    published.semver = SemverRuleName(outcome.judgement->rule);
    published.comparison = std::move(outcome.judgement->comparison);
  }
  for (const ProviderPackage& package : release.packages) {
    wire::PublishedPackage& added = published.packages.emplace_back();
    added.platform = package.platform.ToString();
    added.filename = package.filename;
    added.digest = package.digest.ToString();
    added.size = package.size;
    added.hashes = {"zh:" + package.digest.hex()};
    added.hashes.insert(added.hashes.end(), package.h1.begin(), package.h1.end());
  }
  return published;
}

http::Response Done() {
  http::Response reply;
  reply.status = 204;
  return reply;
}

void LogPublished(Call& call, const ProviderRelease& release) {
  call.services.log.Info("provider published", {{"request_id", call.request().request_id},
                                                {"by", release.published_by},
                                                {"address", release.address.ToString()},
                                                {"version", release.version.ToString()},
                                                {"packages", release.packages.size()},
                                                {"key", release.key_fingerprint},
                                                {"shasums", release.sums.digest.ToString()}});
}

// The commit, or a dry run of it: the same answers.
Task<http::Response> FinishDraft(Call& call, bool dry_run) {
  ASSIGN_OR_CO_RETURN(Request request, ReadRequest(call));
  std::string id(call.path("id"));
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::CommitRequest wanted, wire::Decode<wire::CommitRequest>(body));
  service::ProviderPublisher::Commit commit{.sign = wanted.sign,
                                            .protocols = std::move(wanted.protocols),
                                            .attachments = std::move(wanted.attachments),
                                            .dry_run = dry_run};
  ASSIGN_OR_CO_RETURN(commit.source,
                      SourceToPublish(request.publisher.provenance, wanted.source_url));
  ASSIGN_OR_CO_RETURN(commit.origin, ReadImportOrigin(wanted.imported_from, wanted.imported_digest,
                                                      wanted.published_at));
  ASSIGN_OR_CO_RETURN(const service::NamespaceState before,
                      co_await call.services.rights.namespaces.FindNamespace(request.address.ns()));
  ASSIGN_OR_CO_RETURN(service::CommitOutcome outcome,
                      co_await call.services.providers.publisher.CommitDraft(
                          std::move(request), std::move(id), std::move(commit)));
  if (!outcome.release) co_return ErrorsReply(ErrorKind::kRefused, outcome.problems);
  if (outcome.created) LogPublished(call, *outcome.release);
  const unsigned status = outcome.created ? 201 : 200;
  wire::PublishedProvider published = WireOf(call.services, outcome, dry_run);
  const Visibility visibility =
      before.recorded ? before.visibility : call.services.rights.namespaces.of_new();
  published.visibility = VisibilityName(call.services.access.Effective(visibility));
  if (outcome.created && !before.recorded)
    published.made_namespace = VisibilityName(call.services.rights.namespaces.of_new());
  co_return JsonReply(status, wire::Encode(published));
}

Task<http::Response> OpenDraft(Call& call) {
  ASSIGN_OR_CO_RETURN(Request request, ReadRequest(call));
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::DraftRequest wanted, wire::Decode<wire::DraftRequest>(body));
  ASSIGN_OR_CO_RETURN(DraftRecord draft, co_await call.services.providers.publisher.OpenDraft(
                                             std::move(request), std::move(wanted.upload)));
  co_return JsonReply(201, wire::Encode(WireOf(std::move(draft))));
}

Task<http::Response> ListDrafts(Call& call) {
  ASSIGN_OR_CO_RETURN(Request request, ReadRequest(call));
  ASSIGN_OR_CO_RETURN(std::vector<DraftRecord> records,
                      co_await call.services.providers.publisher.ListDrafts(std::move(request)));
  std::vector<wire::Draft> drafts;
  for (DraftRecord& record : records) drafts.push_back(WireOf(std::move(record)));
  co_return JsonReply(200, wire::Encode(wire::DraftList{std::move(drafts)}));
}

Task<http::Response> ShowDraft(Call& call) {
  ASSIGN_OR_CO_RETURN(Request request, ReadRequest(call));
  std::string id(call.path("id"));
  ASSIGN_OR_CO_RETURN(DraftRecord draft, co_await call.services.providers.publisher.Show(
                                             std::move(request), std::move(id)));
  co_return JsonReply(200, wire::Encode(WireOf(std::move(draft))));
}

Task<http::Response> UploadDraftFile(Call& call) {
  ASSIGN_OR_CO_RETURN(Request request, ReadRequest(call));
  std::string id(call.path("id"));
  std::string name(call.path("file"));
  ASSIGN_OR_CO_RETURN(DraftFile file,
                      co_await call.services.providers.publisher.Upload(
                          std::move(request), std::move(id), std::move(name), call.exchange.body));
  co_return JsonReply(200, wire::Encode(WireOf(std::move(file))));
}

Task<http::Response> CommitDraft(Call& call) { co_return co_await FinishDraft(call, false); }

Task<http::Response> CheckDraft(Call& call) { co_return co_await FinishDraft(call, true); }

Task<http::Response> AbandonDraft(Call& call) {
  ASSIGN_OR_CO_RETURN(Request request, ReadRequest(call));
  std::string id(call.path("id"));
  CO_RETURN_IF_ERROR(
      co_await call.services.providers.publisher.Abandon(std::move(request), std::move(id)));
  co_return Done();
}

Task<http::Response> WithdrawProvider(Call& call) {
  ASSIGN_OR_CO_RETURN(Request request, ReadRequest(call));
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::Withdrawal wanted, wire::Decode<wire::Withdrawal>(body));
  CO_RETURN_IF_ERROR(co_await call.services.providers.published.Withdraw(
      request.publisher, request.address, request.version, wanted.reason, wanted.successor));
  call.services.log.Info("provider withdrawn", {{"request_id", call.request().request_id},
                                                {"by", request.publisher.name},
                                                {"address", request.address.ToString()},
                                                {"version", request.version.ToString()},
                                                {"reason", wanted.reason},
                                                {"successor", wanted.successor}});
  co_return Done();
}

Task<http::Response> RestoreProvider(Call& call) {
  ASSIGN_OR_CO_RETURN(Request request, ReadRequest(call));
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(auto [reason], wire::Decode<wire::Restore>(body));
  CO_RETURN_IF_ERROR(co_await call.services.providers.published.Restore(
      request.publisher, request.address, request.version, reason));
  call.services.log.Info("provider restored", {{"request_id", call.request().request_id},
                                               {"by", request.publisher.name},
                                               {"address", request.address.ToString()},
                                               {"version", request.version.ToString()},
                                               {"reason", reason}});
  co_return Done();
}

Task<http::Response> DeprecateProvider(Call& call) {
  ASSIGN_OR_CO_RETURN(Request request, ReadRequest(call));
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(auto [message], wire::Decode<wire::Deprecation>(body));
  CO_RETURN_IF_ERROR(co_await call.services.providers.published.Deprecate(
      request.publisher, request.address, request.version, message));
  call.services.log.Info("provider deprecated", {{"request_id", call.request().request_id},
                                                 {"by", request.publisher.name},
                                                 {"address", request.address.ToString()},
                                                 {"version", request.version.ToString()},
                                                 {"message", message}});
  co_return Done();
}

}  // namespace

// Publishing, deprecating, withdrawing and restoring provider releases.
std::span<const Route> ProviderPublishingRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kOpenDraft, Access::kPublish, BodyLimit::kSmall, OpenDraft,
                 "Create a draft of a provider version"),
      Route::For(wire::kListDrafts, Access::kPublish, ResourceScope::kNone, ListDrafts,
                 "List your open drafts of a provider version"),
      Route::For(wire::kShowDraft, Access::kPublish, ResourceScope::kNone, ShowDraft,
                 "List the files of a draft"),
      Route::For(wire::kUploadDraftFile, Access::kPublish, BodyLimit::kProviderFile,
                 UploadDraftFile, "Upload a file to a draft"),
      Route::For(wire::kCommitDraft, Access::kPublish, BodyLimit::kSmall, CommitDraft,
                 "Commit a draft: check and publish it"),
      Route::For(wire::kCheckDraft, Access::kPublish, BodyLimit::kSmall, CheckDraft,
                 "Check a draft without publishing it"),
      Route::For(wire::kAbandonDraft, Access::kPublish, BodyLimit::kNone, AbandonDraft,
                 "Delete a draft"),
      Route::For(wire::kDeprecateProvider, Access::kPublish, BodyLimit::kSmall, DeprecateProvider,
                 "Deprecate a provider version"),
      Route::For(wire::kWithdrawProvider, Access::kOwner, BodyLimit::kSmall, WithdrawProvider,
                 "Withdraw a provider version"),
      Route::For(wire::kRestoreProvider, Access::kOwner, BodyLimit::kSmall, RestoreProvider,
                 "Restore a withdrawn provider version"),
  };
  return kRoutes;
}

}  // namespace koya::api
