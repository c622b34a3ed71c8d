#include "catalog/sql/providers/provider_release_row.h"

#include "catalog/sql/engine/module_version_row.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/digest.h"
#include "domain/provider_address.h"
#include "domain/provider_record.h"
#include "domain/version.h"
#include "domain/withdrawal.h"

namespace koya::sql {
namespace {

Result<ReleaseDocument> ToDocument(const std::string& digest, std::int64_t size) {
  Result<Digest> parsed = Digest::Parse(digest);
  if (!parsed) return Failure(StrangeRow(parsed.error()));
  return ReleaseDocument{.digest = *parsed, .size = static_cast<std::uint64_t>(size)};
}

Result<std::vector<Platform>> ParsePlatforms(const std::string& text) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, SplitList(text));
  std::vector<Platform> platforms;
  platforms.reserve(names.size());
  for (const std::string& name : names) {
    Result<Platform> platform = Platform::Parse(name);
    if (!platform) return Failure(StrangeRow(platform.error()));
    platforms.push_back(*std::move(platform));
  }
  return platforms;
}

}  // namespace

void ProviderReleaseRow::Bind(Query& query) {
  query.Into(ns).Into(type).Into(version).Into(protocols).Into(sums_digest).Into(sums_size);
  query.Into(signature_digest).Into(signature_size).Into(key_fingerprint).Into(published_at);
  query.Into(published_by).Into(deprecation);
  query.Into(withdrawn_at).Into(withdrawn_by).Into(withdrawn_reason).Into(provenance);
  query.Into(withdrawn_successor).Into(withdrawn_kept_until);
}

Result<ProviderRelease> ProviderReleaseRow::ToRelease() const {
  Result<ProviderAddress> address = ProviderAddress::FromParts(ns, type);
  if (!address) return Failure(StrangeRow(address.error()));
  Result<Version> parsed = Version::Parse(version);
  if (!parsed) return Failure(StrangeRow(parsed.error()));
  ASSIGN_OR_RETURN(std::vector<std::string> spoken, SplitList(protocols));
  ASSIGN_OR_RETURN(ReleaseDocument sums, ToDocument(sums_digest, sums_size));
  ASSIGN_OR_RETURN(ReleaseDocument signature, ToDocument(signature_digest, signature_size));
  return ProviderRelease{.address = *std::move(address),
                         .version = *std::move(parsed),
                         .protocols = std::move(spoken),
                         .sums = sums,
                         .signature = signature,
                         .key_fingerprint = key_fingerprint,
                         .packages = {},
                         .published_at = published_at,
                         .published_by = published_by,
                         .deprecation = deprecation,
                         .provenance = provenance};
}

std::optional<Withdrawal> ProviderReleaseRow::ToWithdrawal() const {
  if (!withdrawn_at) return std::nullopt;
  return Withdrawal{.at = *withdrawn_at,
                    .by = withdrawn_by.value_or(""),
                    .reason = withdrawn_reason.value_or(""),
                    .successor = withdrawn_successor,
                    .kept_until = withdrawn_kept_until};
}

void ProviderPackageRow::Bind(Query& query) {
  query.Into(os).Into(arch).Into(filename).Into(digest).Into(size).Into(h1);
}

Result<ProviderPackage> ProviderPackageRow::ToPackage() const {
  Result<Platform> platform = Platform::FromParts(os, arch);
  if (!platform) return Failure(StrangeRow(platform.error()));
  Result<Digest> zip = Digest::Parse(digest);
  if (!zip) return Failure(StrangeRow(zip.error()));
  ASSIGN_OR_RETURN(std::vector<std::string> hashes, SplitList(h1));
  return ProviderPackage{.platform = *std::move(platform),
                         .filename = filename,
                         .digest = *zip,
                         .size = static_cast<std::uint64_t>(size),
                         .h1 = std::move(hashes)};
}

void ReleaseSummaryRow::Bind(Query& query) {
  query.Into(version).Into(protocols).Into(platforms).Into(published_at).Into(published_by);
  query.Into(deprecation).Into(key_fingerprint);
}

Result<ReleaseSummary> ReleaseSummaryRow::ToSummary() {
  Result<Version> parsed = Version::Parse(version);
  if (!parsed) return Failure(StrangeRow(parsed.error()));
  ASSIGN_OR_RETURN(std::vector<std::string> spoken, SplitList(protocols));
  if (platforms != parsed_text_) {
    ASSIGN_OR_RETURN(parsed_, ParsePlatforms(platforms));
    parsed_text_ = platforms;
  }
  return ReleaseSummary{.version = *std::move(parsed),
                        .protocols = std::move(spoken),
                        .platforms = parsed_,
                        .published_at = published_at,
                        .published_by = published_by,
                        .deprecation = deprecation,
                        .key_fingerprint = key_fingerprint};
}

}  // namespace koya::sql
