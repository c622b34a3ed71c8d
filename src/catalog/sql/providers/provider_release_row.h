// Reads rows of provider_release and provider_package.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/sql/engine/query.h"
#include "domain/platform.h"

namespace koya {
struct ProviderPackage;
struct ProviderRelease;
struct ReleaseSummary;
struct Withdrawal;
}  // namespace koya

namespace koya::sql {

struct ProviderReleaseRow {
  // Columns of a SELECT, in the order of Bind. The tables' aliases are p (provider) and r.
#define KOYA_PROVIDER_RELEASE_COLUMNS                                                         \
  "p.namespace, p.type, r.version, r.protocols, r.sums_digest, r.sums_size, "                 \
  "r.signature_digest, r.signature_size, r.key_fingerprint, r.published_at, r.published_by, " \
  "r.deprecation, r.withdrawn_at, r.withdrawn_by, r.withdrawn_reason, "                       \
  "COALESCE(r.provenance, ''), r.withdrawn_successor, r.withdrawn_kept_until"

  void Bind(Query& query);
  // The release without its packages. Fails: kCorrupt when the row has a value that this program
  // never writes.
  Result<ProviderRelease> ToRelease() const;
  std::optional<Withdrawal> ToWithdrawal() const;

  std::string ns, type, version, protocols, sums_digest, signature_digest, key_fingerprint;
  std::string published_by, deprecation, provenance;
  std::int64_t sums_size = 0;
  std::int64_t signature_size = 0;
  std::int64_t published_at = 0;
  std::optional<std::int64_t> withdrawn_at;
  std::optional<std::string> withdrawn_by, withdrawn_reason;
  std::string withdrawn_successor;
  std::int64_t withdrawn_kept_until = 0;
};

struct ProviderPackageRow {
  // The table's alias is k.
#define KOYA_PROVIDER_PACKAGE_COLUMNS "k.os, k.arch, k.filename, k.digest, k.size, k.h1"

  void Bind(Query& query);
  // Fails: kCorrupt.
  Result<ProviderPackage> ToPackage() const;

  std::string os, arch, filename, digest, h1;
  std::int64_t size = 0;
};

// A release as lists show it: one row regardless of its number of packages.
struct ReleaseSummaryRow {
  // The table's alias is r.
#define KOYA_RELEASE_SUMMARY_COLUMNS                                                     \
  "r.version, r.protocols, r.platforms, r.published_at, r.published_by, r.deprecation, " \
  "r.key_fingerprint"

  void Bind(Query& query);
  // Fails: kCorrupt.
  Result<ReleaseSummary> ToSummary();

  std::string version, protocols, platforms, published_by, deprecation, key_fingerprint;
  std::int64_t published_at = 0;

 private:
  // Caches the previous row's platforms, parsed: most of a provider's releases have the same ones.
  std::string parsed_text_;
  std::vector<Platform> parsed_;
};

}  // namespace koya::sql
