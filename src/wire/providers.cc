#include "wire/providers.h"

#include <fmt/format.h>

#include <utility>

#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kVersionsDocument = "the list of provider versions";
constexpr std::string_view kDownloadDocument = "the provider's download document";
constexpr std::string_view kDetailsDocument = "the provider's details";
constexpr std::string_view kListDocument = "the list of providers";
constexpr std::string_view kManifestDocument = "the manifest";

json::array PlatformArray(const std::vector<PlatformName>& platforms) {
  json::array out;
  for (const PlatformName& platform : platforms) {
    json::object element;
    element["os"] = platform.os;
    element["arch"] = platform.arch;
    out.push_back(std::move(element));
  }
  return out;
}

// No client decodes platforms, so a list that is none of its kind must not cost the versions:
// elements without both names are passed over.
std::vector<PlatformName> ReadPlatforms(const json::object& object) {
  std::vector<PlatformName> out;
  const json::value* value = object.if_contains("platforms");
  if (value == nullptr || !value->is_array()) return out;
  for (const json::value& each : value->get_array()) {
    if (!each.is_object()) continue;
    auto os = RequiredString(kVersionsDocument, each.get_object(), "os");
    auto arch = RequiredString(kVersionsDocument, each.get_object(), "arch");
    if (os && arch) out.push_back({*std::move(os), *std::move(arch)});
  }
  return out;
}

Result<ProviderVersion> ReadVersion(const json::object& object) {
  ProviderVersion out;
  ASSIGN_OR_RETURN(out.version, RequiredString(kVersionsDocument, object, "version"));
  ASSIGN_OR_RETURN(out.protocols, OptionalStrings(kVersionsDocument, object, "protocols"));
  out.platforms = ReadPlatforms(object);
  return out;
}

// As the public registries write a key: no trust signature is "", no source_url is null.
json::object KeyObject(const SigningKey& key) {
  json::object out;
  out["key_id"] = key.key_id;
  out["ascii_armor"] = key.ascii_armor;
  out["trust_signature"] = key.trust_signature;
  out["source"] = key.source;
  out["source_url"] = TextOrNull(key.source_url);
  return out;
}

Result<SigningKey> ReadKey(const json::object& object) {
  SigningKey out;
  auto optional = [&](std::string_view key) {
    return OptionalString(kDownloadDocument, object, key);
  };
  ASSIGN_OR_RETURN(out.key_id, optional("key_id"));
  ASSIGN_OR_RETURN(out.ascii_armor, optional("ascii_armor"));
  ASSIGN_OR_RETURN(out.trust_signature, optional("trust_signature"));
  ASSIGN_OR_RETURN(out.source, optional("source"));
  ASSIGN_OR_RETURN(out.source_url, optional("source_url"));
  return out;
}

Result<std::vector<SigningKey>> ReadKeys(const json::object& document) {
  const json::value* keys = document.if_contains("signing_keys");
  if (keys == nullptr || keys->is_null()) return std::vector<SigningKey>();
  if (!keys->is_object()) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("{}: \"signing_keys\" must be an object", kDownloadDocument));
  }
  return OptionalObjects<SigningKey>(kDownloadDocument, keys->get_object(), "gpg_public_keys",
                                     ReadKey);
}

json::object KeysObject(const std::vector<SigningKey>& keys) {
  json::array array;
  for (const SigningKey& key : keys) array.push_back(KeyObject(key));
  json::object out;
  out["gpg_public_keys"] = std::move(array);
  return out;
}

json::object PackagesObject(const std::map<std::string, PackageHashes>& packages) {
  json::object out;
  for (const auto& [platform, hashes] : packages) {
    json::object element;
    element["hashes"] = StringArray(hashes.hashes);
    element["package_size"] = hashes.package_size;
    out[platform] = std::move(element);
  }
  return out;
}

Result<std::map<std::string, PackageHashes>> ReadPackages(const json::object& document) {
  std::map<std::string, PackageHashes> out;
  const json::value* packages = document.if_contains("packages");
  if (packages == nullptr || packages->is_null()) return out;
  if (!packages->is_object()) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("{}: \"packages\" must be an object", kDownloadDocument));
  }
  for (const auto& [platform, value] : packages->get_object()) {
    if (!value.is_object()) {
      return Fail(ErrorKind::kInvalid,
                  fmt::format("{}: \"packages\" must hold objects only", kDownloadDocument));
    }
    const json::object& object = value.get_object();
    PackageHashes hashes;
    ASSIGN_OR_RETURN(hashes.hashes, OptionalStrings(kDownloadDocument, object, "hashes"));
    ASSIGN_OR_RETURN(auto size, OptionalNumber(kDownloadDocument, object, "package_size"));
    hashes.package_size = size.value_or(0);
    out[std::string(platform.data(), platform.size())] = std::move(hashes);
  }
  return out;
}

json::object DetailsObject(const ProviderDetails& details) {
  json::object out;
  out["id"] = fmt::format("{}/{}/{}", details.ns, details.type, details.version);
  out["owner"] = details.owner;
  out["namespace"] = details.ns;
  out["name"] = details.type;
  out["alias"] = details.type;
  out["version"] = details.version;
  out["source"] = details.source;
  out["published_at"] = details.published_at;
  out["warning"] = TextOrNull(details.deprecation);
  out["protocols"] = StringArray(details.protocols);
  out["platforms"] = PlatformArray(details.platforms);
  if (!details.shasums_digest.empty()) out["shasums_digest"] = details.shasums_digest;
  if (!details.key_fingerprint.empty()) out["key_fingerprint"] = details.key_fingerprint;
  if (!details.versions.empty()) out["versions"] = StringArray(details.versions);
  return out;
}

Result<ProviderDetails> ReadDetails(const json::object& object) {
  ProviderDetails out;
  auto required = [&](std::string_view key) {
    return RequiredString(kDetailsDocument, object, key);
  };
  auto optional = [&](std::string_view key) {
    return OptionalString(kDetailsDocument, object, key);
  };
  ASSIGN_OR_RETURN(out.ns, required("namespace"));
  ASSIGN_OR_RETURN(out.type, required("name"));
  ASSIGN_OR_RETURN(out.version, required("version"));
  ASSIGN_OR_RETURN(out.owner, optional("owner"));
  ASSIGN_OR_RETURN(out.source, optional("source"));
  ASSIGN_OR_RETURN(out.published_at, optional("published_at"));
  ASSIGN_OR_RETURN(out.deprecation, optional("warning"));
  ASSIGN_OR_RETURN(out.protocols, OptionalStrings(kDetailsDocument, object, "protocols"));
  out.platforms = ReadPlatforms(object);
  ASSIGN_OR_RETURN(out.shasums_digest, optional("shasums_digest"));
  ASSIGN_OR_RETURN(out.key_fingerprint, optional("key_fingerprint"));
  ASSIGN_OR_RETURN(out.versions, OptionalStrings(kDetailsDocument, object, "versions"));
  return out;
}

}  // namespace

std::string EncodeProviderVersions(const ProviderVersions& document) {
  json::array versions;
  for (const ProviderVersion& version : document.versions) {
    json::object element;
    element["version"] = version.version;
    element["protocols"] = StringArray(version.protocols);
    element["platforms"] = PlatformArray(version.platforms);
    versions.push_back(std::move(element));
  }
  json::object out;
  if (!document.id.empty()) out["id"] = document.id;
  out["versions"] = std::move(versions);
  if (!document.warnings.empty()) out["warnings"] = StringArray(document.warnings);
  return json::serialize(out);
}

// Absent and null members are empty ones, as for the clients' own decoder.
Result<ProviderVersions> DecodeProviderVersions(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kVersionsDocument, body));
  ProviderVersions out;
  // Clients do not know "id", so it must not be what fails.
  if (auto id = OptionalString(kVersionsDocument, document, "id")) out.id = *std::move(id);
  ASSIGN_OR_RETURN(out.versions, OptionalObjects<ProviderVersion>(kVersionsDocument, document,
                                                                  "versions", ReadVersion));
  ASSIGN_OR_RETURN(out.warnings, OptionalStrings(kVersionsDocument, document, "warnings"));
  return out;
}

std::string EncodeSigningKeys(const std::vector<SigningKey>& keys) {
  return json::serialize(KeysObject(keys));
}

Result<std::vector<SigningKey>> DecodeSigningKeys(std::string_view text) {
  ASSIGN_OR_RETURN(json::object keys, ParseObject("the signing keys", text));
  return OptionalObjects<SigningKey>("the signing keys", keys, "gpg_public_keys", ReadKey);
}

std::string EncodeProviderDownload(const ProviderDownload& document) {
  json::object out;
  out["protocols"] = StringArray(document.protocols);
  out["os"] = document.os;
  out["arch"] = document.arch;
  out["filename"] = document.filename;
  out["download_url"] = document.download_url;
  out["shasums_url"] = document.shasums_url;
  out["shasums_signature_url"] = document.shasums_signature_url;
  out["shasum"] = document.shasum;
  out["signing_keys"] = KeysObject(document.keys);
  if (!document.packages.empty()) out["packages"] = PackagesObject(document.packages);
  return json::serialize(out);
}

Result<ProviderDownload> DecodeProviderDownload(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document,
                   ParseObject(kDownloadDocument, body, {.storage = kForeignStorage}));
  ProviderDownload out;
  auto required = [&](std::string_view key) {
    return RequiredString(kDownloadDocument, document, key);
  };
  ASSIGN_OR_RETURN(out.protocols, OptionalStrings(kDownloadDocument, document, "protocols"));
  ASSIGN_OR_RETURN(out.os, required("os"));
  ASSIGN_OR_RETURN(out.arch, required("arch"));
  ASSIGN_OR_RETURN(out.filename, required("filename"));
  ASSIGN_OR_RETURN(out.download_url, required("download_url"));
  ASSIGN_OR_RETURN(out.shasums_url, required("shasums_url"));
  // Unsigned packages of public registries may lack it; whether that will do is for the caller.
  ASSIGN_OR_RETURN(out.shasums_signature_url,
                   OptionalString(kDownloadDocument, document, "shasums_signature_url"));
  ASSIGN_OR_RETURN(out.shasum, required("shasum"));
  ASSIGN_OR_RETURN(out.keys, ReadKeys(document));
  ASSIGN_OR_RETURN(out.packages, ReadPackages(document));
  return out;
}

std::string EncodeProviderDetails(const ProviderDetails& details) {
  return json::serialize(DetailsObject(details));
}

Result<ProviderDetails> DecodeProviderDetails(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kDetailsDocument, body));
  return ReadDetails(document);
}

std::string EncodeProviderList(const ProviderList& list) {
  json::array providers;
  for (const ProviderDetails& details : list.providers) providers.push_back(DetailsObject(details));
  json::object out;
  out["meta"] = PageMeta(list);
  out["providers"] = std::move(providers);
  return json::serialize(out);
}

Result<ProviderList> DecodeProviderList(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kListDocument, body));
  ProviderList out;
  RETURN_IF_ERROR(ReadPageMeta(kListDocument, document, out));
  ASSIGN_OR_RETURN(out.providers, RequiredObjects<ProviderDetails>(kListDocument, document,
                                                                   "providers", ReadDetails));
  return out;
}

Result<std::vector<std::string>> DecodeProviderManifest(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kManifestDocument, body));
  ASSIGN_OR_RETURN(auto version, OptionalNumber(kManifestDocument, document, "version"));
  if (version != 1) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("{}: \"version\" must be 1, the only one there is", kManifestDocument));
  }
  const json::value* metadata = document.if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("{}: \"metadata\" must be an object", kManifestDocument));
  }
  ASSIGN_OR_RETURN(std::vector<std::string> protocols,
                   OptionalStrings(kManifestDocument, metadata->get_object(), "protocol_versions"));
  if (protocols.empty()) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("{}: \"metadata\" has no \"protocol_versions\": write those that the "
                            "provider speaks, as [\"6.0\"]",
                            kManifestDocument));
  }
  return protocols;
}

}  // namespace koya::wire
