// The schema of a provider's resources, data sources, functions and the rest, in Koya's stored
// form: everything that `providers schema -json` prints, but with types as configurations write
// them, and nothing twice. Pure: any thread.
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
  kStateStore,
};
inline constexpr unsigned kSchemaKinds = 9;

// "resource", "data_source", …: stable, for JSON and addresses.
std::string_view SchemaKindName(SchemaKind kind);
// For display: "data source".
std::string_view SchemaKindWords(SchemaKind kind);

// How a node with nested nodes repeats, and in which collection.
enum class Nesting { kNone, kSingle, kList, kSet, kMap, kGroup };
std::string_view NestingName(Nesting nesting);  // "list"; "" for kNone

// An attribute, a nested block, or a parameter of a function.
struct SchemaNode {
  std::string name;
  std::string type;  // as in configurations: "list(string)"; empty if it has nodes
  Nesting nesting = Nesting::kNone;
  bool block = false;  // "name { … }"; else "name = …"
  bool required = false;
  bool optional = false;
  bool computed = false;
  bool sensitive = false;
  bool write_only = false;  // given, never stored
  bool deprecated = false;
  bool nullable = false;          // of a parameter
  bool variadic = false;          // of a parameter: it takes all remaining arguments
  std::uint64_t least = 0;        // of blocks
  std::uint64_t most = 0;         // of blocks; 0: no limit
  std::string description;        // at most 2 KiB
  std::string deprecation;        // what to use instead; at most 2 KiB
  std::vector<SchemaNode> nodes;  // sorted by name; parameters in their order

  friend bool operator==(const SchemaNode&, const SchemaNode&) = default;
};

struct SchemaItem {
  SchemaKind kind = SchemaKind::kResource;
  std::string name;
  std::uint64_t version = 0;  // of the state's format
  bool deprecated = false;
  std::string description;
  std::string deprecation;
  std::string returns;  // type, of a function
  std::vector<SchemaNode> nodes;

  friend bool operator==(const SchemaItem&, const SchemaItem&) = default;
};

// One line of JSON, without a newline. Members with their default are left out.
std::string EncodeSchemaItem(const SchemaItem& item);
// Fails: kInvalid.
Result<SchemaItem> DecodeSchemaItem(std::string_view line);

}  // namespace koya::inspect::provider
