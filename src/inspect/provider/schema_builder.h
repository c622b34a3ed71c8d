// Makes items of the events of a JSON parser that reads a schema. One thread; one document.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inspect/provider/schema_reader.h"
#include "inspect/provider/type_text.h"

namespace koya::inspect::provider {

class SchemaBuilder {
 public:
  SchemaBuilder(const SchemaOptions& options, SchemaReader::Take take);

  // The parser's events, texts and keys whole. False: stop, `error()` says why.
  bool OnBegin(bool object);
  bool OnEnd();
  bool OnKey(std::string_view key);
  bool OnText(std::string_view text);
  bool OnNumber(std::uint64_t number);
  bool OnBool(bool flag);
  bool OnNull();
  // Whether the text or key that is being read is of any use; else nothing of it need be kept.
  bool WantsText() const { return skipped_ == 0 && !levels_.empty(); }

  const std::optional<Error>& error() const { return error_; }
  Result<SchemaSummary> Finish();

 private:
  // What an object or a list of the document is.
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
    std::string key;             // of the member that is being read
    SchemaNode* node = nullptr;  // which it describes; null: the item
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
  std::size_t skipped_ = 0;  // levels of what nobody asks for
  std::size_t in_type_ = 0;  // levels of a type
  TypeText type_;
  SchemaKind kind_ = SchemaKind::kResource;
  SchemaItem item_;
  bool too_large_ = false;
  std::size_t spent_ = 0;  // of the item's memory
  std::set<std::pair<SchemaKind, std::string>> seen_;
  std::vector<std::string> others_;  // providers that were passed over
};

}  // namespace koya::inspect::provider
