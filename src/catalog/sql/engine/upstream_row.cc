#include "catalog/sql/engine/upstream_row.h"

#include <algorithm>

#include "catalog/sql/engine/module_version_row.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/upstream_record.h"

namespace koya::sql {
namespace {

// Hands a parsed value on, or says that the row is not of this program's writing.
template <class T>
Result<T> Stored(Result<T> parsed) {
  if (!parsed) return Failure(StrangeRow(parsed.error()));
  return parsed;
}

Result<std::optional<ReleaseDocument>> ToDocument(const std::optional<std::string>& digest,
                                                  const std::optional<std::int64_t>& size) {
  std::optional<ReleaseDocument> document;
  if (!digest) return document;
  ASSIGN_OR_RETURN(Digest parsed, ToDigest(*digest));
  document.emplace(parsed, static_cast<std::uint64_t>(size.value_or(0)));
  return document;
}

}  // namespace

Result<UpstreamProvider> ToUpstreamProvider(const std::string& host, const std::string& ns,
                                            const std::string& type) {
  ASSIGN_OR_RETURN(HostName name, Stored(HostName::ParseWire(host)));
  ASSIGN_OR_RETURN(ProviderAddress address, Stored(ProviderAddress::FromParts(ns, type)));
  return UpstreamProvider{.host = std::move(name), .address = std::move(address)};
}

Result<UpstreamModule> ToUpstreamModule(const std::string& host, const std::string& ns,
                                        const std::string& name, const std::string& system) {
  ASSIGN_OR_RETURN(HostName parsed, Stored(HostName::ParseWire(host)));
  ASSIGN_OR_RETURN(ModuleAddress address, Stored(ModuleAddress::FromParts(ns, name, system)));
  return UpstreamModule{.host = std::move(parsed), .address = std::move(address)};
}

Result<Version> ToVersion(const std::string& text) { return Stored(Version::Parse(text)); }
Result<Digest> ToDigest(const std::string& hex) { return Stored(Digest::Parse(hex)); }
Result<Platform> ToPlatform(const std::string& os, const std::string& arch) {
  return Stored(Platform::FromParts(os, arch));
}

Failure NotPinned(std::string_view key, std::string_view what) {
  return FailNotFound("{} {} is not stored here: fetch it from its registry first", key, what);
}

void UpstreamReleaseRow::Bind(Query& query) {
  query.Into(id).Into(host).Into(ns).Into(type).Into(version).Into(protocols);
  query.Into(sums_digest).Into(sums_size).Into(signature_digest).Into(signature_size);
  query.Into(fit_for_origin).Into(seen_at).Into(keys);
  query.Into(os).Into(arch).Into(filename).Into(digest).Into(size).Into(hashes).Into(held);
  query.Into(used_at);
}

Result<UpstreamRelease> UpstreamReleaseRow::ToRelease() const {
  ASSIGN_OR_RETURN(UpstreamProvider provider, ToUpstreamProvider(host, ns, type));
  ASSIGN_OR_RETURN(Version parsed, ToVersion(version));
  ASSIGN_OR_RETURN(std::vector<std::string> spoken, SplitList(protocols));
  ASSIGN_OR_RETURN(std::optional<ReleaseDocument> sums, ToDocument(sums_digest, sums_size));
  ASSIGN_OR_RETURN(std::optional<ReleaseDocument> signature,
                   ToDocument(signature_digest, signature_size));
  return UpstreamRelease{.provider = std::move(provider),
                         .version = std::move(parsed),
                         .protocols = std::move(spoken),
                         .sums = sums,
                         .signature = signature,
                         .keys = {},
                         .fit_for_origin = fit_for_origin != 0,
                         .packages = {},
                         .seen_at = seen_at};
}

Result<UpstreamPackage> UpstreamReleaseRow::ToPackage() const {
  ASSIGN_OR_RETURN(Platform platform, ToPlatform(os, arch));
  ASSIGN_OR_RETURN(Digest zip, ToDigest(digest));
  ASSIGN_OR_RETURN(std::vector<std::string> known, SplitList(hashes));
  return UpstreamPackage{.platform = std::move(platform),
                         .filename = filename,
                         .digest = zip,
                         .size = static_cast<std::uint64_t>(size),
                         .hashes = std::move(known),
                         .held = held != 0,
                         .used_at = used_at};
}

Result<std::vector<UpstreamRelease>> ReadUpstreamReleases(Query& query, UpstreamReleaseRow& row) {
  std::vector<UpstreamRelease> releases;
  std::int64_t last = 0;  // none has this number
  while (query.Next()) {
    if (releases.empty() || row.id != last) {
      ASSIGN_OR_RETURN(UpstreamRelease release, row.ToRelease());
      releases.push_back(std::move(release));
      last = row.id;
    }
    ASSIGN_OR_RETURN(UpstreamPackage package, row.ToPackage());
    if (!row.keys.empty()) releases.back().keys = row.keys;
    releases.back().packages.push_back(std::move(package));
  }
  return releases;
}

Result<std::vector<Version>> ReadUpstreamVersions(Query& query, std::string& text) {
  std::vector<Version> versions;
  while (query.Next()) {
    ASSIGN_OR_RETURN(Version version, ToVersion(text));
    versions.push_back(std::move(version));
  }
  std::ranges::sort(versions, std::ranges::greater());
  return versions;
}

void UpstreamModuleRow::Bind(Query& query) {
  query.Into(host).Into(ns).Into(name).Into(system).Into(version).Into(archive_kind);
  query.Into(digest).Into(size).Into(source).Into(held).Into(seen_at).Into(used_at);
}

Result<UpstreamModuleVersion> UpstreamModuleRow::ToVersionRecord() const {
  ASSIGN_OR_RETURN(UpstreamModule module, ToUpstreamModule(host, ns, name, system));
  ASSIGN_OR_RETURN(Version parsed, ToVersion(version));
  ASSIGN_OR_RETURN(Digest archive, ToDigest(digest));
  std::optional<ArchiveKind> kind = ParseArchiveKind(archive_kind);
  if (!kind) return Failure(StrangeRow({ErrorKind::kCorrupt, "archive kind " + archive_kind, {}}));
  return UpstreamModuleVersion{.module = std::move(module),
                               .version = std::move(parsed),
                               .kind = *kind,
                               .digest = archive,
                               .size = static_cast<std::uint64_t>(size),
                               .source = source,
                               .held = held != 0,
                               .seen_at = seen_at,
                               .used_at = used_at};
}

}  // namespace koya::sql
