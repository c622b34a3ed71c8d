#include "service/verify/published_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/offload.h"
#include "blobs/blob_store.h"
#include "catalog/catalog.h"
#include "domain/module_address.h"
#include "domain/module_record.h"
#include "domain/provider_docs_record.h"
#include "domain/search_record.h"
#include "domain/signing_key_record.h"
#include "domain/storage_record.h"
#include "obs/log.h"
#include "service/common/blob_check.h"
#include "service/common/blob_io.h"
#include "signing/openpgp.h"
#include "signing/sha256sums.h"

namespace koya::service {
namespace {

using State = CheckReport::State;

std::string Name(const auto& address, const Version& version) {
  return fmt::format("{} {}", address.ToString(), version.ToString());
}

// Why `sums` cannot be the document of `release`; "" when it can.
std::string CompareSums(const ProviderRelease& release, std::string_view sums) {
  signing::SumsReading reading = signing::ReadSums(sums);
  for (const ProviderPackage& package : release.packages) {
    auto line = std::ranges::find(reading.lines, package.filename, &signing::SumsLine::name);
    if (line == reading.lines.end()) {
      return fmt::format("SHA256SUMS does not list {}, which is served", package.filename);
    }
    if (line->digest != package.digest) {
      return fmt::format("SHA256SUMS lists {} for {}, but {} is served", line->digest.hex(),
                         package.filename, package.digest.hex());
    }
  }
  return {};
}

// Blocks. Whether the key made one of the signatures over exactly these bytes.
Result<bool> IsSignedBy(const SigningKeyRecord& key, std::string_view sums,
                        std::string_view signature, UnixSeconds now) {
  const std::vector<std::string> armors = {key.armor};
  ASSIGN_OR_RETURN(std::vector<signing::CheckedSignature> checked,
                   signing::CheckSignatures(sums, signature, armors, now));
  return std::ranges::any_of(checked, [&key](const signing::CheckedSignature& each) {
    return each.state == signing::CheckedSignature::State::kGood &&
           each.fingerprint == key.fingerprint;
  });
}

}  // namespace

void PublishedCheck::LogFinding(const std::string& name, const Digest& digest,
                                const CheckReport& report) {
  log_.Error("published bytes have changed in storage",
             {{"of", name},
              {"digest", digest.ToString()},
              {"state", report.state == State::kMissing ? "missing" : "damaged"},
              {"problem", report.problem}});
}

Task<CheckReport> PublishedCheck::Examine(std::string name, BlobInfo blob, CheckRequest request,
                                          std::string_view again) {
  BlobChecker checker{review_.blobs, review_.workers};
  CheckReport report;
  ASSIGN_OR_CO_RETURN(const BlobCheck check, co_await checker.Check(blob, request));
  report.state = check.state;
  report.repaired = check.repaired;
  report.problem = check.Words();
  if (check.state == State::kOk && check.copy == BlobCheck::Copy::kWrong) {
    report.state = State::kDamaged;
    report.repaired = true;
  }
  if (report.state == State::kOk) co_return report;
  if (report.problem.empty()) {
    report.problem = fmt::format("{} to repair it, or restore the blob {} from a backup", again,
                                 blob.digest.ToString());
  }
  LogFinding(name, blob.digest, report);
  co_return report;
}

Task<CheckReport> PublishedCheck::ExamineAttachments(SearchSubject version, CheckRequest request) {
  ASSIGN_OR_CO_RETURN(const std::vector<Attachment> list,
                      co_await catalog_.ListAttachments(version));
  for (const Attachment& each : list) {
    std::string name =
        fmt::format("{} {} {}", version.address, version.version.ToString(), each.name);
    const BlobInfo blob{each.digest, each.size};
    ASSIGN_OR_CO_RETURN(CheckReport report, co_await Examine(std::move(name), blob, request,
                                                             "upload the same attachment again"));
    if (report.state != State::kOk) co_return report;
  }
  co_return CheckReport();
}

Task<CheckReport> PublishedCheck::Module(ModuleAddress address, Version version,
                                         CheckRequest request) {
  ASSIGN_OR_CO_RETURN(ModuleVersionRecord record, co_await catalog_.FindVersion(address, version));
  BlobInfo blob{record.digest, record.size};
  ASSIGN_OR_CO_RETURN(CheckReport report, co_await Examine(Name(address, version), blob, request));
  if (report.state == State::kOk) {
    ASSIGN_OR_CO_RETURN(report, co_await ExamineAttachments(
                                    SearchSubject::Of(record.address, record.version), request));
  }
  if (report.state != State::kOk || request.quick) co_return report;
  ASSIGN_OR_CO_RETURN(report.warnings, co_await review_.Module(record.digest));
  co_return report;
}

Task<CheckReport> PublishedCheck::Package(ProviderAddress address, Version version,
                                          Platform platform, CheckRequest request) {
  ASSIGN_OR_CO_RETURN(ProviderRelease release, co_await catalog_.FindRelease(address, version));
  std::string name = Name(address, version) + " " + platform.ToString();
  auto package = std::ranges::find(release.packages, platform, &ProviderPackage::platform);
  if (package == release.packages.end()) {
    co_return FailNotFound("{} is not published here", name);
  }
  BlobInfo blob{package->digest, package->size};
  ASSIGN_OR_CO_RETURN(CheckReport report, co_await Examine(std::move(name), blob, request));
  if (report.state != State::kOk || request.quick) co_return report;
  ASSIGN_OR_CO_RETURN(report.warnings,
                      co_await review_.OwnPackage(package->digest, address.type(), package->h1));
  co_return report;
}

// Returns the first mismatch between the two documents, or "". REQUIRES: both are whole.
Task<std::string> PublishedCheck::Compare(const ProviderRelease& release) {
  ASSIGN_OR_CO_RETURN(std::string sums, co_await ReadText(review_.blobs, release.sums));
  ASSIGN_OR_CO_RETURN(std::string signature, co_await ReadText(review_.blobs, release.signature));
  if (std::string wrong = CompareSums(release, sums); !wrong.empty()) co_return wrong;
  ASSIGN_OR_CO_RETURN(SigningKeyRecord key,
                      co_await catalog_.FindKey(release.address.ns(), release.key_fingerprint));
  auto check = [&, now = clock_.Now()] { return IsSignedBy(key, sums, signature, now); };
  ASSIGN_OR_CO_RETURN(bool good, co_await Offload(review_.workers, std::move(check)));
  if (good) co_return std::string();
  co_return fmt::format("the signature of SHA256SUMS is not one of the key {} over these bytes",
                        key.key_id);
}

Task<CheckReport> PublishedCheck::Documents(ProviderAddress address, Version version,
                                            CheckRequest request) {
  ASSIGN_OR_CO_RETURN(ProviderRelease release, co_await catalog_.FindRelease(address, version));
  std::string name = Name(address, version) + " SHA256SUMS";
  for (const ReleaseDocument& document : {release.sums, release.signature}) {
    BlobInfo blob{document.digest, document.size};
    ASSIGN_OR_CO_RETURN(CheckReport report, co_await Examine(name, blob, request));
    if (report.state != State::kOk) co_return report;
  }
  ASSIGN_OR_CO_RETURN(
      CheckReport report,
      co_await ExamineAttachments(SearchSubject::Of(release.address, release.version), request));
  if (report.state != State::kOk || request.quick) co_return report;
  ASSIGN_OR_CO_RETURN(report.problem, co_await Compare(release));
  if (report.problem.empty()) co_return report;
  report.state = State::kDamaged;
  LogFinding(name, release.sums.digest, report);
  co_return report;
}

Task<CheckReport> PublishedCheck::Docs(ProviderAddress address, Version version,
                                       CheckRequest request) {
  ASSIGN_OR_CO_RETURN(DocsSummary summary, co_await catalog_.FindDocs(address, version));
  std::string name = Name(address, version) + " docs";
  if (!summary.docs) co_return Fail(ErrorKind::kNotFound, name + ": there are none");
  BlobInfo blob{summary.docs->digest, summary.docs->size};
  co_return co_await Examine(std::move(name), blob, request,
                             "publish the same release again with the same docs");
}

Task<CheckReport> PublishedCheck::Schema(ProviderAddress address, Version version,
                                         CheckRequest request) {
  ASSIGN_OR_CO_RETURN(DocsSummary summary, co_await catalog_.FindDocs(address, version));
  std::string name = Name(address, version) + " schema";
  if (!summary.schema) co_return Fail(ErrorKind::kNotFound, name + ": there is none");
  BlobInfo blob{summary.schema->digest, summary.schema->size};
  co_return co_await Examine(std::move(name), blob, request,
                             "publish the same release again with the same schema");
}

Task<CheckReport> PublishedCheck::Blob(Digest digest, std::uint64_t size, CheckRequest request) {
  const BlobInfo blob{digest, size};
  ASSIGN_OR_CO_RETURN(CheckReport report, co_await Examine(digest.ToString(), blob, request,
                                                           "upload the same file again"));
  if (report.state == State::kOk || report.repaired) co_return report;
  // A draft was published or given up meanwhile, or the collector took the object.
  std::vector<Digest> digests{digest};
  ASSIGN_OR_CO_RETURN(const std::vector<Digest> unneeded,
                      co_await catalog_.FindUnreferenced(std::move(digests)));
  if (unneeded.empty()) co_return report;
  const Result<BlobObject> record = co_await catalog_.FindStored(digest);
  if (record) co_return report;
  if (record.error().kind != ErrorKind::kNotFound) co_return Failure(record.error());
  co_return CheckReport{.state = State::kNotHeld};
}

}  // namespace koya::service
