#include "catalog/sql/mirror/upstream_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "catalog/sql/engine/text_column.h"

namespace koya::sql {

Status CheckText(std::string_view what, std::string_view text, std::size_t most) {
  if (text.size() > most) {
    return Fail(
        ErrorKind::kTooLarge,
        fmt::format("{} would take {} bytes, and the limit is {}: report this to its registry",
                    what, text.size(), most));
  }
  return CheckStorable(what, text);
}

Status CheckHeldSize(std::string_view what, std::uint64_t size, bool held) {
  if (size > kMostBytes) {
    return Fail(ErrorKind::kTooLarge,
                fmt::format("{} cannot be {} bytes long: report this to its registry", what, size));
  }
  if (!held || size > 0) return {};
  return FailInvalid("{} is stored, so its size must be known: state its size in bytes", what);
}

std::string_view KeptValidator(std::string_view text) {
  if (text.size() > kMostValidator || !IsStorable(text)) return {};
  return text;
}

Status Cell<std::optional<ReleaseDocument>>::Read(StoredRow& row,
                                                  std::optional<ReleaseDocument>& value) {
  const auto digest = row.Take<std::optional<std::string>>();
  const auto size = row.Take<std::optional<std::int64_t>>();
  value.reset();
  if (!digest) return {};
  ASSIGN_OR_RETURN(Digest parsed, Stored(Digest::Parse(*digest)));
  value.emplace(parsed, static_cast<std::uint64_t>(size.value_or(0)));
  return {};
}

void Cell<std::optional<ReleaseDocument>>::Use(Query& query,
                                               const std::optional<ReleaseDocument>& value) {
  if (value) return Cell<ReleaseDocument>::Use(query, *value);
  // A NULL has no type: it fits the digest too.
  query.Use(std::optional<std::int64_t>()).Use(std::optional<std::int64_t>());
}

Failure NotPinned(std::string_view key, std::string_view what) {
  return FailNotFound("{} {} is not stored here: fetch it from its registry first", key, what);
}

Result<std::vector<UpstreamRelease>> ReadUpstreamReleases(Query& query) {
  std::vector<UpstreamRelease> releases;
  std::int64_t id = 0;
  std::int64_t last = 0;  // none has this number
  std::string keys;
  query.Into(id).Into(keys);
  RecordReader release_reader(query, kUpstreamReleaseColumns);
  RecordReader package_reader(query, kUpstreamPackageColumns);
  while (query.Next()) {
    if (releases.empty() || id != last) {
      ASSIGN_OR_RETURN(UpstreamRelease release, release_reader.Read());
      releases.push_back(std::move(release));
      last = id;
    }
    ASSIGN_OR_RETURN(UpstreamPackage package, package_reader.Read());
    if (!keys.empty()) releases.back().keys = keys;
    releases.back().packages.push_back(std::move(package));
  }
  return releases;
}

Result<std::vector<Version>> ReadUpstreamVersions(Query& query) {
  std::vector<Version> versions;
  std::string text;
  query.Into(text);
  while (query.Next()) {
    ASSIGN_OR_RETURN(Version version, Stored(Version::Parse(text)));
    versions.push_back(std::move(version));
  }
  std::ranges::sort(versions, std::ranges::greater());
  return versions;
}

}  // namespace koya::sql
