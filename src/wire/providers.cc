#include "wire/providers.h"

#include <fmt/format.h>

#include <functional>
#include <set>
#include <utility>

#include "base/text.h"
#include "domain/attachment.h"
#include "wire/json_writer.h"
#include "wire/provider_parts.h"
#include "wire/schema.h"
#include "wire/shared_documents.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kDownloadDocument = "the provider's download document";
constexpr std::string_view kProviderList = "the list of providers";
constexpr std::string_view kManifestDocument = "the manifest";

json::value ProviderId(const ProviderDetails& details) {
  return json::value(fmt::format("{}/{}/{}", details.ns, details.type, details.version));
}
json::value Alias(const ProviderDetails& details) { return json::value(details.type); }

}  // namespace

// Absent and null members are empty ones, as for the clients' own decoder. Clients do not know
// "id", so it must not be what fails.
template <>
constexpr auto kDocument<ProviderVersions> =
    Document("the list of provider versions", Lenient("id", &ProviderVersions::id, Empty::kLeftOut),
             Optional("versions", &ProviderVersions::versions),
             OrAbsent("warnings", &ProviderVersions::warnings));

template <>
constexpr auto kDocument<PackageHashes> =
    Document(kDownloadDocument, Optional("hashes", &PackageHashes::hashes),
             Optional("package_size", &PackageHashes::package_size));

// Without keys and packages, which are not written as they are kept. Unsigned packages of public
// registries may lack a signature's URL; whether that will do is for the caller.
template <>
constexpr auto kDocument<ProviderDownload> =
    Document(kDownloadDocument, Optional("protocols", &ProviderDownload::protocols),
             Required("os", &ProviderDownload::os), Required("arch", &ProviderDownload::arch),
             Required("filename", &ProviderDownload::filename),
             Required("download_url", &ProviderDownload::download_url),
             Required("shasums_url", &ProviderDownload::shasums_url),
             Optional("shasums_signature_url", &ProviderDownload::shasums_signature_url),
             Required("shasum", &ProviderDownload::shasum));

template <>
constexpr auto kDocument<ProviderDetails> = Document(
    "the provider's details", Written<ProviderDetails>{"id", ProviderId},
    Optional("owner", &ProviderDetails::owner), Required("namespace", &ProviderDetails::ns),
    Required("name", &ProviderDetails::type), Written<ProviderDetails>{"alias", Alias},
    Required("version", &ProviderDetails::version), OrNull("source", &ProviderDetails::source),
    OrAbsent("source_url", &ProviderDetails::source_url),
    Optional("published_at", &ProviderDetails::published_at),
    OrNull("warning", &ProviderDetails::deprecation),
    Optional("deprecated", &ProviderDetails::deprecated),
    Optional("protocols", &ProviderDetails::protocols),
    Lenient("platforms", &ProviderDetails::platforms),
    OrAbsent("shasums_digest", &ProviderDetails::shasums_digest),
    OrAbsent("key_fingerprint", &ProviderDetails::key_fingerprint),
    OrAbsent("provenance", &ProviderDetails::provenance),
    OrAbsent("attachments", &ProviderDetails::attachments),
    OrAbsent("visibility", &ProviderDetails::visibility),
    OrAbsent("versions", &ProviderDetails::versions));

namespace {

Result<std::vector<SigningKey>> ReadKeys(const json::object& document) {
  const json::value* keys = document.if_contains("signing_keys");
  if (keys == nullptr || keys->is_null()) return std::vector<SigningKey>();
  if (!keys->is_object()) return MustBe(kDownloadDocument, "signing_keys", "an object");
  ASSIGN_OR_RETURN(SigningKeys read, ReadObject<SigningKeys>(keys->get_object()));
  return std::move(read.keys);
}

json::object PackagesObject(const std::map<std::string, PackageHashes>& packages) {
  json::object out;
  for (const auto& [platform, hashes] : packages) out[platform] = WriteObject(hashes);
  return out;
}

Result<std::map<std::string, PackageHashes>> ReadPackages(const json::object& document) {
  std::map<std::string, PackageHashes> out;
  const json::value* packages = document.if_contains("packages");
  if (packages == nullptr || packages->is_null()) return out;
  if (!packages->is_object()) return MustBe(kDownloadDocument, "packages", "an object");
  for (const auto& [platform, value] : packages->get_object()) {
    if (!value.is_object()) {
      return FailInvalid("{}: \"packages\" must contain only objects", kDownloadDocument);
    }
    ASSIGN_OR_RETURN(out[std::string(platform.data(), platform.size())],
                     ReadObject<PackageHashes>(value.get_object()));
  }
  return out;
}

std::string_view TextIn(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                : std::string_view();
}

// Without a "name", the last part of the URL is the name.
Result<ForeignAttachment> ReadAttachment(const json::value& element) {
  if (!element.is_object()) return FailRefused("an element is not an object");
  const json::object& object = element.get_object();
  ForeignAttachment out{.name = std::string(TextIn(object, "name")),
                        .url = std::string(TextIn(object, "url")),
                        .sha256 = std::nullopt};
  if (out.url.empty()) out.url = TextIn(object, "download_url");
  if (out.url.empty()) return FailRefused("an element has no text \"url\"");
  if (out.name.empty()) {
    const std::string path = out.url.substr(0, out.url.find_first_of("?#"));
    out.name = path.substr(path.rfind('/') + 1);
  }
  RETURN_IF_ERROR(ParseAttachmentName(out.name));
  const std::string_view sha256 = TextIn(object, "sha256");
  if (sha256.empty()) return out;
  ASSIGN_OR_RETURN(out.sha256, Digest::Parse(AsciiLower(sha256)));
  return out;
}

// Says why attachments are left out: the first reasons stand for all.
void Drop(std::string& dropped, std::string_view why) {
  constexpr std::size_t kMostWords = 1000;
  if (dropped.size() > kMostWords) return;
  dropped += dropped.empty() ? std::string(why) : fmt::format("; {}", why);
}

std::vector<ForeignAttachment> ReadAttachments(const json::object& document, std::string& dropped) {
  std::vector<ForeignAttachment> read;
  const json::value* list = document.if_contains("attachments");
  if (list == nullptr || list->is_null()) return read;
  if (!list->is_array()) {
    dropped = "it is not a list";
    return read;
  }
  std::set<std::string, std::less<>> names;
  for (const json::value& element : list->get_array()) {
    Result<ForeignAttachment> attachment = ReadAttachment(element);
    if (!attachment) {
      Drop(dropped, attachment.error().message);
    } else if (!names.insert(attachment->name).second) {
      Drop(dropped, fmt::format("{} is named twice", attachment->name));
    } else {
      read.push_back(*std::move(attachment));
    }
  }
  return read;
}

}  // namespace

KOYA_DOCUMENT(ProviderVersions);
KOYA_DOCUMENT(Attachment);

std::string EncodeSigningKeys(const std::vector<SigningKey>& keys) {
  return Encode(SigningKeys{keys});
}
Result<std::vector<SigningKey>> DecodeSigningKeys(std::string_view text) {
  ASSIGN_OR_RETURN(SigningKeys read, Decode<SigningKeys>(text));
  return std::move(read.keys);
}

std::string EncodeProviderDownload(const ProviderDownload& document) {
  json::object out = WriteObject(document);
  out["signing_keys"] = WriteObject(SigningKeys{document.keys});
  if (!document.packages.empty()) out["packages"] = PackagesObject(document.packages);
  if (!document.attachments.empty()) out["attachments"] = WriteValue(document.attachments);
  return json::serialize(out);
}

Result<ForeignDownload> DecodeForeignDownload(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document,
                   ParseObject(kDownloadDocument, body, {.storage = kForeignStorage}));
  ForeignDownload out;
  ASSIGN_OR_RETURN(out.document, ReadObject<ProviderDownload>(document));
  ASSIGN_OR_RETURN(out.document.keys, ReadKeys(document));
  ASSIGN_OR_RETURN(out.document.packages, ReadPackages(document));
  out.attachments = ReadAttachments(document, out.attachments_dropped);
  return out;
}

Result<ProviderDownload> DecodeProviderDownload(std::string_view body) {
  ASSIGN_OR_RETURN(ForeignDownload read, DecodeForeignDownload(body));
  return std::move(read.document);
}

KOYA_DOCUMENT(ProviderDetails);

std::string EncodeProviderList(const ProviderList& list) {
  return EncodePage(list, "providers", list.providers);
}
Result<ProviderList> DecodeProviderList(std::string_view body) {
  return DecodePage(kProviderList, "providers", &ProviderList::providers, body);
}

Result<std::vector<std::string>> DecodeProviderManifest(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kManifestDocument, body));
  ASSIGN_OR_RETURN(auto version, OptionalNumber(kManifestDocument, document, "version"));
  if (version != 1) {
    return FailInvalid("{}: \"version\" must be 1, the only supported one", kManifestDocument);
  }
  const json::value* metadata = document.if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) {
    return FailInvalid("{}: \"metadata\" must be an object", kManifestDocument);
  }
  ASSIGN_OR_RETURN(std::vector<std::string> protocols,
                   OptionalStrings(kManifestDocument, metadata->get_object(), "protocol_versions"));
  if (protocols.empty()) {
    return FailInvalid(
        "{}: \"metadata\" has no \"protocol_versions\": list those that the "
        "provider speaks, such as [\"6.0\"]",
        kManifestDocument);
  }
  return protocols;
}

void AddProviderSchemas(SchemaList& list) {
  AddSchema<ProviderVersions>(list);
  AddSchema<ProviderDetails>(list);
  AddSchema<Attachment>(list);
  AddShape(list, "ProviderList", "{meta: PageMeta, providers: [ProviderDetails]}");
  json::object download = SchemaFor(SchemaTag<ProviderDownload>());
  json::object& members = download["properties"].as_object();
  members["signing_keys"] = SchemaFor(SchemaTag<SigningKeys>());
  members["packages"] = {{"type", "object"},
                         {"additionalProperties", SchemaFor(SchemaTag<PackageHashes>())}};
  members["attachments"] = {{"type", "array"}, {"items", SchemaFor(SchemaTag<Attachment>())}};
  list.emplace_back("ProviderDownload", std::move(download));
}

}  // namespace koya::wire
