#include "wire/mirror_stock.h"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <utility>

#include "base/hex.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view kReleases = "the mirror's list of providers";
constexpr std::string_view kModules = "the mirror's list of modules";
constexpr std::string_view kDocuments = "the release's documents";

// ---- releases

json::object PackageObject(const StockPackage& package) {
  json::object out;
  out["platform"] = package.platform;
  out["filename"] = package.filename;
  out["digest"] = package.digest;
  out["size"] = package.size;
  out["hashes"] = StringArray(package.hashes);
  out["held"] = package.held;
  out["used"] = TextOrNull(package.used);
  return out;
}

Result<StockPackage> ReadPackage(const json::object& object) {
  StockPackage out;
  ASSIGN_OR_RETURN(out.platform, RequiredString(kReleases, object, "platform"));
  ASSIGN_OR_RETURN(out.filename, RequiredString(kReleases, object, "filename"));
  ASSIGN_OR_RETURN(out.digest, RequiredString(kReleases, object, "digest"));
  ASSIGN_OR_RETURN(auto size, OptionalNumber(kReleases, object, "size"));
  ASSIGN_OR_RETURN(out.hashes, OptionalStrings(kReleases, object, "hashes"));
  ASSIGN_OR_RETURN(out.held, OptionalBool(kReleases, object, "held"));
  ASSIGN_OR_RETURN(out.used, OptionalString(kReleases, object, "used"));
  out.size = size.value_or(0);
  return out;
}

json::object ReleaseObject(const StockRelease& release) {
  json::object out;
  out["hostname"] = release.hostname;
  out["namespace"] = release.ns;
  out["type"] = release.type;
  out["version"] = release.version;
  out["protocols"] = StringArray(release.protocols);
  out["signed"] = release.has_signature;
  out["seen"] = release.seen;
  json::array packages;
  for (const StockPackage& package : release.packages) packages.push_back(PackageObject(package));
  out["packages"] = std::move(packages);
  return out;
}

Result<StockRelease> ReadRelease(const json::object& object) {
  StockRelease out;
  ASSIGN_OR_RETURN(out.hostname, RequiredString(kReleases, object, "hostname"));
  ASSIGN_OR_RETURN(out.ns, RequiredString(kReleases, object, "namespace"));
  ASSIGN_OR_RETURN(out.type, RequiredString(kReleases, object, "type"));
  ASSIGN_OR_RETURN(out.version, RequiredString(kReleases, object, "version"));
  ASSIGN_OR_RETURN(out.protocols, OptionalStrings(kReleases, object, "protocols"));
  ASSIGN_OR_RETURN(out.has_signature, OptionalBool(kReleases, object, "signed"));
  ASSIGN_OR_RETURN(out.seen, OptionalString(kReleases, object, "seen"));
  ASSIGN_OR_RETURN(out.packages,
                   RequiredObjects<StockPackage>(kReleases, object, "packages", ReadPackage));
  return out;
}

// ---- modules

json::object ModuleObject(const StockModule& module) {
  json::object out;
  out["hostname"] = module.hostname;
  out["namespace"] = module.ns;
  out["name"] = module.name;
  out["system"] = module.system;
  out["version"] = module.version;
  out["kind"] = module.kind;
  out["digest"] = module.digest;
  out["size"] = module.size;
  out["source"] = module.source;
  out["held"] = module.held;
  out["seen"] = module.seen;
  out["used"] = TextOrNull(module.used);
  return out;
}

Result<StockModule> ReadModule(const json::object& object) {
  StockModule out;
  ASSIGN_OR_RETURN(out.hostname, RequiredString(kModules, object, "hostname"));
  ASSIGN_OR_RETURN(out.ns, RequiredString(kModules, object, "namespace"));
  ASSIGN_OR_RETURN(out.name, RequiredString(kModules, object, "name"));
  ASSIGN_OR_RETURN(out.system, RequiredString(kModules, object, "system"));
  ASSIGN_OR_RETURN(out.version, RequiredString(kModules, object, "version"));
  ASSIGN_OR_RETURN(out.kind, RequiredString(kModules, object, "kind"));
  ASSIGN_OR_RETURN(out.digest, RequiredString(kModules, object, "digest"));
  ASSIGN_OR_RETURN(auto size, OptionalNumber(kModules, object, "size"));
  ASSIGN_OR_RETURN(out.source, OptionalString(kModules, object, "source"));
  ASSIGN_OR_RETURN(out.held, OptionalBool(kModules, object, "held"));
  ASSIGN_OR_RETURN(out.seen, OptionalString(kModules, object, "seen"));
  ASSIGN_OR_RETURN(out.used, OptionalString(kModules, object, "used"));
  out.size = size.value_or(0);
  return out;
}

// ---- documents

std::string Hex(std::string_view bytes) { return HexEncode(std::as_bytes(std::span(bytes))); }

Result<std::string> RequiredBytes(const json::object& object, std::string_view key) {
  ASSIGN_OR_RETURN(std::string text, OptionalString(kDocuments, object, key));
  std::optional<std::vector<std::byte>> bytes = HexDecode(text);
  if (bytes && !bytes->empty()) {
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  return Fail(
      ErrorKind::kInvalid,
      fmt::format("{}: \"{}\" must be bytes as lower-case hexadecimal digits", kDocuments, key));
}

}  // namespace

std::string EncodeStockPackage(const StockPackage& package) {
  return json::serialize(PackageObject(package));
}

std::string EncodeStockRelease(const StockRelease& release) {
  return json::serialize(ReleaseObject(release));
}

Result<StockRelease> DecodeStockRelease(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kReleases, body));
  return ReadRelease(document);
}

std::string EncodeStockReleases(const StockReleases& page) {
  json::array list;
  for (const StockRelease& release : page.releases) list.push_back(ReleaseObject(release));
  json::object out;
  out["providers"] = std::move(list);
  out["next"] = TextOrNull(page.next);
  return json::serialize(out);
}

Result<StockReleases> DecodeStockReleases(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kReleases, body));
  StockReleases out;
  ASSIGN_OR_RETURN(out.releases,
                   RequiredObjects<StockRelease>(kReleases, document, "providers", ReadRelease));
  ASSIGN_OR_RETURN(out.next, OptionalString(kReleases, document, "next"));
  return out;
}

std::string EncodeStockModule(const StockModule& module) {
  return json::serialize(ModuleObject(module));
}

Result<StockModule> DecodeStockModule(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kModules, body));
  return ReadModule(document);
}

std::string EncodeStockModules(const StockModules& page) {
  json::array list;
  for (const StockModule& module : page.modules) list.push_back(ModuleObject(module));
  json::object out;
  out["modules"] = std::move(list);
  out["next"] = TextOrNull(page.next);
  return json::serialize(out);
}

Result<StockModules> DecodeStockModules(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kModules, body));
  StockModules out;
  ASSIGN_OR_RETURN(out.modules,
                   RequiredObjects<StockModule>(kModules, document, "modules", ReadModule));
  ASSIGN_OR_RETURN(out.next, OptionalString(kModules, document, "next"));
  return out;
}

std::string EncodeStock(const StockReleases& releases, const StockModules& modules) {
  json::array providers;
  for (const StockRelease& release : releases.releases) providers.push_back(ReleaseObject(release));
  json::array list;
  for (const StockModule& module : modules.modules) list.push_back(ModuleObject(module));
  json::object out;
  out["providers"] = std::move(providers);
  out["modules"] = std::move(list);
  return json::serialize(out);
}

std::string EncodeStockDocuments(const StockDocuments& documents) {
  json::object out;
  out["protocols"] = StringArray(documents.protocols);
  out["shasums"] = Hex(documents.shasums);
  out["signature"] = Hex(documents.signature);
  out["signing_keys"] = json::parse(EncodeSigningKeys(documents.keys));
  return json::serialize(out);
}

Result<StockDocuments> DecodeStockDocuments(std::string_view body) {
  ASSIGN_OR_RETURN(json::object document, ParseObject(kDocuments, body));
  StockDocuments out;
  ASSIGN_OR_RETURN(out.protocols, OptionalStrings(kDocuments, document, "protocols"));
  ASSIGN_OR_RETURN(out.shasums, RequiredBytes(document, "shasums"));
  ASSIGN_OR_RETURN(out.signature, RequiredBytes(document, "signature"));
  const json::value* keys = document.if_contains("signing_keys");
  if (keys == nullptr || !keys->is_object()) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("{}: \"signing_keys\" must be an object", kDocuments));
  }
  ASSIGN_OR_RETURN(out.keys, DecodeSigningKeys(json::serialize(*keys)));
  return out;
}

}  // namespace koya::wire
