#include "wire/foreign/foreign_listings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "wire/json_reader.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kListing = "the list";
constexpr std::size_t kListingStorage = 64 << 20;
constexpr std::string_view kListingMembers[] = {
    "items",      "meta",       "next_offset", "modules",           "providers",
    "namespace",  "name",       "provider",    "package_type",      "version",
    "status",     "created_at", "data",        "attributes",        "registry-name",
    "pagination", "next-page",  "deprecation", "version-statuses",  "reason",
    "files",      "uri",        "size",        "lastModified",      "sha2",
    "folder",     "group",      "format",      "continuationToken", "assets",
    "path",       "checksum",   "sha256",      "fileSize",          "full_name",
    "type",       "versions",   "error"};

Result<json::object> ParseListing(std::string_view body) {
  return ParseObject(kListing, body, {kListingMembers, kListingStorage});
}

// A document that is an array, as the member "items" of an object.
Result<json::object> ParseItems(std::string_view body) {
  const std::size_t begin = body.find_first_not_of(" \t\r\n");
  if (begin == body.npos || body[begin] != '[') return FailInvalid("{} is no array", kListing);
  return ParseListing(fmt::format("{{\"items\":{}}}", body));
}

// A member that is a text; "" for all else.
std::string Text(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return {};
  return std::string(value->get_string());
}

// A number that is a member, or a text of one; "" for all else.
std::string NumberText(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value != nullptr && value->is_int64()) return std::to_string(value->get_int64());
  return Text(object, key);
}

std::uint64_t Size(const json::object& object, std::string_view key) {
  return OptionalNumber(kListing, object, key).value_or(std::nullopt).value_or(0);
}

const json::object& Inner(const json::object& object, std::string_view key) {
  static const json::object kNone;
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_object() ? value->get_object() : kNone;
}

// Calls `take(object)` for the elements of the array `key`; it returns false for one that names
// nothing. Fails: kInvalid without the array.
template <class Take>
Status ReadEntries(const json::object& document, std::string_view key, ListedPage& page,
                   const Take& take) {
  ASSIGN_OR_RETURN(const json::array* entries, RequiredArray(kListing, document, key));
  page.entries = entries->size();
  for (const json::value& each : *entries) {
    if (!each.is_object() || !take(each.get_object())) ++page.skipped;
  }
  return {};
}

// "acme/vpc/aws" of parts; "": one is missing.
std::string Joined(std::initializer_list<std::string> parts) {
  if (std::ranges::any_of(parts, &std::string::empty)) return {};
  return fmt::format("{}", fmt::join(parts, "/"));
}

std::vector<std::string> SplitPath(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

Result<ListedPage> DecodeRegistryListing(std::string_view body, bool is_module) {
  ASSIGN_OR_RETURN(const json::object document, ParseListing(body));
  ListedPage page;
  RETURN_IF_ERROR(ReadEntries(
      document, is_module ? "modules" : "providers", page, [&](const json::object& entry) {
        std::string address =
            is_module
                ? Joined({Text(entry, "namespace"), Text(entry, "name"), Text(entry, "provider")})
                : Joined({Text(entry, "namespace"), Text(entry, "name")});
        if (address.empty()) return false;
        page.packages.push_back({.is_module = is_module, .address = std::move(address)});
        return true;
      }));
  page.next = NumberText(Inner(document, "meta"), "next_offset");
  return page;
}

// What a version's status means for its users.
std::string DeprecationOf(const json::object& version) {
  const std::string reason = Text(Inner(version, "deprecation"), "reason");
  const std::string status = Text(version, "status");
  if (!reason.empty()) return reason;
  if (status == "revoked") return "this version was revoked by its author";
  return status == "deprecated" ? "this version was deprecated by its author" : "";
}

std::string NextPage(const json::object& document) {
  return NumberText(Inner(Inner(document, "meta"), "pagination"), "next-page");
}

bool AddNexusComponent(const json::object& entry, ListedPage& page) {
  std::string group = Text(entry, "group");
  if (group.starts_with("/")) group.erase(0, 1);
  ListedVersion version{.version = Text(entry, "version")};
  bool is_provider = false;
  const json::value* assets = entry.if_contains("assets");
  if (assets != nullptr && assets->is_array()) {
    for (const json::value& each : assets->get_array()) {
      if (!each.is_object()) continue;
      const json::object& asset = each.get_object();
      version.size += Size(asset, "fileSize");
      version.published_at = Text(asset, "lastModified");
      const std::string digest = Text(Inner(asset, "checksum"), "sha256");
      if (!digest.empty()) version.digest = "sha256:" + digest;
      is_provider = is_provider || Text(asset, "path").contains("providers/");
    }
  }
  const std::vector<std::string> parts =
      SplitPath(fmt::format("{}/{}", group, Text(entry, "name")));
  const bool is_module = !is_provider && parts.size() == 3;
  if (version.version.empty() || (!is_module && parts.size() != 2)) return false;
  if (!is_module) version.digest.clear();  // of one platform's zip
  page.Add(is_module, fmt::format("{}", fmt::join(parts, "/")), std::move(version));
  return true;
}

}  // namespace

void ListedPage::Add(bool is_module, std::string address, ListedVersion version) {
  const bool same = !packages.empty() && packages.back().address == address &&
                    packages.back().is_module == is_module;
  if (!same) packages.push_back({.is_module = is_module, .address = std::move(address)});
  packages.back().versions.push_back(std::move(version));
}

Result<ListedPage> DecodeModuleListing(std::string_view body) {
  return DecodeRegistryListing(body, true);
}

Result<ListedPage> DecodeProviderListing(std::string_view body) {
  return DecodeRegistryListing(body, false);
}

Result<ListedPage> DecodeGitlabListing(std::string_view body, std::string_view ns) {
  ASSIGN_OR_RETURN(const json::object document, ParseItems(body));
  ListedPage page;
  RETURN_IF_ERROR(ReadEntries(document, "items", page, [&](const json::object& entry) {
    const std::string status = Text(entry, "status");
    if (status == "hidden" || status == "pending_destruction" || status == "error") return true;
    const std::string name = Text(entry, "name");
    std::string version = Text(entry, "version");
    if (SplitPath(name).size() != 2 || version.empty()) return false;
    page.Add(true, fmt::format("{}/{}", ns, name),
             {.version = std::move(version),
              .published_at = Text(entry, "created_at"),
              .deprecation = status == "deprecated" ? "this version is deprecated" : ""});
    return true;
  }));
  return page;
}

Result<ListedPage> DecodeHcpModules(std::string_view body) {
  ASSIGN_OR_RETURN(const json::object document, ParseListing(body));
  ListedPage page;
  RETURN_IF_ERROR(ReadEntries(document, "data", page, [&](const json::object& entry) {
    const json::object& facts = Inner(entry, "attributes");
    if (Text(facts, "registry-name") == "public") return true;
    std::string address =
        Joined({Text(facts, "namespace"), Text(facts, "name"), Text(facts, "provider")});
    if (address.empty()) return false;
    page.packages.push_back({.is_module = true, .address = std::move(address)});
    const json::value* versions = facts.if_contains("version-statuses");
    if (versions == nullptr || !versions->is_array()) return true;
    for (const json::value& each : versions->get_array()) {
      if (!each.is_object()) continue;
      const json::object& version = each.get_object();
      const std::string status = Text(version, "status");
      // Others were never ingested: there is nothing to download.
      const bool is_whole =
          status.empty() || status == "ok" || status == "revoked" || status == "deprecated";
      std::string text = Text(version, "version");
      if (!is_whole || text.empty()) continue;
      page.packages.back().versions.push_back(
          {.version = std::move(text), .deprecation = DeprecationOf(version)});
    }
    return true;
  }));
  page.next = NextPage(document);
  return page;
}

Result<ListedPage> DecodeHcpProviders(std::string_view body) {
  ASSIGN_OR_RETURN(const json::object document, ParseListing(body));
  ListedPage page;
  RETURN_IF_ERROR(ReadEntries(document, "data", page, [&](const json::object& entry) {
    const json::object& facts = Inner(entry, "attributes");
    if (Text(facts, "registry-name") == "public") return true;
    std::string address = Joined({Text(facts, "namespace"), Text(facts, "name")});
    if (address.empty()) return false;
    page.packages.push_back({.is_module = false, .address = std::move(address)});
    return true;
  }));
  page.next = NextPage(document);
  return page;
}

Result<ListedPage> DecodeArtifactoryModules(std::string_view body) {
  ASSIGN_OR_RETURN(const json::object document, ParseListing(body));
  ListedPage page;
  RETURN_IF_ERROR(ReadEntries(document, "files", page, [&](const json::object& entry) {
    std::vector<std::string> parts = SplitPath(Text(entry, "uri"));
    if (!parts.empty() && parts.front().starts_with(".")) return true;  // its own index
    if (parts.size() != 4 || !parts[3].ends_with(".zip")) return false;
    parts[3].resize(parts[3].size() - std::string_view(".zip").size());
    const std::string digest = Text(entry, "sha2");
    page.Add(true, Joined({parts[0], parts[1], parts[2]}),
             {.version = std::move(parts[3]),
              .published_at = Text(entry, "lastModified"),
              .digest = digest.empty() ? "" : "sha256:" + digest,
              .size = Size(entry, "size")});
    return true;
  }));
  return page;
}

Result<ListedPage> DecodeArtifactoryProviders(std::string_view body) {
  ASSIGN_OR_RETURN(const json::object document, ParseListing(body));
  ListedPage page;
  RETURN_IF_ERROR(ReadEntries(document, "files", page, [&](const json::object& entry) {
    std::vector<std::string> parts = SplitPath(Text(entry, "uri"));
    if (!parts.empty() && parts.front().starts_with(".")) return true;
    if (parts.size() != 4) return false;
    if (!parts[3].ends_with(".zip")) return true;  // sums, signature, manifest
    std::string address = Joined({parts[0], parts[1]});
    const std::uint64_t size = Size(entry, "size");
    const bool same = !page.packages.empty() && page.packages.back().address == address &&
                      page.packages.back().versions.back().version == parts[2];
    if (same) {
      page.packages.back().versions.back().size += size;
    } else {
      page.Add(false, std::move(address),
               {.version = std::move(parts[2]),
                .published_at = Text(entry, "lastModified"),
                .size = size});
    }
    return true;
  }));
  return page;
}

Result<ListedPage> DecodeNexusListing(std::string_view body) {
  ASSIGN_OR_RETURN(const json::object document, ParseListing(body));
  ListedPage page;
  RETURN_IF_ERROR(ReadEntries(document, "items", page, [&](const json::object& entry) {
    return AddNexusComponent(entry, page);
  }));
  page.next = Text(document, "continuationToken");
  return page;
}

Result<ListedPage> DecodeTerralistListing(std::string_view body) {
  ASSIGN_OR_RETURN(const json::object document, ParseItems(body));
  ListedPage page;
  RETURN_IF_ERROR(ReadEntries(document, "items", page, [&](const json::object& entry) {
    const std::string type = Text(entry, "type");
    std::string address = Text(entry, "full_name");
    const bool is_module = type == "module";
    if (SplitPath(address).size() != (is_module ? 3U : 2U)) return false;
    page.packages.push_back({.is_module = is_module, .address = std::move(address)});
    for (std::string& each :
         OptionalStrings(kListing, entry, "versions").value_or(std::vector<std::string>())) {
      page.packages.back().versions.push_back({.version = std::move(each)});
    }
    return true;
  }));
  return page;
}

}  // namespace koya::wire
