#include "service/providers/publish_provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "archive/provider_package.h"
#include "auth/token.h"
#include "base/byte_source.h"
#include "base/offload.h"
#include "catalog/catalog.h"
#include "catalog/provider_catalog.h"
#include "domain/release_file.h"
#include "domain/search_record.h"
#include "domain/topic.h"
#include "inspect/changes.h"
#include "service/common/blob_check.h"
#include "service/common/blob_io.h"
#include "service/common/change_feed.h"
#include "service/common/new_namespace.h"
#include "service/providers/docs_reading.h"
#include "service/providers/provider_comparison.h"
#include "service/providers/providers.h"
#include "service/providers/release_check.h"
#include "service/providers/release_semver_check.h"
#include "service/providers/signing_keys.h"
#include "service/search/index_queue.h"
#include "signing/sha256sums.h"

namespace koya::service {
namespace {

constexpr std::uint64_t kMostOpenDrafts = 200;  // in one namespace
constexpr std::uint64_t kMostFiles = 300;       // in one draft; Go knows fewer platforms

std::string Name(const ProviderPublisher::Request& request) {
  return fmt::format("{} {}", request.address.ToString(), request.version.ToString());
}

// The conflict that `outcome` stands for, told to the author.
Failure Conflict(const ProviderPublisher::Request& request, const ReleaseOutcome& outcome) {
  switch (outcome.what) {
    case ReleaseOutcome::What::kWithdrawn:
      return WithdrawnConflict(Name(request), outcome.withdrawal->reason);
    case ReleaseOutcome::What::kOtherBuild:
      return OtherBuildConflict(Name(request), outcome.existing->version.ToString());
    case ReleaseOutcome::What::kOtherSums:
      return OtherContentConflict(
          Name(request), fmt::format("SHA256SUMS {}", outcome.existing->sums.digest.ToString()));
    case ReleaseOutcome::What::kAdded:
    case ReleaseOutcome::What::kSameSums:
      break;
  }
  return Fail(ErrorKind::kInternal, "the server could not find out why the version was not added",
              "conflict without a cause");
}

Failure SignatureLost(const ProviderRelease& published, const Error& why) {
  return Fail(ErrorKind::kCorrupt,
              fmt::format("the signature of {} {} is damaged in this server's storage, and this "
                          "draft's signature differs from the published one ({}): commit it with "
                          "that one, or have its operator restore it from a backup",
                          published.address.ToString(), published.version.ToString(),
                          published.signature.digest.ToString()),
              why.message);
}

Status CheckUploadName(std::string_view upload) {
  constexpr std::size_t kLongest = 100;
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:";
  const bool allowed = upload.find_first_not_of(kAllowed) == upload.npos;
  if (allowed && upload.size() <= kLongest) return {};
  return FailInvalid(
      "the request: \"upload\" must be up to {} letters, digits and -_.:, for "
      "example a digest of the files",
      kLongest);
}

// Small, and read whole.
bool IsDocument(ReleaseFile::Kind kind) {
  return kind == ReleaseFile::Kind::kSums || kind == ReleaseFile::Kind::kSignature ||
         kind == ReleaseFile::Kind::kManifest;
}

// Kind of a file by its name; the commit reports other names.
ReleaseFile::Kind KindOfUpload(std::string_view name, const ProviderPublisher::Request& request) {
  auto parsed = ParseReleaseFile(name, request.address, request.version);
  if (parsed) return parsed->kind;
  return name.ends_with(".zip") ? ReleaseFile::Kind::kPackage : ReleaseFile::Kind::kManifest;
}

// Takes the attachments that a commit names from the draft's files, which are then those of the
// release.
std::vector<DraftFile> TakeAttachments(const std::vector<std::string>& names,
                                       const AttachmentLimits& limits, DraftRecord& draft,
                                       std::vector<std::string>& problems) {
  std::vector<DraftFile> taken;
  for (const std::string& name : std::set<std::string>(names.begin(), names.end())) {
    const Result<AttachmentKind> kind = ParseAttachmentName(name);
    if (!kind) problems.push_back(kind.error().message);
    auto file = std::ranges::find(draft.files, name, &DraftFile::name);
    if (file == draft.files.end()) {
      problems.push_back(fmt::format(
          "the commit names the attachment {}, which was not uploaded: upload it, or leave it out",
          Printable(name)));
    } else if (kind) {
      taken.push_back(std::move(*file));
      draft.files.erase(file);
    }
  }
  if (taken.size() > limits.count) {
    problems.push_back(fmt::format(
        "the release has {} attachments, and limits.attachments allows {}: leave some out",
        taken.size(), limits.count));
    taken.clear();
  }
  return taken;
}

void WarnOfNamespace(const ProviderAddress& address, CommitOutcome& outcome) {
  std::string warning = NamespaceWarning(address.ns());
  if (!warning.empty()) outcome.warnings.push_back({"", 0, std::move(warning)});
}

}  // namespace

// A draft that was read and judged.
struct ProviderPublisher::Prepared {
  ReleaseVerdict verdict;
  std::string sums;  // as they will be served
  ReleaseReading reading;
  std::optional<SourceRepository> source;
  std::optional<ImportOrigin> origin;
};

Publishing ProviderPublisher::PublishingOf(const Request& request) {
  return {.by = request.publisher,
          .ns = request.address.ns(),
          .target =
              fmt::format("provider:{}@{}", request.address.ToString(), request.version.ToString()),
          .break_glass = request.break_glass};
}

Status ProviderPublisher::CheckRights(const Request& request) const {
  RETURN_IF_ERROR(request.publisher.Require(Scope::kPublish));
  return request.publisher.RequireNamespace(request.address.ns(), Role::kPublisher);
}

Task<DraftRecord> ProviderPublisher::OpenDraft(Request request, std::string upload) {
  CO_RETURN_IF_ERROR(co_await CheckMayPublish(catalog_, PublishingOf(request)));
  CO_RETURN_IF_ERROR(CheckUploadName(upload));
  if (std::string reason = ReservedReason(request.address); !reason.empty()) {
    co_return Fail(ErrorKind::kInvalid, std::move(reason));
  }
  CO_RETURN_IF_ERROR(co_await CheckNamespace(catalog_, request.address.ns()));
  ASSIGN_OR_CO_RETURN(ReleaseOutcome outcome, co_await catalog_.CheckRelease(
                                                  request.address, request.version, std::nullopt));
  bool hopeless = outcome.what == ReleaseOutcome::What::kWithdrawn ||
                  outcome.what == ReleaseOutcome::What::kOtherBuild;
  if (hopeless) co_return Conflict(request, outcome);
  UnixSeconds now = clock_.Now();
  DraftRecord draft{.id = auth::RandomId(),
                    .address = request.address,
                    .version = request.version,
                    .created_at = now,
                    .created_by = request.publisher.name,
                    .expires_at = now + options_.draft_ttl.count(),
                    .upload = std::move(upload),
                    .files = {}};
  CO_RETURN_IF_ERROR(co_await catalog_.AddDraft(draft, kMostOpenDrafts));
  co_return draft;
}

Task<std::vector<DraftRecord>> ProviderPublisher::ListDrafts(Request request) {
  CO_RETURN_IF_ERROR(CheckRights(request));
  ASSIGN_OR_CO_RETURN(std::vector<DraftRecord> drafts,
                      co_await catalog_.ListDrafts(request.address, request.version, clock_.Now()));
  std::erase_if(
      drafts, [&](const DraftRecord& draft) { return draft.created_by != request.publisher.name; });
  co_return drafts;
}

// The draft, if it is one of this release and publisher: an id alone opens nothing.
Task<DraftRecord> ProviderPublisher::FindDraft(const Request& request, std::string id) {
  CO_RETURN_IF_ERROR(CheckRights(request));
  Result<DraftRecord> draft = co_await catalog_.FindDraft(id, clock_.Now());
  bool found = draft && draft->address == request.address && draft->version == request.version &&
               draft->created_by == request.publisher.name;
  if (found) co_return draft;
  if (!draft && draft.error().kind != ErrorKind::kNotFound) co_return draft;
  co_return FailNotFound(
      "{} has no such open draft: it was committed or abandoned, or has expired; open another",
      Name(request));
}

Task<DraftRecord> ProviderPublisher::Show(Request request, std::string id) {
  co_return co_await FindDraft(request, std::move(id));
}

Task<void> ProviderPublisher::CheckUpload(Request request, std::string id, std::string name) {
  CO_RETURN_IF_ERROR(CheckReleaseFileName(name));
  CO_RETURN_IF_ERROR(co_await FindDraft(request, std::move(id)));
  CO_RETURN_IF_ERROR(co_await CheckMayPublish(catalog_, PublishingOf(request)));
  co_return Status();
}

// A zip that cannot be read at all is a problem like any other.
Task<ProviderPackageInspection> ProviderPublisher::InspectPackage(const Request& request,
                                                                  int descriptor,
                                                                  std::uint64_t size) {
  auto inspect = [this, &request, descriptor, size] {
    return InspectProviderPackage(descriptor, size, request.address.type(), options_.archive);
  };
  Result<ProviderPackageInspection> found = co_await Offload(pool_, std::move(inspect));
  if (!found && found.error().kind == ErrorKind::kRefused) {
    ProviderPackageInspection refused;
    refused.problems.push_back(std::move(found).error().message);
    co_return refused;
  }
  co_return found;
}

UploadLimit ProviderPublisher::BoundOf(const std::string& name, ReleaseFile::Kind kind) const {
  if (FindAttachmentKind(name)) return options_.attachments.ForUpload();
  switch (kind) {
    case ReleaseFile::Kind::kPackage:
      return {.bytes = options_.zip_bytes,
              .what = "the package",
              .advice =
                  "strip the binary (-ldflags \"-s -w\") or have the limit "
                  "limits.provider_zip_bytes raised",
              .limit = "limits.provider_zip_bytes"};
    case ReleaseFile::Kind::kDocs:
      return {.bytes = options_.docs.docs.bytes,
              .what = "the zip of docs",
              .advice =
                  "leave out files that are not pages, or have the limit limits.docs_bytes raised",
              .limit = "limits.docs_bytes"};
    case ReleaseFile::Kind::kSchema:
      return {.bytes = options_.docs.schema_bytes,
              .what = "the schema",
              .advice = "have the limit limits.schema_bytes raised",
              .limit = "limits.schema_bytes"};
    case ReleaseFile::Kind::kSums:
    case ReleaseFile::Kind::kSignature:
    case ReleaseFile::Kind::kManifest:
      break;
  }
  return {.bytes = signing::kMaxSums,
          .what = "the file",
          .advice = "only zips and schemas can be large",
          .limit = "fixed.release_document_bytes"};
}

// What a file says while its bytes are still a file here.
Task<void> ProviderPublisher::Inspect(const Request& request, ReleaseFile::Kind kind,
                                      const StagedBlob& staged, DraftFile& file) {
  const int descriptor = staged.writer->staged_file();
  const std::uint64_t size = staged.info.size;
  if (kind == ReleaseFile::Kind::kPackage) {
    ASSIGN_OR_CO_RETURN(ProviderPackageInspection inspection,
                        co_await InspectPackage(request, descriptor, size));
    file.h1 = std::move(inspection.h1);
    file.problems = std::move(inspection.problems);
  } else if (kind == ReleaseFile::Kind::kDocs) {
    auto find = [&] { return FindDocsProblems({file.name, descriptor, size}, options_.docs.docs); };
    ASSIGN_OR_CO_RETURN(file.problems, co_await Offload(pool_, find));
  }
  co_return Status();
}

Task<DraftFile> ProviderPublisher::Upload(Request request, std::string id, std::string name,
                                          ByteSource& upload) {
  CO_RETURN_IF_ERROR(co_await CheckUpload(request, id, name));
  const ReleaseFile::Kind kind = KindOfUpload(name, request);
  ASSIGN_OR_CO_RETURN(StagedBlob staged, co_await StageUpload(blobs_, upload, BoundOf(name, kind)));
  DraftFile file{.name = std::move(name),
                 .digest = staged.info.digest,
                 .size = staged.info.size,
                 .h1 = {},
                 .problems = {}};
  CO_RETURN_IF_ERROR(co_await Inspect(request, kind, staged, file));
  CO_RETURN_IF_ERROR(co_await staged.writer->Commit());
  CO_RETURN_IF_ERROR(co_await catalog_.PutDraftFile(
      std::move(id), file, clock_.Now() + options_.draft_ttl.count(), kMostFiles));
  co_return file;
}

Task<void> ProviderPublisher::Abandon(Request request, std::string id) {
  CO_RETURN_IF_ERROR(co_await FindDraft(request, id));
  co_return co_await catalog_.RemoveDraft(std::move(id));
}

// Puts the small files of the draft where the judge looks for them.
Task<void> ProviderPublisher::ReadDocuments(const DraftRecord& draft, ReleaseMaterial& material) {
  for (const DraftFile& file : draft.files) {
    auto parsed = ParseReleaseFile(file.name, draft.address, draft.version);
    if (!parsed || !IsDocument(parsed->kind)) continue;
    ReleaseDocument document{file.digest, file.size};
    ASSIGN_OR_CO_RETURN(std::string text, co_await ReadText(blobs_, document));
    switch (parsed->kind) {
      case ReleaseFile::Kind::kSums:
        material.sums = std::move(text);
        break;
      case ReleaseFile::Kind::kSignature:
        material.signature = std::move(text);
        break;
      case ReleaseFile::Kind::kManifest:
        material.manifest = std::move(text);
        break;
      case ReleaseFile::Kind::kPackage:
      case ReleaseFile::Kind::kDocs:
      case ReleaseFile::Kind::kSchema:
        break;
    }
  }
  co_return Status();
}

// `release`: the draft without its attachments.
Task<void> ProviderPublisher::CheckAttachments(std::vector<DraftFile> attached,
                                               const DraftRecord& release, Prepared& prepared) {
  std::vector<Digest> files{Digest::Of(prepared.sums)};
  for (const DraftFile& file : release.files) files.push_back(file.digest);
  for (DraftFile& file : attached) {
    ASSIGN_OR_CO_RETURN(LocalBlob local, co_await OpenLocalBlob(blobs_, pool_, file.digest));
    auto check = [&]() -> Status {
      ASSIGN_OR_RETURN(const AttachmentKind kind, ParseAttachmentName(file.name));
      return CheckAttachmentFile(file.name, kind, local.descriptor, local.size, files);
    };
    Status sound = co_await Offload(pool_, check);
    if (!sound && sound.error().kind != ErrorKind::kRefused) co_return sound;
    if (!sound) prepared.verdict.problems.push_back(std::move(sound).error().message);
    prepared.reading.extras.attachments.push_back(
        {.name = std::move(file.name), .digest = file.digest, .size = file.size});
  }
  co_return Status();
}

Task<ProviderPublisher::Prepared> ProviderPublisher::Prepare(DraftRecord draft, Commit commit) {
  std::vector<std::string> attachment_problems;
  std::vector<DraftFile> attached =
      TakeAttachments(commit.attachments, options_.attachments, draft, attachment_problems);
  ReleaseMaterial material{.draft = draft,
                           .sums = {},
                           .signature = {},
                           .manifest = {},
                           .protocols = std::move(commit.protocols),
                           .sign = commit.sign,
                           .imported = commit.origin.has_value(),
                           .keys = {},
                           .now = clock_.Now()};
  CO_RETURN_IF_ERROR(co_await ReadDocuments(draft, material));
  ASSIGN_OR_CO_RETURN(material.keys, co_await keys_.List(draft.address.ns()));
  auto judge = [&material]() -> Result<ReleaseVerdict> { return CheckReleaseRules(material); };
  Prepared prepared;
  prepared.source = std::move(commit.source);
  prepared.origin = std::move(commit.origin);
  ASSIGN_OR_CO_RETURN(prepared.verdict, co_await Offload(pool_, std::move(judge)));
  if (commit.sign) {
    std::vector<signing::SumsLine> lines;
    for (const DraftFile& file : draft.files) lines.push_back({file.digest, file.name});
    prepared.sums = signing::WriteSums(lines);
  } else {
    prepared.sums = std::move(material.sums).value_or("");
  }
  ASSIGN_OR_CO_RETURN(prepared.reading,
                      co_await reader_.Read(draft, std::move(prepared.verdict.is_signed)));
  std::vector<std::string>& problems = prepared.verdict.problems;
  for (std::string& each : prepared.reading.problems) problems.push_back(std::move(each));
  for (std::string& each : attachment_problems) problems.push_back(std::move(each));
  CO_RETURN_IF_ERROR(co_await CheckAttachments(std::move(attached), draft, prepared));
  co_return prepared;
}

// What will be published, without the documents that are still to be stored.
ProviderRelease ProviderPublisher::Describe(const Request& request,
                                            const Prepared& prepared) const {
  const ReleaseVerdict& verdict = prepared.verdict;
  return {.address = request.address,
          .version = request.version,
          .protocols = verdict.protocols,
          .sums = {Digest::Of(prepared.sums), prepared.sums.size()},
          .signature = {Digest::Of(verdict.signature), verdict.signature.size()},
          .key_fingerprint = verdict.key_fingerprint,
          .packages = verdict.packages,
          .published_at = PublicationTime(prepared.origin, clock_.Now()),
          .published_by = request.publisher.name,
          .deprecation = {},
          .provenance = ProvenanceOf(request.publisher, prepared.origin),
          .source = prepared.source};
}

// Signs the sums when that was asked for, and makes the documents durable: data first.
Task<ProviderRelease> ProviderPublisher::MakeRelease(Request request, Prepared prepared) {
  ReleaseVerdict& verdict = prepared.verdict;
  if (verdict.signature.empty()) {
    ASSIGN_OR_CO_RETURN(
        SignedDocument made,
        co_await keys_.Sign(request.publisher, request.address.ns(), prepared.sums));
    verdict.signature = std::move(made.signature);
    verdict.key_fingerprint = std::move(made.key_fingerprint);
  }
  ProviderRelease release = Describe(request, prepared);
  CO_RETURN_IF_ERROR(co_await StoreText(blobs_, std::move(prepared.sums)));
  CO_RETURN_IF_ERROR(co_await StoreText(blobs_, std::move(verdict.signature)));
  co_return release;
}

Awaitable<void> ProviderPublisher::CheckSemver(const ProviderRelease& release,
                                               const ReleaseReading& reading,
                                               CommitOutcome& outcome) {
  NewRelease candidate{.release = release,
                       .extras = reading.extras,
                       .schema_file = reading.schema ? reading.schema->writer->staged_file() : -1};
  ReleaseSemverVerdict judged = co_await judge_.CheckRelease(candidate);
  outcome.judgement = std::move(judged.judgement);
  outcome.warnings = reading.extras.warnings;
  WarnOfNamespace(release.address, outcome);
  if (judged.not_compared) outcome.warnings.push_back(*std::move(judged.not_compared));
}

// A commit that keeps nothing.
Task<CommitOutcome> ProviderPublisher::TryOut(Request request, Commit commit,
                                              ReleaseOutcome outlook, Prepared prepared) {
  CommitOutcome outcome;
  if (outlook.what == ReleaseOutcome::What::kSameSums) {
    outcome.release = std::move(outlook.existing);
    co_return outcome;
  }
  if (outlook.what != ReleaseOutcome::What::kAdded) co_return Conflict(request, outlook);
  if (commit.sign) {
    ASSIGN_OR_CO_RETURN(prepared.verdict.key_fingerprint,
                        co_await keys_.FindServerKey(request.publisher, request.address.ns()));
  }
  outcome.release = Describe(request, prepared);
  co_await CheckSemver(*outcome.release, prepared.reading, outcome);
  co_return outcome;
}

Task<CommitOutcome> ProviderPublisher::CommitDraft(Request request, std::string id, Commit commit) {
  ASSIGN_OR_CO_RETURN(DraftRecord draft, co_await FindDraft(request, id));
  ASSIGN_OR_CO_RETURN(const bool overridden,
                      co_await CheckMayPublish(catalog_, PublishingOf(request)));
  if (commit.origin) {
    CO_RETURN_IF_ERROR(request.publisher.RequireOwnership(request.address.ns()));
  }
  ASSIGN_OR_CO_RETURN(Prepared prepared, co_await Prepare(draft, commit));
  if (!prepared.verdict.problems.empty()) {
    co_return CommitOutcome{.problems = std::move(prepared.verdict.problems)};
  }
  // A published release needs no second signature, which would differ from the first.
  ASSIGN_OR_CO_RETURN(
      ReleaseOutcome outlook,
      co_await catalog_.CheckRelease(request.address, request.version, Digest::Of(prepared.sums)));
  if (commit.dry_run) {
    co_return co_await TryOut(std::move(request), std::move(commit), std::move(outlook),
                              std::move(prepared));
  }
  if (outlook.what == ReleaseOutcome::What::kSameSums) {
    if (overridden && !prepared.reading.extras.attachments.empty()) {
      CO_RETURN_IF_ERROR(co_await RecordBreakGlass(catalog_, clock_, PublishingOf(request)));
    }
    co_return co_await Repeat(std::move(request), std::move(id), std::move(outlook),
                              std::move(prepared));
  }
  if (outlook.what != ReleaseOutcome::What::kAdded) {
    co_return co_await Conclude(std::move(request), std::move(id), std::move(outlook));
  }
  if (overridden) {
    CO_RETURN_IF_ERROR(co_await RecordBreakGlass(catalog_, clock_, PublishingOf(request)));
  }
  NamespaceRecord ns{.name = request.address.ns(),
                     .visibility = options_.new_namespaces.get(),
                     .created_at = clock_.Now(),
                     .created_by = draft.created_by};
  CO_RETURN_IF_ERROR(co_await RecordNamespace(catalog_, request.publisher.actor, std::move(ns)));
  ReleaseReading reading = std::move(prepared.reading);
  reading.extras.imported = prepared.origin.has_value();
  CommitOutcome outcome;
  ASSIGN_OR_CO_RETURN(ProviderRelease release, co_await MakeRelease(request, std::move(prepared)));
  co_await CheckSemver(release, reading, outcome);
  if (reading.schema) CO_RETURN_IF_ERROR(co_await reading.schema->writer->Commit());
  ASSIGN_OR_CO_RETURN(ReleaseOutcome added,
                      co_await catalog_.AddRelease(request.publisher.actor, release,
                                                   std::move(draft), std::move(reading.extras)));
  if (added.what != ReleaseOutcome::What::kAdded) {
    co_return co_await Conclude(std::move(request), std::move(id), std::move(added));
  }
  index_.Add(SearchSubject::Of(request.address, request.version));
  outcome.release = std::move(release);
  outcome.created = true;
  co_return outcome;
}

// Handles a release that was published before with the same sums: repairs damaged files. Docs can
// only be published together with the release.
Task<CommitOutcome> ProviderPublisher::Repeat(Request request, std::string id,
                                              ReleaseOutcome outlook, Prepared prepared) {
  std::optional<StagedBlob> schema = std::move(prepared.reading.schema);
  std::optional<ReleaseDocs> docs = std::move(prepared.reading.extras.docs);
  CO_RETURN_IF_ERROR(
      co_await AddAttachments(request, std::move(prepared.reading.extras.attachments)));
  CO_RETURN_IF_ERROR(co_await RepairFiles(*outlook.existing, std::move(prepared)));
  ASSIGN_OR_CO_RETURN(DocsSummary kept,
                      co_await catalog_.FindDocs(request.address, outlook.existing->version));
  const bool same_schema = schema && kept.schema && kept.schema->digest == schema->info.digest;
  if (same_schema) CO_RETURN_IF_ERROR(co_await schema->writer->Commit());
  const bool same_docs = docs && kept.docs && kept.docs->digest == docs->archive.digest;
  const bool others = (schema && !same_schema) || (docs && !same_docs);
  ASSIGN_OR_CO_RETURN(CommitOutcome outcome,
                      co_await Conclude(std::move(request), std::move(id), std::move(outlook)));
  outcome.warnings = std::move(kept.warnings);
  WarnOfNamespace(outcome.release->address, outcome);
  if (others) {
    outcome.warnings.push_back(
        {"", 0,
         "the version was published before and never changes: these docs and this schema are not "
         "stored; publish them with the next version"});
  }
  co_return outcome;
}

Task<void> ProviderPublisher::AddAttachments(const Request& request,
                                             std::vector<Attachment> attachments) {
  const SearchSubject release = SearchSubject::Of(request.address, request.version);
  for (Attachment& each : attachments) {
    CO_RETURN_IF_ERROR(co_await catalog_.AddAttachment(
        request.publisher.actor, release, std::move(each), options_.attachments.count));
  }
  co_return Status();
}

// The packages that the sums name were put back by their uploads, if anything was wrong with them.
Task<void> ProviderPublisher::RepairFiles(ProviderRelease published, Prepared prepared) {
  CO_RETURN_IF_ERROR(co_await StoreText(blobs_, prepared.sums));
  Status signature = co_await RepairSignature(published, std::move(prepared));
  changes_.Announce(ProviderTopic(published.address));  // damaged files may be open
  co_return signature;
}

Task<void> ProviderPublisher::RepairSignature(const ProviderRelease& published, Prepared prepared) {
  std::string signature = std::move(prepared.verdict.signature);
  if (Digest::Of(signature) != published.signature.digest) {
    BlobChecker checker{blobs_, pool_};
    BlobInfo kept{published.signature.digest, published.signature.size};
    CheckRequest thorough;
    ASSIGN_OR_CO_RETURN(const BlobCheck check, co_await checker.Check(kept, thorough));
    if (check.state == CheckReport::State::kOk) co_return Status();
    SigningKeys::LostSignature lost{.ns = published.address.ns(),
                                    .key_fingerprint = published.key_fingerprint,
                                    .document = std::move(prepared.sums),
                                    .digest = published.signature.digest,
                                    .published_at = published.published_at};
    Result<std::string> again = co_await keys_.SignAgain(std::move(lost));
    if (!again) co_return SignatureLost(published, again.error());
    signature = *std::move(again);
  }
  CO_RETURN_IF_ERROR(co_await StoreText(blobs_, std::move(signature)));
  co_return Status();
}

// The end of a commit that found its version there. A version never changes, so this draft can
// never be more than it is, and would only count among the namespace's open ones.
Task<CommitOutcome> ProviderPublisher::Conclude(Request request, std::string id,
                                                ReleaseOutcome outcome) {
  // A draft that is gone was committed a moment ago, by the request that this one repeats.
  Status removed = co_await catalog_.RemoveDraft(std::move(id));
  bool gone = removed || removed.error().kind == ErrorKind::kNotFound;
  if (!gone) co_return std::unexpected(std::move(removed).error());
  if (outcome.what != ReleaseOutcome::What::kSameSums) co_return Conflict(request, outcome);
  co_return CommitOutcome{.problems = {}, .release = std::move(outcome.existing)};
}

}  // namespace koya::service
