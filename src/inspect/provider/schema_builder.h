// Builds items from the events of a JSON parser that reads a schema. One thread; one document.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inspect/provider/schema.h"
#include "inspect/provider/schema_reader.h"

namespace koya::inspect::provider {

class SchemaBuilder {
 public:
  SchemaBuilder(const SchemaOptions& options, SchemaReader::Take take);

  // The parser's events, with complete texts and keys. False: stop, `error()` has the reason.
  bool OnBegin(bool object);
  bool OnEnd();
  bool OnKey(std::string_view key);
  bool OnText(std::string_view text);
  bool OnNumber(std::uint64_t number);
  bool OnBool(bool flag);
  bool OnNull();
  // True if the text or key being read is needed; otherwise the parser need not keep it.
  bool WantsText() const { return skipped_ == 0 && !levels_.empty(); }

  const std::optional<Error>& error() const { return error_; }
  Result<SchemaSummary> Finish();

 private:
  // The role of an object or a list in the document.
  enum class Role {
    kDocument,
    kProviders,   // provider_schemas: {address: {…}}
    kProvider,    // {"resource_schemas": {…}, …}
    kSection,     // {name: item}
    kItem,        // {"version": 1, "block": {…}}, a function, an identity
    kBlock,       // {"attributes": {…}, "block_types": {…}}; also of a nested type
    kAttributes,  // {name: attribute}
    kAttribute,
    kBlockTypes,  // {name: block type}
    kBlockType,
    kParameters,  // [parameter, …]
    kParameter,
    kType,
  };
  struct Level {
    Role role;
    std::string key;             // of the current member
    SchemaNode* node = nullptr;  // the described node; null: the item
  };

  std::optional<Role> RoleOf(bool object);
  std::optional<Role> RoleInProvider();
  std::optional<Role> RoleInItem(bool object) const;
  std::optional<Role> RoleInNode(bool object) const;
  bool Begin(Role role);
  bool BeginItem();
  SchemaNode* AddNode(std::string name);
  bool EndItem();
  void TakeText(std::string_view text);
  void TakeFlag(bool flag);
  void Spend(std::size_t bytes);
  bool Skip();
  bool Stop(Failure failure);
  void Warn(std::string sentence);
  bool IsWanted(std::string_view address) const;

  const SchemaOptions& options_;
  SchemaReader::Take take_;
  SchemaSummary summary_;
  std::optional<Error> error_;
  std::vector<Level> levels_;
  std::size_t skipped_ = 0;  // levels below a value that is not needed
  std::size_t in_type_ = 0;  // levels of a type
  TypeText type_;
  SchemaKind kind_ = SchemaKind::kResource;
  SchemaItem item_;
  bool too_large_ = false;
  std::size_t spent_ = 0;  // memory of the item
  std::set<std::pair<SchemaKind, std::string>> seen_;
  std::vector<std::string> others_;  // providers that were skipped
};

}  // namespace koya::inspect::provider
