#include "wire/renovate.h"

#include <boost/json.hpp>
#include <string_view>
#include <utility>

namespace koya::wire {
namespace {

namespace json = boost::json;

void AddIfKnown(json::object& to, std::string_view key, const std::string& value) {
  if (!value.empty()) to[key] = value;
}

json::object ReleaseObject(const RenovateRelease& release) {
  json::object out;
  out["version"] = release.version;
  AddIfKnown(out, "releaseTimestamp", release.release_timestamp);
  if (release.is_deprecated) out["isDeprecated"] = true;
  AddIfKnown(out, "changelogUrl", release.changelog_url);
  AddIfKnown(out, "sourceUrl", release.source_url);
  AddIfKnown(out, "sourceDirectory", release.source_directory);
  AddIfKnown(out, "digest", release.digest);
  return out;
}

}  // namespace

std::string EncodeRenovatePackage(const RenovatePackage& package) {
  json::array releases;
  releases.reserve(package.releases.size());
  for (const RenovateRelease& each : package.releases) releases.push_back(ReleaseObject(each));
  json::object out;
  out["releases"] = std::move(releases);
  AddIfKnown(out, "sourceUrl", package.source_url);
  AddIfKnown(out, "sourceDirectory", package.source_directory);
  if (!package.latest.empty()) out["tags"] = {{"latest", package.latest}};
  return json::serialize(out);
}

}  // namespace koya::wire
