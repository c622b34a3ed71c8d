// Stored records of a release's docs and schema: an index into two archives. Plain records.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/digest.h"

namespace koya {

// A piece of a zip that can be unpacked on its own.
struct PackedPart {
  std::uint64_t begin = 0;   // offset of its bytes, after the header
  std::uint64_t packed = 0;  // number of bytes in the zip
  std::uint64_t size = 0;    // number of bytes when unpacked
  bool deflated = false;     // false: the bytes are stored uncompressed
  friend bool operator==(const PackedPart&, const PackedPart&) = default;
};

// The name of a page; kinds and languages as in addresses.
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
  PackedPart part;  // in the docs' zip: the author's original file
  friend bool operator==(const DocRecord&, const DocRecord&) = default;
};

struct SchemaRecord {
  std::string kind;  // "resource", "data_source", …
  std::string name;  // "aws_instance"; "" for the provider's configuration
  bool deprecated = false;
  PackedPart part;  // in the schema's zip: an item as a line of JSON
  friend bool operator==(const SchemaRecord&, const SchemaRecord&) = default;
};

// The zip behind an index.
struct DocArchive {
  Digest digest;
  std::uint64_t size = 0;
  bool is_signed = false;  // SHA256SUMS lists the uploaded file
  friend bool operator==(const DocArchive&, const DocArchive&) = default;
};

// A part that could not be read, and where. A warning never causes a release to be rejected.
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

// A summary of a release's docs and schema.
struct DocsSummary {
  std::optional<DocArchive> docs;
  std::optional<DocArchive> schema;
  std::map<std::string, std::uint64_t> pages;  // by kind, those of configurations
  std::vector<std::string> languages;          // of cdktf, in order
  std::map<std::string, std::uint64_t> items;  // of the schema, by kind
  std::vector<ReadWarning> warnings;
};

}  // namespace koya
