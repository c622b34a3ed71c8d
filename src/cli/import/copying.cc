#include "cli/import/copying.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "archive/module_package.h"
#include "base/file_io.h"
#include "base/sha256.h"
#include "cli/api/local_file.h"
#include "domain/archive_kind.h"
#include "domain/release_file.h"
#include "domain/release_times.h"
#include "wire/modules.h"
#include "wire/provider_publishing.h"

namespace koya::cli {
namespace {

Result<std::string> DigestOf(const ScratchFile& file, std::uint64_t size) {
  std::vector<std::byte> buffer(256 << 10);
  Sha256Hasher hasher;
  for (std::uint64_t offset = 0; offset < size;) {
    ASSIGN_OR_RETURN(const std::size_t got, file.ReadAt(offset, buffer));
    if (got == 0) break;
    hasher.Update(std::span(buffer).first(got));
    offset += got;
  }
  return Digest(hasher.Finish()).ToString();
}

// The upload for a module: its archive as it was fetched, if the server can take that.
struct ModuleUpload {
  int descriptor;
  std::uint64_t size;
  ArchiveKind kind;
};

// Repacks an archive that has the module in a folder, or links that publishing does not accept.
Result<ModuleUpload> PrepareModule(const ScratchFile& fetched, const FetchedArchive& archive,
                                   ScratchFile& repacked) {
  const ArchiveLimits limits;
  if (archive.folder.empty()) {
    Result<ModuleInspection> inspection = InspectModule(fetched.descriptor(), archive.size, limits);
    if (inspection) return ModuleUpload{fetched.descriptor(), archive.size, inspection->kind};
  }
  std::uint64_t size = 0;
  const ByteSink sink = [&](std::span<const std::byte> bytes) {
    size += bytes.size();
    return repacked.Append(bytes);
  };
  RETURN_IF_ERROR(
      RepackForeignModule(fetched.descriptor(), archive.size, archive.folder, limits, sink));
  return ModuleUpload{repacked.descriptor(), size, ArchiveKind::kTarGz};
}

// The conflict, with both digests.
Failure OtherBytes(const std::string& digest, Error error) {
  error.message =
      fmt::format("the source has other bytes ({}) than the target: {}", digest, error.message);
  return Failure(std::move(error));
}

}  // namespace

Result<CopiedVersion> Copying::Copy(const PlannedPackage& package, const PlannedVersion& planned) {
  Result<CopiedVersion> copied =
      package.is_module ? CopyModule(package, planned) : CopyProvider(package, planned);
  if (copied && !planned.listed.deprecation.empty()) {
    RETURN_IF_ERROR(Deprecate(package, planned));
  }
  return copied;
}

// As the source states it; "": it does not.
std::string Copying::ReleaseTime(const PlannedPackage& package, const PlannedVersion& planned) {
  std::optional<UnixSeconds> time = ParseTimestamp(planned.listed.published_at);
  if (!time) {
    time = source_.FindReleaseTime({.is_module = package.is_module, .address = package.theirs},
                                   planned.version);
  }
  return time ? FormatRfc3339(*time) : "";
}

Result<CopiedVersion> Copying::CopyModule(const PlannedPackage& package,
                                          const PlannedVersion& planned) {
  ASSIGN_OR_RETURN(const ModuleAddress theirs, ModuleAddress::Parse(package.theirs));
  ASSIGN_OR_RETURN(const ModuleAddress ours, ModuleAddress::Parse(package.ours));
  ASSIGN_OR_RETURN(const ScratchFile fetched, ScratchFile::Create(options_.temporary));
  ASSIGN_OR_RETURN(
      const FetchedArchive archive,
      source_.FetchModule(theirs, planned.version, fetched.descriptor(), options_.temporary));
  ASSIGN_OR_RETURN(const std::string digest, DigestOf(fetched, archive.size));
  if (!planned.listed.digest.empty() && planned.listed.digest != digest) {
    return FailBadUpstream("its archive has the digest {}, but the source's list states {}", digest,
                           planned.listed.digest);
  }
  ASSIGN_OR_RETURN(ScratchFile repacked, ScratchFile::Create(options_.temporary));
  ASSIGN_OR_RETURN(const ModuleUpload upload, PrepareModule(fetched, archive, repacked));
  http::ClientRequest request;
  request.fields.emplace_back("Content-Type", MediaType(upload.kind));
  request.upload = http::FileUpload{upload.descriptor, upload.size};
  Result<http::ClientResponse> response =
      target_.Call(At(wire::kPublishModule, ours, planned.version)
                       .With("imported_from", source_.name() + "/" + package.theirs)
                       .With("imported_digest", digest)
                       .WithAny("published_at", ReleaseTime(package, planned)),
                   std::move(request));
  if (!response && response.error().kind == ErrorKind::kConflict) {
    return OtherBytes(digest, std::move(response).error());
  }
  if (!response) return Failure(std::move(response).error());
  return CopiedVersion{response->status == 201, upload.size};
}

// Once for a namespace and key.
Status Copying::AddKey(const std::string& ns, const std::string& armor) {
  std::lock_guard lock(keys_.mutex);
  if (keys_.keys.contains(ns + " " + armor)) return {};
  http::ClientRequest request;
  request.fields.emplace_back("Content-Type", "application/pgp-keys");
  request.body = armor;
  RETURN_IF_ERROR(
      target_.Call(At(wire::kAddKeys, ns).WithAny("verify_only", options_.trust_keys ? "" : "true"),
                   std::move(request)));
  keys_.keys.insert(ns + " " + armor);
  return {};
}

Status Copying::Upload(const ReleaseId& release, const std::string& draft, const std::string& name,
                       const std::string& text) {
  http::ClientRequest request;
  request.fields.emplace_back("Content-Type", "application/octet-stream");
  request.body = text;
  RETURN_IF_ERROR(
      target_.Call(At(wire::kUploadDraftFile, release, draft, name), std::move(request)));
  return {};
}

// Those that the draft does not have. Returns the bytes that were sent.
Result<std::uint64_t> Copying::CopyPackages(const ReleaseId& theirs, const ReleaseId& ours,
                                            const SourceRelease& release,
                                            const wire::Draft& draft) {
  std::uint64_t sent = 0;
  for (const SourcePackage& package : release.packages) {
    const auto there = std::ranges::find(draft.files, package.filename, &wire::DraftFile::name);
    if (there != draft.files.end() && there->digest == package.digest.ToString()) continue;
    ASSIGN_OR_RETURN(ScratchFile file, ScratchFile::Create(options_.temporary));
    std::uint64_t size = 0;
    Sha256Hasher hasher;
    RETURN_IF_ERROR(source_.FetchPackage(theirs.address, theirs.version, package,
                                         [&](std::span<const std::byte> bytes) {
                                           size += bytes.size();
                                           hasher.Update(bytes);
                                           return file.Append(bytes);
                                         }));
    const Digest digest(hasher.Finish());
    if (digest != package.digest) {
      return FailBadUpstream("{} has the digest {}, but its SHA256SUMS lists {}", package.filename,
                             digest.ToString(), package.digest.ToString());
    }
    http::ClientRequest request;
    request.fields.emplace_back("Content-Type", "application/octet-stream");
    request.upload = http::FileUpload{file.descriptor(), size};
    RETURN_IF_ERROR(target_.Call(At(wire::kUploadDraftFile, ours, draft.id, package.filename),
                                 std::move(request)));
    sent += size;
  }
  return sent;
}

Result<CopiedVersion> Copying::CopyProvider(const PlannedPackage& package,
                                            const PlannedVersion& planned) {
  ASSIGN_OR_RETURN(const ProviderAddress their_address, ProviderAddress::Parse(package.theirs));
  ASSIGN_OR_RETURN(const ProviderAddress our_address, ProviderAddress::Parse(package.ours));
  const ReleaseId theirs{their_address, planned.version};
  const ReleaseId ours{our_address, planned.version};
  ASSIGN_OR_RETURN(const SourceRelease release,
                   source_.FetchRelease(theirs.address, theirs.version));
  const std::string digest = Digest::Of(release.sums).ToString();
  const Result<wire::ProviderDetails> there = target_.ShowProvider(ours.address, ours.version);
  if (there && there->shasums_digest == digest) return CopiedVersion();
  if (there) {
    return FailConflict("the source has SHA256SUMS {}, the target has {}: a version never changes",
                        digest, there->shasums_digest);
  }
  RETURN_IF_ERROR(AddKey(ours.address.ns(), release.key));
  // Named by its SHA256SUMS, so that the next run goes on with it if this one ends.
  ASSIGN_OR_RETURN(const wire::DraftList drafts, target_.Send(At(wire::kListDrafts, ours)));
  const auto left = std::ranges::find(drafts.items, digest, &wire::Draft::upload);
  ASSIGN_OR_RETURN(const wire::Draft draft,
                   left == drafts.items.end() ? target_.Send(At(wire::kOpenDraft, ours), {digest})
                                              : target_.Send(At(wire::kShowDraft, ours, left->id)));
  ASSIGN_OR_RETURN(const std::uint64_t sent, CopyPackages(theirs, ours, release, draft));
  RETURN_IF_ERROR(Upload(ours, draft.id, SumsFileName(ours.address, ours.version), release.sums));
  RETURN_IF_ERROR(
      Upload(ours, draft.id, SignatureFileName(ours.address, ours.version), release.signature));
  Result<CommitAnswer> answer =
      target_.Commit(ours, draft.id,
                     {.protocols = release.protocols,
                      .imported_from = source_.name() + "/" + package.theirs,
                      .imported_digest = digest,
                      .published_at = ReleaseTime(package, planned)});
  if (!answer && answer.error().kind == ErrorKind::kConflict) {
    return OtherBytes("SHA256SUMS " + digest, std::move(answer).error());
  }
  if (!answer) return Failure(std::move(answer).error());
  if (!answer->problems.empty()) {
    return FailRefused("{}", fmt::join(answer->problems, "; "));
  }
  return CopiedVersion{answer->created, sent};
}

Status Copying::Deprecate(const PlannedPackage& package, const PlannedVersion& planned) {
  const wire::Deprecation message{planned.listed.deprecation};
  if (package.is_module) {
    ASSIGN_OR_RETURN(const ModuleAddress address, ModuleAddress::Parse(package.ours));
    return target_.Send(At(wire::kDeprecateModule, address, planned.version), message);
  }
  ASSIGN_OR_RETURN(const ProviderAddress address, ProviderAddress::Parse(package.ours));
  return target_.Send(At(wire::kDeprecateProvider, ReleaseId{address, planned.version}), message);
}

}  // namespace koya::cli
