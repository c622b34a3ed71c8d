#include "service/modules/publish_module.h"

#include <fmt/format.h>

#include <utility>

#include "archive/module_package.h"
#include "base/both.h"
#include "base/byte_source.h"
#include "base/offload.h"
#include "base/text.h"
#include "blobs/blob_store.h"
#include "catalog/catalog.h"
#include "catalog/module_catalog.h"
#include "domain/topic.h"
#include "inspect/changes.h"
#include "inspect/contents.h"
#include "inspect/file_names.h"
#include "service/common/blob_check.h"
#include "service/common/blob_io.h"
#include "service/common/change_feed.h"
#include "service/common/new_namespace.h"
#include "service/common/verdict_document.h"
#include "service/modules/module_metadata.h"
#include "service/search/index_queue.h"

namespace koya::service {
namespace {

std::string Name(const ModulePublisher::Request& request) {
  return fmt::format("{} {}", request.address.ToString(), request.version.ToString());
}

void DescribeWarnings(const inspect::ModuleContents& contents,
                      std::vector<wire::ReadWarning>& out) {
  for (const inspect::Warning& each : contents.warnings) {
    out.push_back({.file = each.place.file, .line = each.place.line, .text = each.what});
  }
}

// Files that are named; there may be more.
constexpr std::size_t kMostSecrets = 20;

Failure SecretsRefusal(const std::vector<wire::ReadWarning>& secrets) {
  std::string list;
  for (const wire::ReadWarning& each : secrets) {
    list += fmt::format("{}{}: {}", list.empty() ? "" : "; ", Printable(each.file, 200), each.text);
  }
  return FailRefused(
      "{}. publish.secrets rejects them: remove them from "
      "the folder, or list them in .terraformignore",
      list);
}

// The conflict that `outcome` stands for, told to the author.
Failure Conflict(const ModulePublisher::Request& request, const AddOutcome& outcome) {
  switch (outcome.what) {
    case AddOutcome::What::kWithdrawn:
      return WithdrawnConflict(Name(request), outcome.withdrawal->reason);
    case AddOutcome::What::kOtherBuild:
      return OtherBuildConflict(Name(request), outcome.existing->version.ToString());
    case AddOutcome::What::kOtherBytes:
      return OtherContentConflict(Name(request), outcome.existing->upload_digest.ToString());
    case AddOutcome::What::kAdded:
    case AddOutcome::What::kSameUpload:
      break;
  }
  return Fail(ErrorKind::kInternal, "the server could not find out why the version was not added",
              "conflict without a cause");
}

}  // namespace

// The archive served for an upload: itself, or its repack.
struct ModulePublisher::Served {
  StagedBlob staged;
  ArchiveKind kind = ArchiveKind::kTarGz;
  ModuleInspection inspection;  // of the upload

  // Inspection of the served archive, which has the upload's files at its root.
  ModuleInspection AsStored() const {
    return inspection.MayBeServed() ? inspection : ModuleInspection{.kind = ArchiveKind::kTarGz};
  }
};

// What a version is found to be.
struct ModulePublisher::Understood {
  SharedContents contents;
  std::optional<SemverVerdict> judgement;
  VersionExtras extras;  // stored with the version; empty if the version is not stored
};

Publishing ModulePublisher::PublishingOf(const Request& request) {
  return {
      .by = request.publisher,
      .ns = request.address.ns(),
      .target = fmt::format("module:{}@{}", request.address.ToString(), request.version.ToString()),
      .break_glass = request.break_glass};
}

Task<void> ModulePublisher::Check(Request request) {
  ASSIGN_OR_CO_RETURN([[maybe_unused]] const bool overridden,
                      co_await CheckMayAdd(std::move(request)));
  co_return Status();
}

// Returns whether the namespace's rule was overridden.
Task<bool> ModulePublisher::CheckMayAdd(Request request) {
  ASSIGN_OR_CO_RETURN(const bool overridden,
                      co_await CheckMayPublish(catalog_, PublishingOf(request)));
  if (request.origin) {
    CO_RETURN_IF_ERROR(request.publisher.RequireOwnership(request.address.ns()));
  }
  if (std::string reason = ReservedReason(request.address); !reason.empty()) {
    co_return Fail(ErrorKind::kInvalid, std::move(reason));
  }
  CO_RETURN_IF_ERROR(co_await CheckNamespace(catalog_, request.address.ns()));
  ASSIGN_OR_CO_RETURN(AddOutcome outcome, co_await catalog_.CheckVersion(
                                              request.address, request.version, std::nullopt));
  bool hopeless =
      outcome.what == AddOutcome::What::kWithdrawn || outcome.what == AddOutcome::What::kOtherBuild;
  if (hopeless) co_return Conflict(request, outcome);
  co_return overridden;
}

Task<StagedBlob> ModulePublisher::Stage(ByteSource& upload) {
  UploadLimit bound{.bytes = options_.upload_bytes,
                    .what = "the module's archive",
                    .advice = "leave out what the module does not need (.terraformignore)",
                    .limit = "limits.module_bytes"};
  co_return co_await StageUpload(blobs_, upload, std::move(bound));
}

Task<StagedBlob> ModulePublisher::StageRepack(int descriptor, std::uint64_t size,
                                              ModuleInspection inspection) {
  auto repack = [this, descriptor, size, &inspection]() -> Result<StagedBlob> {
    ASSIGN_OR_RETURN(std::unique_ptr<BlobWriter> writer, blobs_.Create());
    ByteSink sink = [&writer](std::span<const std::byte> bytes) { return writer->Write(bytes); };
    RETURN_IF_ERROR(RepackModule(descriptor, size, inspection, options_.archive, sink));
    ASSIGN_OR_RETURN(BlobInfo info, writer->Finish());
    return StagedBlob{std::move(writer), info};
  };
  co_return co_await Offload(pool_, std::move(repack));
}

// The catalog's word on whether the version is new, is there already, or cannot be.
Task<PublishOutcome> ModulePublisher::Record(Request request, ModuleVersionRecord record,
                                             VersionExtras extras) {
  bool repacked = record.digest != record.upload_digest;
  NamespaceRecord ns{.name = record.address.ns(),
                     .visibility = options_.new_namespaces.get(),
                     .created_at = record.published_at,
                     .created_by = record.published_by};
  CO_RETURN_IF_ERROR(co_await RecordNamespace(catalog_, request.publisher.actor, std::move(ns)));
  ASSIGN_OR_CO_RETURN(AddOutcome added, co_await catalog_.AddVersion(request.publisher.actor,
                                                                     record, std::move(extras)));
  switch (added.what) {
    case AddOutcome::What::kAdded: {
      index_.Add(SearchSubject::Of(record.address, record.version));
      ASSIGN_OR_CO_RETURN(ModuleVersionRecord kept,
                          co_await catalog_.FindVersion(record.address, record.version));
      co_return PublishOutcome{.record = std::move(kept), .created = true, .repacked = repacked};
    }
    case AddOutcome::What::kSameUpload:
      co_return PublishOutcome{.record = *std::move(added.existing), .repacked = repacked};
    case AddOutcome::What::kOtherBytes:
    case AddOutcome::What::kOtherBuild:
    case AddOutcome::What::kWithdrawn:
      break;
  }
  co_return Conflict(request, added);
}

// Inspects the upload, and repacks it where that is needed.
Task<ModulePublisher::Served> ModulePublisher::MakeServed(StagedBlob uploaded) {
  int descriptor = uploaded.writer->staged_file();
  auto inspect = [this, descriptor, size = uploaded.info.size] {
    return InspectModule(descriptor, size, options_.archive);
  };
  ASSIGN_OR_CO_RETURN(ModuleInspection inspection, co_await Offload(pool_, std::move(inspect)));
  if (inspection.MayBeServed())
    co_return Served{std::move(uploaded), inspection.kind, std::move(inspection)};
  ASSIGN_OR_CO_RETURN(StagedBlob repacked,
                      co_await StageRepack(descriptor, uploaded.info.size, inspection));
  co_return Served{std::move(repacked), ArchiveKind::kTarGz, std::move(inspection)};
}

Task<std::vector<wire::ReadWarning>> ModulePublisher::FindSecrets(const Served& served) {
  if (options_.secrets == SemverRule::kOff) co_return std::vector<wire::ReadWarning>();
  auto find = [&]() -> Result<std::vector<wire::ReadWarning>> {
    std::vector<wire::ReadWarning> found;
    ModuleFileVisitor visitor{
        .wanted = [](std::string_view) { return inspect::kScannedForSecrets; },
        .take =
            [&found](std::string path, std::uint64_t, std::string bytes) {
              const std::string_view secret = inspect::SecretIn(path, bytes);
              if (secret.empty() || found.size() == kMostSecrets) return;
              found.push_back(
                  {.file = std::move(path),
                   .text = fmt::format(
                       "it seems to contain {}, and published files cannot be deleted", secret)});
            }};
    RETURN_IF_ERROR(ReadModuleFiles(served.staged.writer->staged_file(), served.staged.info.size,
                                    served.AsStored(), options_.archive, visitor));
    return found;
  };
  co_return co_await Offload(pool_, std::move(find));
}

Task<SharedContents> ModulePublisher::ReadInside(const Request& request, const Served& served) {
  auto read = [&]() -> Result<SharedContents> {
    return ReadModuleArchive(served.staged.writer->staged_file(), served.staged.info.size,
                             served.AsStored(), options_.archive, request.version);
  };
  co_return co_await Offload(pool_, std::move(read));
}

Task<ModulePublisher::Understood> ModulePublisher::Understand(const Request& request,
                                                              const Served& served,
                                                              SemverRule rule) {
  Understood out;
  ASSIGN_OR_CO_RETURN(out.contents, co_await ReadInside(request, served));
  ASSIGN_OR_CO_RETURN(out.judgement, co_await judge_.CheckVersion(request.address, request.version,
                                                                  out.contents, rule));
  const bool kept = !request.dry_run && (!out.judgement || out.judgement->refusal.empty());
  if (!kept) co_return out;
  auto keep = [&out] { return KeepContents(*out.contents); };
  out.extras.contents = co_await Offload(pool_, std::move(keep));
  co_return out;
}

// Understood while it is stored, as neither takes anything from the other; but what may be refused
// for its number is understood first, and does not stay behind in the store.
Task<ModulePublisher::Understood> ModulePublisher::Store(const Request& request,
                                                         const Served& served) {
  ASSIGN_OR_CO_RETURN(SemverRule rule, co_await judge_.RuleOf(request.address.ns()));
  if (request.origin && MayRefuse(rule)) rule = SemverRule::kWarn;
  BlobWriter& writer = *served.staged.writer;
  if (request.dry_run) co_return co_await Understand(request, served, rule);
  if (!MayRefuse(rule)) {
    auto both = co_await Both(writer.Commit(), Understand(request, served, rule));
    CO_RETURN_IF_ERROR(std::move(both.first));
    co_return std::move(both.second);
  }
  ASSIGN_OR_CO_RETURN(Understood understood, co_await Understand(request, served, rule));
  const std::optional<SemverVerdict>& judgement = understood.judgement;
  if (judgement && !judgement->refusal.empty()) co_return SemverRefusal(*judgement);
  CO_RETURN_IF_ERROR(co_await writer.Commit());
  co_return understood;
}

// Verifies the archive of an existing version. If it is damaged, only its author has the bytes.
Task<PublishOutcome> ModulePublisher::Confirm(ModuleVersionRecord record, StagedBlob uploaded) {
  PublishOutcome outcome{
      .record = record, .created = false, .repacked = record.digest != record.upload_digest};
  BlobChecker checker{blobs_, pool_};
  BlobInfo served{record.digest, record.size};
  CheckRequest thorough;
  ASSIGN_OR_CO_RETURN(const BlobCheck check, co_await checker.Check(served, thorough));
  if (check.state == CheckReport::State::kOk) co_return outcome;
  std::string damage = fmt::format("the archive of {} {} is damaged in this server's storage",
                                   record.address.ToString(), record.version.ToString());
  if (outcome.repacked) {
    Result<Served> again = co_await MakeServed(std::move(uploaded));
    if (!again && again.error().kind == ErrorKind::kRefused) {
      again.error().message =
          fmt::format("{}, and today's rules reject the upload that it was made from: {}", damage,
                      again.error().message);
    }
    if (!again) co_return Failure(std::move(again).error());
    uploaded = std::move(again->staged);
  }
  if (uploaded.info.digest != record.digest) {
    co_return FailCorrupt(
        "{}, and packing this upload again produces other bytes ({}) than "
        "were published ({}): have its operator restore it from a backup, "
        "or withdraw the version and publish a higher one",
        damage, uploaded.info.digest.ToString(), record.digest.ToString());
  }
  CO_RETURN_IF_ERROR(co_await uploaded.writer->Commit());
  changes_.Announce(ModuleTopic(record.address));  // the damaged file may be open
  outcome.repaired = true;
  co_return outcome;
}

Task<PublishOutcome> ModulePublisher::Publish(Request request, ByteSource& upload) {
  ASSIGN_OR_CO_RETURN(const bool overridden, co_await CheckMayAdd(request));
  ASSIGN_OR_CO_RETURN(StagedBlob uploaded, co_await Stage(upload));
  Digest upload_digest = uploaded.info.digest;
  ASSIGN_OR_CO_RETURN(AddOutcome outlook, co_await catalog_.CheckVersion(
                                              request.address, request.version, upload_digest));
  if (outlook.what == AddOutcome::What::kSameUpload && request.dry_run) {
    bool repacked = outlook.existing->digest != upload_digest;
    co_return PublishOutcome{.record = *std::move(outlook.existing), .repacked = repacked};
  }
  if (outlook.what == AddOutcome::What::kSameUpload) {
    co_return co_await Confirm(*std::move(outlook.existing), std::move(uploaded));
  }
  if (outlook.what != AddOutcome::What::kAdded) co_return Conflict(request, outlook);

  ASSIGN_OR_CO_RETURN(Served served, co_await MakeServed(std::move(uploaded)));
  ASSIGN_OR_CO_RETURN(std::vector<wire::ReadWarning> secrets, co_await FindSecrets(served));
  if (options_.secrets == SemverRule::kRefuse && !secrets.empty())
    co_return SecretsRefusal(secrets);
  ASSIGN_OR_CO_RETURN(Understood understood, co_await Store(request, served));
  std::optional<SemverVerdict>& judgement = understood.judgement;
  ModuleVersionRecord record{.address = request.address,
                             .version = request.version,
                             .kind = served.kind,
                             .digest = served.staged.info.digest,
                             .size = served.staged.info.size,
                             .upload_digest = upload_digest,
                             .description = request.description,
                             .published_at = PublicationTime(request.origin, clock_.Now()),
                             .published_by = request.publisher.name,
                             .provenance = ProvenanceOf(request.publisher, request.origin),
                             .source = request.source};
  if (judgement) record.step = ShortStep(judgement->comparison);
  PublishOutcome outcome{.record = record, .repacked = record.digest != upload_digest};
  if (!request.dry_run) {
    if (overridden) {
      CO_RETURN_IF_ERROR(co_await RecordBreakGlass(catalog_, clock_, PublishingOf(request)));
    }
    VersionExtras& extras = understood.extras;
    // What follows soon: the index, the first to look at its pages, the next version's comparison.
    insides_.Remember(ArchiveOf(record), understood.contents, *extras.contents);
    ASSIGN_OR_CO_RETURN(outcome,
                        co_await Record(std::move(request), std::move(record), std::move(extras)));
  }
  outcome.warnings = std::move(secrets);
  DescribeWarnings(*understood.contents, outcome.warnings);
  outcome.warnings_left_out = understood.contents->warnings_left_out;
  outcome.judgement = std::move(judgement);
  co_return outcome;
}

}  // namespace koya::service
