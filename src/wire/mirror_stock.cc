#include "wire/mirror_stock.h"

#include <optional>
#include <span>

#include "base/hex.h"
#include "wire/provider_parts.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kStockReleases = "the mirror's list of providers";
constexpr std::string_view kStockModules = "the mirror's list of modules";
constexpr std::string_view kStockDocuments = "the release's documents";

}  // namespace

template <>
constexpr auto kDocument<StockPackage> = Document(
    kStockReleases, Required("platform", &StockPackage::platform),
    Required("filename", &StockPackage::filename), Required("digest", &StockPackage::digest),
    Optional("size", &StockPackage::size), Optional("hashes", &StockPackage::hashes),
    Optional("held", &StockPackage::held), OrNull("used", &StockPackage::used));

template <>
constexpr auto kDocument<StockRelease> = Document(
    kStockReleases, Required("hostname", &StockRelease::hostname),
    Required("namespace", &StockRelease::ns), Required("type", &StockRelease::type),
    Required("version", &StockRelease::version), Optional("protocols", &StockRelease::protocols),
    Optional("signed", &StockRelease::has_signature), Optional("seen", &StockRelease::seen),
    Required("packages", &StockRelease::packages));

template <>
constexpr auto kDocument<StockReleases> =
    Document(kStockReleases, Required("providers", &StockReleases::releases),
             OrNull("next", &StockReleases::next));

template <>
constexpr auto kDocument<StockModule> =
    Document(kStockModules, Required("hostname", &StockModule::hostname),
             Required("namespace", &StockModule::ns), Required("name", &StockModule::name),
             Required("system", &StockModule::system), Required("version", &StockModule::version),
             Required("kind", &StockModule::kind), Required("digest", &StockModule::digest),
             Optional("size", &StockModule::size), Optional("source", &StockModule::source),
             Optional("held", &StockModule::held), Optional("seen", &StockModule::seen),
             OrNull("used", &StockModule::used));

template <>
constexpr auto kDocument<StockModules> =
    Document(kStockModules, Required("modules", &StockModules::modules),
             OrNull("next", &StockModules::next));

namespace {

std::string Hex(std::string_view bytes) { return HexEncode(std::as_bytes(std::span(bytes))); }

Result<std::string> RequiredBytes(const json::object& object, std::string_view key) {
  ASSIGN_OR_RETURN(std::string text, OptionalString(kStockDocuments, object, key));
  std::optional<std::vector<std::byte>> bytes = HexDecode(text);
  if (bytes && !bytes->empty()) {
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  return MustBe(kStockDocuments, key, "bytes as lower-case hexadecimal digits");
}

}  // namespace

std::string EncodeStockPackage(const StockPackage& package) { return Encode(package); }
std::string EncodeStockRelease(const StockRelease& release) { return Encode(release); }
Result<StockRelease> DecodeStockRelease(std::string_view body) {
  return Decode<StockRelease>(body);
}
std::string EncodeStockReleases(const StockReleases& page) { return Encode(page); }
Result<StockReleases> DecodeStockReleases(std::string_view body) {
  return Decode<StockReleases>(body);
}
std::string EncodeStockModule(const StockModule& module) { return Encode(module); }
Result<StockModule> DecodeStockModule(std::string_view body) { return Decode<StockModule>(body); }
std::string EncodeStockModules(const StockModules& page) { return Encode(page); }
Result<StockModules> DecodeStockModules(std::string_view body) {
  return Decode<StockModules>(body);
}

std::string EncodeStock(const StockReleases& releases, const StockModules& modules) {
  json::object out;
  out["providers"] = WriteValue(releases.releases);
  out["modules"] = WriteValue(modules.modules);
  return json::serialize(out);
}

std::string EncodeStockDocuments(const StockDocuments& documents) {
  json::object out;
  out["protocols"] = WriteValue(documents.protocols);
  out["shasums"] = Hex(documents.shasums);
  out["signature"] = Hex(documents.signature);
  out["signing_keys"] = WriteObject(SigningKeys{documents.keys});
  return json::serialize(out);
}

Result<StockDocuments> DecodeStockDocuments(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kStockDocuments, body));
  StockDocuments out;
  ASSIGN_OR_RETURN(out.protocols, OptionalStrings(kStockDocuments, document, "protocols"));
  ASSIGN_OR_RETURN(out.shasums, RequiredBytes(document, "shasums"));
  ASSIGN_OR_RETURN(out.signature, RequiredBytes(document, "signature"));
  const json::value* keys = document.if_contains("signing_keys");
  if (keys == nullptr || !keys->is_object()) {
    return MustBe(kStockDocuments, "signing_keys", "an object");
  }
  ASSIGN_OR_RETURN(SigningKeys read, ReadObject<SigningKeys>(keys->get_object()));
  out.keys = std::move(read.keys);
  return out;
}

}  // namespace koya::wire
