// Verifies that the bytes of published artifacts are unchanged.
//
// Removes nothing: damaged bytes stay for examination, and clients reject them by their checksums.
// Publishing the same again repairs them (publish_module.h, publish_provider.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "service/common/blob_check.h"

namespace koya {
struct BlobInfo;
class Catalog;
class Clock;
class Digest;
class Logger;
class ModuleAddress;
class Platform;
class ProviderAddress;
struct ProviderRelease;
struct SearchSubject;
class Version;
}  // namespace koya

namespace koya::service {

struct CheckReport;
struct CheckRequest;

// Methods fail: kNotFound for an artifact that is not published, or of a withdrawn version; as the
// catalog and the blob store.
class PublishedCheck {
 public:
  // All arguments must outlive this.
  PublishedCheck(Catalog& catalog, ArchiveReview review, const Clock& clock, Logger& log)
      : catalog_(catalog), review_(review), clock_(clock), log_(log) {}

  // With its attachments, as Documents.
  Task<CheckReport> Module(ModuleAddress address, Version version, CheckRequest request);
  Task<CheckReport> Package(ProviderAddress address, Version version, Platform platform,
                            CheckRequest request);
  // Verifies SHA256SUMS and its signature: their bytes, the sums against the packages, and the
  // signature against the recorded key.
  Task<CheckReport> Documents(ProviderAddress address, Version version, CheckRequest request);
  // Verify the uploaded docs of a release, and the stored form of its schema. Fail, too: kNotFound:
  // it has none.
  Task<CheckReport> Docs(ProviderAddress address, Version version, CheckRequest request);
  Task<CheckReport> Schema(ProviderAddress address, Version version, CheckRequest request);
  // Verifies the bytes of a draft's file, or of an object that the ledger records, with the
  // recorded size (0: unknown). kNotHeld when nothing needs them any more.
  Task<CheckReport> Blob(Digest digest, std::uint64_t size, CheckRequest request);

 private:
  Task<CheckReport> Examine(std::string name, BlobInfo blob, CheckRequest request,
                            std::string_view again = "publish the same again");
  Task<CheckReport> ExamineAttachments(SearchSubject version, CheckRequest request);
  Task<std::string> Compare(const ProviderRelease& release);
  void LogFinding(const std::string& name, const Digest& digest, const CheckReport& report);

  Catalog& catalog_;
  ArchiveReview review_;
  const Clock& clock_;
  Logger& log_;
};

}  // namespace koya::service
