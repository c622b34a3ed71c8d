// The schema of a provider's resources, data sources, functions and the rest, in Koya's stored
// form: everything that `providers schema -json` prints, but with types as configurations write
// them, and nothing twice. Pure: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
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

inline constexpr std::size_t kLongestType = 64 << 10;

// Converts a type from JSON (["list", "string"], ["object", {"a": "string"}, ["a"]]) to the syntax
// of configurations (list(string), object({a = optional(string)})), while it is read. One thread.
class TypeText {
 public:
  void OnText(std::string_view text);
  void OnKey(std::string_view key);
  void OnBegin(bool object);
  void OnEnd();
  void OnOther() { bad_ = true; }  // a number, true, null: not part of a type

  // True once a complete type was read.
  bool done() const { return done_; }
  // The type; "any" if it is invalid, longer than kLongestType, or nested deeper than 64.
  std::string TakeText();

 private:
  struct Level {
    bool object = false;                                     // {…} in a type; else […]
    std::string word;                                        // "list"
    std::vector<std::pair<std::string, std::string>> parts;  // of objects: with names
    std::vector<std::string> optional;
    std::string key;
  };
  void Put(std::string type);
  std::string Text(Level& level);

  std::vector<Level> levels_;
  std::string type_;
  std::size_t bytes_ = 0;
  bool done_ = false;
  bool bad_ = false;
};

}  // namespace koya::inspect::provider
