// What is kept of a release's docs and schema: an index into two archives. Plain records.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/digest.h"

namespace koya {

// A piece of a zip that can be unpacked by itself.
struct PackedPart {
  std::uint64_t begin = 0;   // of its bytes, behind the header
  std::uint64_t packed = 0;  // how many they are
  std::uint64_t size = 0;    // of what they unpack to
  bool deflated = false;     // else they are it
  friend bool operator==(const PackedPart&, const PackedPart&) = default;
};

// A page, by what it is called: kinds and languages as addresses have them.
struct DocName {
  std::string language;  // of cdktf: "python"; "": configurations
  std::string kind;      // "overview", "resources", …
  std::string name;
  auto operator<=>(const DocName&) const = default;
};

struct DocRecord {
  DocName name;
  std::string title;
  std::string subcategory;
  std::string description;
  bool deprecated = false;
  PackedPart part;  // of the docs' zip: the file as its author wrote it
  friend bool operator==(const DocRecord&, const DocRecord&) = default;
};

struct SchemaRecord {
  std::string kind;  // "resource", "data_source", …
  std::string name;  // "aws_instance"; "" for the provider's configuration
  bool deprecated = false;
  PackedPart part;  // of the schema's zip: an item as a line of JSON
  friend bool operator==(const SchemaRecord&, const SchemaRecord&) = default;
};

// The zip behind an index.
struct DocArchive {
  Digest digest;
  std::uint64_t size = 0;
  bool is_signed = false;  // what was uploaded stands in SHA256SUMS
  friend bool operator==(const DocArchive&, const DocArchive&) = default;
};

// What could not be read, and where. Nothing of it refuses a release.
struct ReadWarning {
  std::string file;
  std::uint64_t line = 0;  // 0: the whole file
  std::string text;
  friend bool operator==(const ReadWarning&, const ReadWarning&) = default;
};

struct ReleaseDocs {
  DocArchive archive;
  std::vector<DocRecord> pages;  // each name once
};
struct ReleaseSchema {
  DocArchive archive;
  std::vector<SchemaRecord> items;  // each kind and name once
};

// What a release has, in short.
struct DocsSummary {
  std::optional<DocArchive> docs;
  std::optional<DocArchive> schema;
  std::map<std::string, std::uint64_t> pages;  // by kind, those of configurations
  std::vector<std::string> languages;          // of cdktf, in order
  std::map<std::string, std::uint64_t> items;  // of the schema, by kind
  std::vector<ReadWarning> warnings;
};

}  // namespace koya
