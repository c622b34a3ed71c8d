// Converts the blocks of one folder to a ModulePart. One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "domain/host_name.h"
#include "hcl/hcl.h"
#include "inspect/configuration.h"
#include "inspect/contents.h"

namespace koya::inspect {

// Values of attributes in the form that contents keep.

// The maximum length of expressions and defaults; longer ones are cut and end with "…".
inline constexpr std::size_t kMaxExpression = 64 << 10;

// The value of a literal string; anything else as written, without blanks at the ends of lines.
std::string TextOf(const hcl::Value& value);
std::string TextOf(const hcl::Body& body, std::string_view name);  // "" if there is none

// The source text: a string with its quotes.
std::string SourceOf(const hcl::Value& value);

// An expression, which the JSON syntax has in a string: "${var.x}" becomes var.x; a string without
// templates becomes its text.
std::string ExpressionOf(const hcl::Value& value);
std::string ExpressionOf(const hcl::Body& body, std::string_view name);

// A boolean literal; `otherwise` for anything else.
bool FlagOf(const hcl::Body& body, std::string_view name, bool otherwise);

// The names that the value refers to.
std::vector<std::string> ReferencesOf(const hcl::Value& value);

// The blocks of type `type`, as conditions.
std::vector<Condition> ConditionsOf(const hcl::Body& body, std::string_view type);

Repetition RepetitionOf(const hcl::Body& body);

// The expressions of a list: its items, or the whole value if it is no list.
std::vector<std::string> ItemsOf(const hcl::Body& body, std::string_view name);

class PartReader {
 public:
  // `path`: the folder. `default_host`: for addresses without a host. References must outlive this.
  PartReader(std::string path, const HostName& default_host, WarningList& warnings)
      : default_host_(default_host), warnings_(warnings) {
    part_.path = std::move(path);
  }

  // Everything except the README. Call once.
  ModulePart Read(const Configuration& configuration);
  // Providers with settings in the module, which keep callers from using count, for_each and
  // depends_on.
  const std::vector<ProviderConfig>& configured() const { return configured_; }

 private:
  using ReadBlock = void (PartReader::*)(const PlacedBlock&);
  void Dispatch(const PlacedBlock& each);
  // True if the block has `count` labels; else false, with a warning.
  bool HasLabels(const PlacedBlock& each, std::size_t count);
  // False, with a warning, if an earlier block has the same address.
  bool IsNew(const std::string& address, const Place& place);
  void Warn(const Place& place, std::string what);
  // Warns if `text`, the type of a variable or output, is invalid.
  void CheckType(const PlacedBlock& each, const std::string& text);

  void ReadVariable(const PlacedBlock& each);
  void ReadOutput(const PlacedBlock& each);
  void ReadResource(const PlacedBlock& each);
  void ReadCall(const PlacedBlock& each);
  void SetSource(ModuleCall& call);
  void ReadProvider(const PlacedBlock& each);
  void ReadRefactoring(const PlacedBlock& each);
  void ReadCheck(const PlacedBlock& each);
  void ReadLocals(const PlacedBlock& each);
  void ReadTerraform(const PlacedBlock& each);
  void ReadStateStore(const hcl::Block& block, const std::string& file);
  // Adds the constraint `name` in `body` to `versions`, and sets its place.
  void ReadClients(const hcl::Body& body, std::string_view name, const std::string& file,
                   std::string& versions, Place& place);
  void ReadRequirements(const hcl::Block& block, const std::string& file);
  Requirement ReadRequirement(const hcl::Member& member, Place place);
  void CompleteRequirements();

  const HostName& default_host_;
  WarningList& warnings_;
  ModulePart part_;
  std::vector<ProviderConfig> configured_;
  std::unordered_map<std::string, Place> seen_;           // by address
  std::map<std::string, Place> used_;                     // providers' local names: the first place
  std::map<std::string, std::string> provider_versions_;  // by local name, of provider blocks
};

}  // namespace koya::inspect
