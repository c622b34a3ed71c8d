#include "wire/inventory.h"

#include <optional>
#include <span>

#include "base/encoding.h"
#include "wire/provider_parts.h"
#include "wire/schema.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kInventoryReleases = "the mirror's list of providers";
constexpr std::string_view kInventoryModules = "the mirror's list of modules";
constexpr std::string_view kKeyHistory = "the history of keys";
constexpr std::string_view kReleaseDocuments = "the release's documents";

}  // namespace

template <>
constexpr auto kDocument<VersionVerdict> =
    Document("the verdict", Required("verdict", &VersionVerdict::verdict),
             OrNull("until", &VersionVerdict::until), Optional("rules", &VersionVerdict::rules),
             Optional("admitted", &VersionVerdict::is_admitted));

template <>
constexpr auto kDocument<InventoryPackage> = Document(
    kInventoryReleases, Required("platform", &InventoryPackage::platform),
    Required("filename", &InventoryPackage::filename),
    Required("digest", &InventoryPackage::digest), Optional("size", &InventoryPackage::size),
    Optional("hashes", &InventoryPackage::hashes), Optional("held", &InventoryPackage::held),
    OrNull("used", &InventoryPackage::used));

template <>
constexpr auto kDocument<InventoryRelease> = Document(
    kInventoryReleases, Required("hostname", &InventoryRelease::hostname),
    Required("namespace", &InventoryRelease::ns), Required("type", &InventoryRelease::type),
    Required("version", &InventoryRelease::version),
    Optional("protocols", &InventoryRelease::protocols),
    Optional("signed", &InventoryRelease::has_signature), Optional("seen", &InventoryRelease::seen),
    Required("packages", &InventoryRelease::packages),
    OrAbsent("verdict", &InventoryRelease::verdict));

template <>
constexpr auto kDocument<InventoryReleases> =
    Document(kInventoryReleases, Required("providers", &InventoryReleases::releases),
             OrNull("next", &InventoryReleases::next));

template <>
constexpr auto kDocument<SignedRelease> =
    Document(kKeyHistory, Required("type", &SignedRelease::type),
             Required("version", &SignedRelease::version), Optional("seen", &SignedRelease::seen));

template <>
constexpr auto kDocument<NamespaceSigner> = Document(
    kKeyHistory, OrNull("fingerprint", &NamespaceSigner::fingerprint),
    Required("signed", &NamespaceSigner::has_signature),
    Optional("known", &NamespaceSigner::is_known), Optional("releases", &NamespaceSigner::releases),
    Optional("first_seen", &NamespaceSigner::first_seen),
    Optional("last_seen", &NamespaceSigner::last_seen),
    Optional("newest", &NamespaceSigner::newest));

template <>
constexpr auto kDocument<NamespaceSigners> = Document(
    kKeyHistory, Required("hostname", &NamespaceSigners::hostname),
    Required("namespace", &NamespaceSigners::ns), Required("keys", &NamespaceSigners::keys));

template <>
constexpr auto kDocument<InventoryModule> = Document(
    kInventoryModules, Required("hostname", &InventoryModule::hostname),
    Required("namespace", &InventoryModule::ns), Required("name", &InventoryModule::name),
    Required("system", &InventoryModule::system), Required("version", &InventoryModule::version),
    Required("kind", &InventoryModule::kind), Required("digest", &InventoryModule::digest),
    Optional("size", &InventoryModule::size), Optional("source", &InventoryModule::source),
    Optional("held", &InventoryModule::held), Optional("seen", &InventoryModule::seen),
    OrNull("used", &InventoryModule::used), OrAbsent("verdict", &InventoryModule::verdict));

template <>
constexpr auto kDocument<InventoryModules> =
    Document(kInventoryModules, Required("modules", &InventoryModules::modules),
             OrNull("next", &InventoryModules::next));

namespace {

std::string Hex(std::string_view bytes) { return HexEncode(std::as_bytes(std::span(bytes))); }

Result<std::string> RequiredBytes(const json::object& object, std::string_view key) {
  ASSIGN_OR_RETURN(std::string text, OptionalString(kReleaseDocuments, object, key));
  std::optional<std::vector<std::byte>> bytes = HexDecode(text);
  if (bytes && !bytes->empty()) {
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  return MustBe(kReleaseDocuments, key, "bytes as lower-case hexadecimal digits");
}

}  // namespace

template std::string Encode(const InventoryPackage&);
KOYA_DOCUMENT(InventoryRelease);
KOYA_DOCUMENT(InventoryReleases);
KOYA_DOCUMENT(InventoryModule);
KOYA_DOCUMENT(InventoryModules);
KOYA_DOCUMENT(NamespaceSigners);

std::string EncodeInventory(const InventoryReleases& releases, const InventoryModules& modules) {
  json::object out;
  out["providers"] = WriteValue(releases.releases);
  out["modules"] = WriteValue(modules.modules);
  return json::serialize(out);
}

template <>
std::string Encode(const ReleaseDocuments& documents) {
  json::object out;
  out["protocols"] = WriteValue(documents.protocols);
  out["shasums"] = Hex(documents.shasums);
  out["signature"] = Hex(documents.signature);
  out["signing_keys"] = WriteObject(SigningKeys{documents.keys});
  return json::serialize(out);
}

template <>
Result<ReleaseDocuments> Decode(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kReleaseDocuments, body));
  ReleaseDocuments out;
  ASSIGN_OR_RETURN(out.protocols, OptionalStrings(kReleaseDocuments, document, "protocols"));
  ASSIGN_OR_RETURN(out.shasums, RequiredBytes(document, "shasums"));
  ASSIGN_OR_RETURN(out.signature, RequiredBytes(document, "signature"));
  const json::value* keys = document.if_contains("signing_keys");
  if (keys == nullptr || !keys->is_object()) {
    return MustBe(kReleaseDocuments, "signing_keys", "an object");
  }
  ASSIGN_OR_RETURN(SigningKeys read, ReadObject<SigningKeys>(keys->get_object()));
  out.keys = std::move(read.keys);
  return out;
}

void AddInventorySchemas(SchemaList& list) {
  AddSchema<InventoryPackage>(list);
  AddSchema<InventoryRelease>(list);
  AddSchema<InventoryReleases>(list);
  AddSchema<InventoryModule>(list);
  AddSchema<InventoryModules>(list);
  AddSchema<SigningKeys>(list);
  AddSchema<NamespaceSigners>(list);
  AddShape(list, "ReleaseDocuments",
           "{protocols: [text], shasums: text, signature: text, signing_keys: SigningKeys}");
}

}  // namespace koya::wire
