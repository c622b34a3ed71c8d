#include "service/mirror/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "archive/module_package.h"
#include "archive/provider_package.h"
#include "base/byte_source.h"
#include "blobs/blob_store.h"
#include "catalog/upstream_catalog.h"
#include "domain/audit_record.h"
#include "domain/mirrored_subject.h"
#include "domain/release_file.h"
#include "obs/log.h"
#include "service/common/blob_check.h"
#include "service/common/blob_io.h"
#include "service/mirror/context.h"
#include "service/mirror/gate.h"
#include "service/mirror/inventory.h"
#include "service/mirror/module_fetch.h"
#include "service/mirror/provider_fetch.h"
#include "service/search/index_queue.h"
#include "upstream/foreign_answers.h"
#include "upstream/verification.h"

namespace koya::service {
namespace {

Failure OtherBytes(const std::string& name, const Digest& first, const Digest& brought) {
  return FailConflict(
      "{} is stored here with other bytes: {} was seen first and stays, {} is "
      "in this import; find out which of the two its author released",
      name, first.ToString(), brought.ToString());
}

// Checks a platform's package against the pinned release before its bytes are here.
Status CheckListed(const std::optional<UpstreamRelease>& pinned, const PackageId& id) {
  if (!pinned || !pinned->sums || FindPackage(*pinned, id.platform) != nullptr) return {};
  return FailConflict(
      "{}: the signed SHA256SUMS of this version, which is stored here, lists "
      "no package for this platform",
      id.ToString());
}

// Describes the release for the first platform that its sums name, as a registry would: the form in
// which it can be verified.
Result<upstream::FetchedDownload> Describe(const UpstreamProvider& provider, const Version& version,
                                           const ReleaseDocuments& documents, Platform& platform) {
  upstream::FetchedDownload download;
  download.protocols = documents.protocols;
  download.sums = documents.sums;
  download.signature = documents.signature;
  download.keys = documents.keys;
  upstream::ForeignSums sums = upstream::ReadForeignSums(documents.sums);
  for (const upstream::ForeignSums::Line& line : sums.lines) {
    auto file = ParseReleaseFile(line.name, provider.address, version);
    auto digest = upstream::ReadHexDigest(line.digest);
    if (!file || !file->platform || !digest) continue;
    platform = *file->platform;
    download.os = platform.os();
    download.arch = platform.arch();
    download.filename = line.name;
    download.shasum = digest->hex();
    return download;
  }
  return FailRefused("the SHA256SUMS of {} {} lists none of its packages", provider.Key(),
                     version.ToString());
}

UpstreamRelease ToRelease(const UpstreamProvider& provider, const Version& version,
                          const ReleaseDocuments& documents,
                          const upstream::VerifiedDownload& verified) {
  UpstreamRelease release{.provider = provider,
                          .version = version,
                          .protocols = documents.protocols,
                          .sums = {},
                          .signature = {},
                          .keys = wire::EncodeSigningKeys(documents.keys),
                          .fit_for_origin = !verified.blank_lines,
                          .packages = {},
                          .signer = verified.signer};
  for (const upstream::VerifiedDownload::Package& each : verified.packages) {
    release.packages.push_back(
        {.platform = each.platform, .filename = each.filename, .digest = each.digest});
  }
  return release;
}

// Whether everything that is kept of the release is as these documents have it.
Status CheckAgainst(const UpstreamRelease& kept, const UpstreamRelease& brought) {
  std::string name = fmt::format("{} {}", kept.provider.Key(), kept.version.ToString());
  for (const UpstreamPackage& package : kept.packages) {
    const UpstreamPackage* listed = FindPackage(brought, package.platform);
    std::string which = name + " " + package.platform.ToString();
    if (listed == nullptr) {
      return FailConflict("{} is stored here, but this SHA256SUMS does not list it", which);
    }
    if (listed->digest != package.digest) return OtherBytes(which, package.digest, listed->digest);
  }
  if (kept.sums && kept.sums->digest != brought.sums->digest) {
    return OtherBytes("SHA256SUMS of " + name, kept.sums->digest, brought.sums->digest);
  }
  return {};
}

}  // namespace

Task<std::optional<UpstreamRelease>> MirrorImport::FindPinned(UpstreamProvider provider,
                                                              Version version) {
  Result<UpstreamRelease> found =
      co_await context_.catalog.FindUpstreamRelease(std::move(provider), std::move(version));
  if (found) co_return *std::move(found);
  if (found.error().kind == ErrorKind::kNotFound) co_return std::nullopt;
  co_return Failure(std::move(found).error());
}

// The record may say so of a blob that was removed or damaged behind its back.
Task<bool> MirrorImport::IsHeldWhole(bool held, BlobInfo blob) {
  if (!held) co_return false;
  BlobChecker checker{context_.blobs, context_.pools.workers};
  CheckRequest thorough;
  ASSIGN_OR_CO_RETURN(const BlobCheck check, co_await checker.Check(blob, thorough));
  co_return check.state == CheckReport::State::kOk;
}

Task<std::vector<std::string>> MirrorImport::ComputeH1(const PackageId& id,
                                                       const StagedBlob& staged) {
  auto inspect = [this, &id, descriptor = staged.writer->staged_file(), size = staged.info.size] {
    return InspectProviderPackage(descriptor, size, id.provider.address.type(), options_.zip);
  };
  ASSIGN_OR_CO_RETURN(ProviderPackageInspection inspection,
                      co_await Offload(context_.pools.workers, std::move(inspect)));
  co_return std::move(inspection.h1);
}

// Adds the package to its release, or to the stored part of it; creates the release if needed.
Task<void> MirrorImport::StorePackage(Actor by, PackageId id, UpstreamPackage package) {
  UpstreamRelease release{.provider = id.provider,
                          .version = id.version,
                          .protocols = {},
                          .sums = {},
                          .signature = {},
                          .keys = {},
                          .fit_for_origin = false,
                          .packages = {package},
                          .seen_at = context_.clock.Now()};
  ASSIGN_OR_CO_RETURN(UpstreamRelease kept,
                      co_await context_.catalog.ImportRelease(std::move(by), std::move(release)));
  // Of two who bring a package at once, the first has it pinned.
  const UpstreamPackage* pinned = FindPackage(kept, id.platform);
  if (pinned == nullptr || pinned->digest != package.digest) {
    co_return OtherBytes(id.ToString(), pinned == nullptr ? Digest::Of("") : pinned->digest,
                         package.digest);
  }
  const auto held = std::ranges::count_if(kept.packages, &UpstreamPackage::held);
  if (held == 1 && context_.index != nullptr) {  // the first
    context_.index->Add(MirroredSubject(kept.provider, kept.version));
  }
  co_return Status();
}

Task<ImportedPackage> MirrorImport::Package(Actor by, PackageId id, ByteSource& upload) {
  ASSIGN_OR_CO_RETURN(const SubjectGate gate,
                      co_await context_.gate.CheckImport(id.provider, id.version, std::nullopt));
  ASSIGN_OR_CO_RETURN(std::optional<UpstreamRelease> pinned,
                      co_await FindPinned(id.provider, id.version));
  CO_RETURN_IF_ERROR(CheckListed(pinned, id));
  UploadLimit bound{.bytes = options_.zip_bytes,
                    .what = "the package",
                    .advice = "have limits.provider_zip_bytes raised",
                    .limit = "limits.provider_zip_bytes"};
  ASSIGN_OR_CO_RETURN(StagedBlob staged,
                      co_await StageUpload(context_.blobs, upload, std::move(bound)));
  const UpstreamPackage* known = pinned ? FindPackage(*pinned, id.platform) : nullptr;
  if (known != nullptr && known->digest != staged.info.digest) {
    co_return OtherBytes(id.ToString(), known->digest, staged.info.digest);
  }
  if (known != nullptr) {
    ASSIGN_OR_CO_RETURN(bool whole, co_await IsHeldWhole(known->held, staged.info));
    if (whole) co_return ImportedPackage{*known, false};
  }
  ASSIGN_OR_CO_RETURN(std::vector<std::string> h1, co_await ComputeH1(id, staged));
  CO_RETURN_IF_ERROR(co_await staged.writer->Commit());
  UpstreamPackage package{
      .platform = id.platform,
      .filename = known != nullptr ? known->filename
                                   : PackageFileName(id.provider.address, id.version, id.platform),
      .digest = staged.info.digest,
      .size = staged.info.size,
      .hashes = std::move(h1),
      .held = true,
      .used_at = context_.clock.Now()};
  CO_RETURN_IF_ERROR(co_await StorePackage(std::move(by), id, package));
  CO_RETURN_IF_ERROR(co_await context_.gate.Admit(gate, id.version));
  co_return ImportedPackage{std::move(package), true};
}

// The release that the documents describe, verified; its documents are not stored yet.
Task<UpstreamRelease> MirrorImport::Verify(UpstreamProvider provider, Version version,
                                           const ReleaseDocuments& documents) {
  auto verify = [this, &provider, &version, &documents]() -> Result<UpstreamRelease> {
    Platform platform = *Platform::Parse("linux_amd64");  // until the sums name one
    ASSIGN_OR_RETURN(upstream::FetchedDownload download,
                     Describe(provider, version, documents, platform));
    ASSIGN_OR_RETURN(upstream::VerifiedDownload verified,
                     upstream::VerifyDownload(download, provider.host, provider.address, version,
                                              platform, context_.clock.Now()));
    for (const std::string& warning : verified.warnings) {
      context_.log.Warn(
          "imported release",
          {{"provider", provider.Key()}, {"version", version.ToString()}, {"warning", warning}});
    }
    return ToRelease(provider, version, documents, verified);
  };
  Result<UpstreamRelease> release = co_await Offload(context_.pools.workers, std::move(verify));
  // The import is at fault here, not upstream.
  bool refused = !release && release.error().kind == ErrorKind::kBadUpstream;
  if (refused) release.error().kind = ErrorKind::kRefused;
  co_return release;
}

Task<ImportedRelease> MirrorImport::Release(Actor by, UpstreamProvider provider, Version version,
                                            ReleaseDocuments documents) {
  CO_RETURN_IF_ERROR(co_await context_.gate.CheckSubject(provider.Key()));
  ASSIGN_OR_CO_RETURN(UpstreamRelease release, co_await Verify(provider, version, documents));
  ASSIGN_OR_CO_RETURN(const SubjectGate gate,
                      co_await context_.gate.CheckImport(provider, version, release.signer));
  ASSIGN_OR_CO_RETURN(release.sums, co_await StoreText(context_.blobs, std::move(documents.sums)));
  ASSIGN_OR_CO_RETURN(release.signature,
                      co_await StoreText(context_.blobs, std::move(documents.signature)));
  release.seen_at = context_.clock.Now();
  ASSIGN_OR_CO_RETURN(std::optional<UpstreamRelease> pinned,
                      co_await FindPinned(provider, version));
  if (pinned) CO_RETURN_IF_ERROR(CheckAgainst(*pinned, release));
  if (pinned && pinned->sums) co_return ImportedRelease{*std::move(pinned), false};
  ASSIGN_OR_CO_RETURN(UpstreamRelease kept,
                      co_await context_.catalog.ImportRelease(std::move(by), release));
  CO_RETURN_IF_ERROR(CheckAgainst(kept, release));  // another import may have been faster
  CO_RETURN_IF_ERROR(co_await context_.gate.Admit(gate, version));
  co_return ImportedRelease{std::move(kept), true};
}

// Checks that the mirror itself could have created the archive from a registry's package. Such an
// archive may hold everything in one folder; but an archive that was packed by hand from that
// folder, or as a zip, is meant to have the module at its root.
Task<ArchiveKind> MirrorImport::InspectMirrored(const ModuleId& id, const StagedBlob& staged) {
  auto inspect = [this, descriptor = staged.writer->staged_file(), size = staged.info.size] {
    return InspectForeignModule(descriptor, size, options_.module);
  };
  ASSIGN_OR_CO_RETURN(ModuleInspection found,
                      co_await Offload(context_.pools.workers, std::move(inspect)));
  const bool repack = found.kind == ArchiveKind::kTarGz && found.folders == 0;
  if (!found.top_folder.empty() && !repack) {
    co_return FailRefused(
        "{}: the module lies in the folder \"{}\" of its archive; mirrored "
        "archives have it at their root, as koya mirror export writes them",
        id.ToString(), found.top_folder);
  }
  if (!found.plain) {
    co_return FailRefused(
        "{}: koya mirror export did not write this .tar.gz, and programs "
        "read it in different ways; import an exported one",
        id.ToString());
  }
  co_return found.kind;
}

Task<ImportedModule> MirrorImport::Module(Actor by, ModuleId id, std::string source,
                                          ByteSource& upload) {
  ASSIGN_OR_CO_RETURN(const SubjectGate gate,
                      co_await context_.gate.CheckImport(id.module, id.version));
  UploadLimit bound{.bytes = options_.module_bytes,
                    .what = "the module's archive",
                    .advice = "have limits.module_bytes raised",
                    .limit = "limits.module_bytes"};
  ASSIGN_OR_CO_RETURN(StagedBlob staged,
                      co_await StageUpload(context_.blobs, upload, std::move(bound)));
  Result<UpstreamModuleVersion> pinned =
      co_await context_.catalog.FindUpstreamModule(id.module, id.version);
  if (!pinned && pinned.error().kind != ErrorKind::kNotFound) {
    co_return Failure(std::move(pinned).error());
  }
  if (pinned && pinned->digest != staged.info.digest) {
    co_return OtherBytes(id.ToString(), pinned->digest, staged.info.digest);
  }
  if (pinned) {
    ASSIGN_OR_CO_RETURN(bool whole, co_await IsHeldWhole(pinned->held, staged.info));
    if (whole) co_return ImportedModule{*std::move(pinned), false};
  }
  ASSIGN_OR_CO_RETURN(ArchiveKind kind, co_await InspectMirrored(id, staged));
  CO_RETURN_IF_ERROR(co_await staged.writer->Commit());
  UnixSeconds now = context_.clock.Now();
  UpstreamModuleVersion version{.module = id.module,
                                .version = id.version,
                                .kind = kind,
                                .digest = staged.info.digest,
                                .size = staged.info.size,
                                .source = std::move(source),
                                .held = true,
                                .seen_at = now,
                                .used_at = now};
  ASSIGN_OR_CO_RETURN(UpstreamModuleVersion kept,
                      co_await context_.catalog.ImportModule(std::move(by), std::move(version)));
  if (kept.digest != staged.info.digest) {
    co_return OtherBytes(id.ToString(), kept.digest, staged.info.digest);
  }
  CO_RETURN_IF_ERROR(co_await context_.gate.Admit(gate, id.version));
  co_return ImportedModule{std::move(kept), true};
}

}  // namespace koya::service
