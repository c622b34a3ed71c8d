// Reads rows of the mirror's tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/sql/engine/query.h"
#include "catalog/upstream_catalog.h"

namespace koya::sql {

// Each fails with kCorrupt when the row has a value that this program never writes.
Result<UpstreamProvider> ToUpstreamProvider(const std::string& host, const std::string& ns,
                                            const std::string& type);
Result<UpstreamModule> ToUpstreamModule(const std::string& host, const std::string& ns,
                                        const std::string& name, const std::string& system);
Result<Version> ToVersion(const std::string& text);
Result<Digest> ToDigest(const std::string& hex);
Result<Platform> ToPlatform(const std::string& os, const std::string& arch);

// The failure of a request about another registry's provider or module that was never seen.
Failure NotPinned(std::string_view key, std::string_view what);

// One package with its release: a release has as many rows as packages.
struct UpstreamReleaseRow {
  // Columns of a SELECT, in the order of Bind. The tables' aliases are p (upstream_provider), r
  // (upstream_release), k (upstream_package) and h (held_blob, of held packages only). The keys
  // appear in one row of a release: with each package they would be most of the data.
#define KOYA_UPSTREAM_RELEASE_COLUMNS                                                       \
  "r.id, p.host, p.namespace, p.type, r.version, r.protocols, r.sums_digest, r.sums_size, " \
  "r.signature_digest, r.signature_size, r.fit_for_origin, r.seen_at, "                     \
  "CASE WHEN k.id = (SELECT MIN(f.id) FROM upstream_package f WHERE f.release_id = r.id) "  \
  "THEN r.keys ELSE '' END, "                                                               \
  "k.os, k.arch, k.filename, k.digest, k.size, k.hashes, k.held, COALESCE(h.used_at, 0)"

  void Bind(Query& query);
  // The release without its packages, and the package of this row. Fail: kCorrupt.
  Result<UpstreamRelease> ToRelease() const;
  Result<UpstreamPackage> ToPackage() const;

  std::int64_t id = 0;
  std::string host, ns, type, version, protocols, keys;
  std::optional<std::string> sums_digest, signature_digest;
  std::optional<std::int64_t> sums_size, signature_size;
  std::int64_t fit_for_origin = 0;
  std::int64_t seen_at = 0;
  std::string os, arch, filename, digest, hashes;
  std::int64_t size = 0;
  std::int64_t held = 0;
  std::int64_t used_at = 0;
};

// Reads the rows of `query`: whole releases, in the order of their first rows. Fails: kCorrupt.
Result<std::vector<UpstreamRelease>> ReadUpstreamReleases(Query& query, UpstreamReleaseRow& row);

// Likewise for rows of a version each, read into `text`. Newest first. Fails: kCorrupt.
Result<std::vector<Version>> ReadUpstreamVersions(Query& query, std::string& text);

struct UpstreamModuleRow {
  // The tables' aliases are m (upstream_module), v (upstream_module_version) and h (held_blob).
#define KOYA_UPSTREAM_MODULE_COLUMNS                                                     \
  "m.host, m.namespace, m.name, m.system, v.version, v.archive_kind, v.digest, v.size, " \
  "v.source, v.held, v.seen_at, COALESCE(h.used_at, 0)"

  void Bind(Query& query);
  // Fails: kCorrupt.
  Result<UpstreamModuleVersion> ToVersionRecord() const;

  std::string host, ns, name, system, version, archive_kind, digest, source;
  std::int64_t size = 0;
  std::int64_t held = 0;
  std::int64_t seen_at = 0;
  std::int64_t used_at = 0;
};

}  // namespace koya::sql
