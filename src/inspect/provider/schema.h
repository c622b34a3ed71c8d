// What a provider's resources, data sources, functions and the rest of it take and give, in the
// form in which Koya keeps it: everything that `providers schema -json` says, but the providers'
// own words for types and nothing twice. Pure: any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::inspect::provider {

enum class SchemaKind {
  kConfiguration,  // of the provider itself; its name is empty
  kResource,
  kDataSource,
  kEphemeralResource,
  kListResource,
  kAction,
  kFunction,
  kIdentity,  // by which a resource is imported
};
inline constexpr unsigned kSchemaKinds = 8;

// "resource", "data_source", …: stable, for JSON and addresses.
std::string_view SchemaKindName(SchemaKind kind);
// How people are told: "data source".
std::string_view SchemaKindWords(SchemaKind kind);

// Where there may be several of the same, and how they are kept.
enum class Nesting { kNone, kSingle, kList, kSet, kMap, kGroup };
std::string_view NestingName(Nesting nesting);  // "list"; "" for kNone

// An attribute, a block in a block, or a parameter of a function.
struct SchemaNode {
  std::string name;
  std::string type;  // as configurations write it: "list(string)"; empty when it has nodes
  Nesting nesting = Nesting::kNone;
  bool block = false;  // "name { … }"; else "name = …"
  bool required = false;
  bool optional = false;
  bool computed = false;
  bool sensitive = false;
  bool write_only = false;  // given, never kept
  bool deprecated = false;
  bool nullable = false;          // of a parameter
  bool variadic = false;          // of a parameter: it takes what is left
  std::uint64_t least = 0;        // of blocks
  std::uint64_t most = 0;         // of blocks; 0: any number
  std::string description;        // at most 2 KiB
  std::string deprecation;        // what to use instead; at most 2 KiB
  std::vector<SchemaNode> nodes;  // by name; parameters in their order

  friend bool operator==(const SchemaNode&, const SchemaNode&) = default;
};

struct SchemaItem {
  SchemaKind kind = SchemaKind::kResource;
  std::string name;
  std::uint64_t version = 0;  // of what a state holds
  bool deprecated = false;
  std::string description;
  std::string deprecation;
  std::string returns;  // the type, of a function
  std::vector<SchemaNode> nodes;

  friend bool operator==(const SchemaItem&, const SchemaItem&) = default;
};

// One line of JSON, without a newline. What has its default is left out.
std::string EncodeSchemaItem(const SchemaItem& item);
// Fails: kInvalid.
Result<SchemaItem> DecodeSchemaItem(std::string_view line);

}  // namespace koya::inspect::provider
