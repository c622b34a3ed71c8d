#include "domain/replica_record.h"

#include <set>

namespace koya {
namespace {

// The servers by their digests of a setting: those with the same one together.
std::string GroupServers(const std::vector<SharedSettings>& servers, const std::string& setting) {
  std::map<std::string, std::string> groups;
  for (const SharedSettings& server : servers) {
    const auto digest = server.digests.find(setting);
    if (digest == server.digests.end()) continue;
    std::string& group = groups[digest->second];
    group += (group.empty() ? "" : ", ") + server.address;
  }
  if (groups.size() < 2) return {};
  std::string text;
  for (const auto& [digest, group] : groups) text += (text.empty() ? "" : " | ") + group;
  return text;
}

}  // namespace

std::vector<std::string> DescribeDifferences(const std::vector<SharedSettings>& servers) {
  std::set<std::string> settings;
  for (const SharedSettings& server : servers) {
    for (const auto& [name, digest] : server.digests) settings.insert(name);
  }
  std::vector<std::string> texts;
  for (const std::string& setting : settings) {
    const std::string groups = GroupServers(servers, setting);
    if (groups.empty()) continue;
    texts.push_back(setting + " is not the same on all servers, and must be: " + groups);
  }
  return texts;
}

}  // namespace koya
