// Are the bytes that were published here still what they were?
//
// Nothing is removed: damaged bytes stay for whoever wants to look at them, and clients refuse them
// by their checksums. Publishing the same again mends them (publish_module.h, publish_provider.h).
#pragma once

#include <string>
#include <string_view>

#include "service/archive_review.h"

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
class Version;
}  // namespace koya

namespace koya::service {

struct CheckReport;
struct CheckRequest;

// Fails: kNotFound for what is not published, withdrawn versions included; as the catalog and the
// blob store.
class PublishedCheck {
 public:
  // Everything given must outlive this.
  PublishedCheck(Catalog& catalog, ArchiveReview review, const Clock& clock, Logger& log)
      : catalog_(catalog), review_(review), clock_(clock), log_(log) {}

  Task<CheckReport> Module(ModuleAddress address, Version version, CheckRequest request);
  Task<CheckReport> Package(ProviderAddress address, Version version, Platform platform,
                            CheckRequest request);
  // SHA256SUMS and its signature: their bytes, the sums against the packages, and the signature
  // against the key that it is said to be by.
  Task<CheckReport> Documents(ProviderAddress address, Version version, CheckRequest request);
  // What was uploaded as the release's docs, and what its schema was made into. Fail, too:
  // kNotFound: it has none.
  Task<CheckReport> Docs(ProviderAddress address, Version version, CheckRequest request);
  Task<CheckReport> Schema(ProviderAddress address, Version version, CheckRequest request);

 private:
  Task<CheckReport> Examine(std::string name, BlobInfo blob, CheckRequest request,
                            std::string_view again = "publish the same again");
  Task<std::string> Compare(const ProviderRelease& release);
  void Tell(const std::string& name, const Digest& digest, const CheckReport& report);

  Catalog& catalog_;
  ArchiveReview review_;
  const Clock& clock_;
  Logger& log_;
};

}  // namespace koya::service
