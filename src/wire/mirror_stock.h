// Documents about what is kept of other registries: lists of it, and the authors' documents of a
// release. Read by the commands "koya mirror …".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/providers.h"

namespace koya::wire {

struct StockPackage {
  std::string platform;  // "linux_amd64"
  std::string filename;
  std::string digest;               // "sha256:…"
  std::uint64_t size = 0;           // 0: not known
  std::vector<std::string> hashes;  // "h1:…"
  bool held = false;
  std::string used;  // RFC 3339; "" when it is not held
  friend bool operator==(const StockPackage&, const StockPackage&) = default;
};

struct StockRelease {
  std::string hostname;  // ASCII form
  std::string ns;
  std::string type;
  std::string version;
  std::vector<std::string> protocols;
  bool has_signature = false;  // the author's documents are kept
  std::string seen;            // RFC 3339
  std::vector<StockPackage> packages;
  // "registry.opentofu.org/acme/demo"
  std::string Key() const { return hostname + "/" + ns + "/" + type; }
  friend bool operator==(const StockRelease&, const StockRelease&) = default;
};

struct StockModule {
  std::string hostname;
  std::string ns;
  std::string name;
  std::string system;
  std::string version;
  std::string kind;    // "tar.gz" or "zip"
  std::string digest;  // "sha256:…"
  std::uint64_t size = 0;
  std::string source;
  bool held = false;
  std::string seen;
  std::string used;
  std::string Key() const { return hostname + "/" + ns + "/" + name + "/" + system; }
  friend bool operator==(const StockModule&, const StockModule&) = default;
};

// A page. `next`: what to ask for the next one with, "" at the end.
struct StockReleases {
  std::vector<StockRelease> releases;
  std::string next;
};
struct StockModules {
  std::vector<StockModule> modules;
  std::string next;
};

// Decoding fails with kInvalid, as everywhere in this folder.
std::string EncodeStockPackage(const StockPackage& package);
std::string EncodeStockRelease(const StockRelease& release);
Result<StockRelease> DecodeStockRelease(std::string_view body);
std::string EncodeStockReleases(const StockReleases& page);
Result<StockReleases> DecodeStockReleases(std::string_view body);
std::string EncodeStockModule(const StockModule& module);
Result<StockModule> DecodeStockModule(std::string_view body);
std::string EncodeStockModules(const StockModules& page);
Result<StockModules> DecodeStockModules(std::string_view body);

// Both lists as one document, whole.
std::string EncodeStock(const StockReleases& releases, const StockModules& modules);

// A release's documents. Bytes stand as hexadecimal digits, so that none is lost.
struct StockDocuments {
  std::vector<std::string> protocols;
  std::string shasums;
  std::string signature;
  std::vector<SigningKey> keys;
  friend bool operator==(const StockDocuments&, const StockDocuments&) = default;
};
std::string EncodeStockDocuments(const StockDocuments& documents);
Result<StockDocuments> DecodeStockDocuments(std::string_view body);

}  // namespace koya::wire
