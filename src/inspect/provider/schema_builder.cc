#include "inspect/provider/schema_builder.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "base/text.h"
#include "markup/characters.h"

namespace koya::inspect::provider {
namespace {

constexpr std::size_t kMostItems = 50'000;
constexpr std::size_t kMostSaid = 100;
constexpr std::size_t kLongestWords = 2048;
constexpr std::size_t kLongestKey = 256;

struct Section {
  std::string_view key;
  SchemaKind kind;
};
constexpr std::array kSections = std::to_array<Section>({
    {"resource_schemas", SchemaKind::kResource},
    {"data_source_schemas", SchemaKind::kDataSource},
    {"ephemeral_resource_schemas", SchemaKind::kEphemeralResource},
    {"list_resource_schemas", SchemaKind::kListResource},
    {"action_schemas", SchemaKind::kAction},
    {"functions", SchemaKind::kFunction},
    {"resource_identity_schemas", SchemaKind::kIdentity},
    {"state_store_schemas", SchemaKind::kStateStore},
});

struct NodeFlag {
  std::string_view key;
  bool SchemaNode::* flag;
};
constexpr std::array kNodeFlags = std::to_array<NodeFlag>({
    {"required", &SchemaNode::required},
    {"optional", &SchemaNode::optional},
    {"computed", &SchemaNode::computed},
    {"sensitive", &SchemaNode::sensitive},
    {"write_only", &SchemaNode::write_only},
    {"deprecated", &SchemaNode::deprecated},
    {"is_nullable", &SchemaNode::nullable},
    {"required_for_import", &SchemaNode::required},
    {"optional_for_import", &SchemaNode::optional},
});

std::string Words(std::string_view text) { return markup::FitToShow(CutUtf8(text, kLongestWords)); }

std::string TypeWords(std::string_view text) {
  return text == "dynamic" ? "any" : markup::FitToShow(CutUtf8(text, kLongestType));
}

// By name; of those that stand twice the first. False: there were some.
bool SortNodes(std::vector<SchemaNode>& nodes) {
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::tie(nodes[a].name, a) < std::tie(nodes[b].name, b);
  });
  std::vector<SchemaNode> sorted;
  sorted.reserve(nodes.size());
  bool all = true;
  for (std::size_t place : order) {
    bool twin = !sorted.empty() && sorted.back().name == nodes[place].name;
    all = all && !twin;
    if (!twin) sorted.push_back(std::move(nodes[place]));
  }
  nodes = std::move(sorted);
  for (SchemaNode& node : nodes) all = SortNodes(node.nodes) && all;
  return all;
}

std::string ItemWords(const SchemaItem& item) {
  std::string words(SchemaKindWords(item.kind));
  return item.name.empty() ? words : words + " " + Printable(item.name);
}

}  // namespace

SchemaBuilder::SchemaBuilder(const SchemaOptions& options, SchemaReader::Take take)
    : options_(options), take_(std::move(take)) {}

bool SchemaBuilder::OnBegin(bool object) {
  if (skipped_ > 0) return Skip();
  if (in_type_ > 0) {
    ++in_type_;
    type_.OnBegin(object);
    return true;
  }
  if (levels_.empty()) {
    if (object) return Begin(Role::kDocument);
    return Stop(FailInvalid("the schema is no JSON object"));
  }
  std::optional<Role> role = RoleOf(object);
  if (role != Role::kType) return role ? Begin(*role) : Skip();
  in_type_ = 1;
  type_.OnBegin(object);
  return true;
}

bool SchemaBuilder::OnEnd() {
  if (skipped_ > 0) {
    --skipped_;
    return true;
  }
  if (in_type_ > 0) {
    type_.OnEnd();
    if (--in_type_ > 0) return true;
    TakeText(type_.TakeText());
    return true;
  }
  Role role = levels_.back().role;
  levels_.pop_back();
  return role == Role::kItem ? EndItem() : true;
}

bool SchemaBuilder::OnKey(std::string_view key) {
  if (skipped_ > 0) return true;
  if (key.size() > kLongestKey) {
    return Stop(Fail(ErrorKind::kInvalid,
                     "the schema has a name of more than 256 bytes: " + Printable(key, 40)));
  }
  if (in_type_ > 0) {
    type_.OnKey(key);
    Spend(key.size());
    return true;
  }
  levels_.back().key = key;
  return true;
}

bool SchemaBuilder::OnText(std::string_view text) {
  if (skipped_ > 0) return true;
  if (in_type_ > 0) {
    type_.OnText(text);
    Spend(text.size());
    return true;
  }
  if (levels_.empty()) return Stop(FailInvalid("the schema is no JSON object"));
  TakeText(text);
  return true;
}

bool SchemaBuilder::OnNumber(std::uint64_t number) {
  if (skipped_ > 0) return true;
  if (in_type_ > 0) type_.OnOther();
  if (levels_.empty()) return Stop(FailInvalid("the schema is no JSON object"));
  const Level& level = levels_.back();
  if (level.role == Role::kItem && level.key == "version") item_.version = number;
  if (level.role == Role::kBlockType && level.key == "min_items") level.node->least = number;
  if (level.role == Role::kBlockType && level.key == "max_items") level.node->most = number;
  return true;
}

bool SchemaBuilder::OnBool(bool flag) {
  if (skipped_ > 0) return true;
  if (in_type_ > 0) type_.OnOther();
  if (levels_.empty()) return Stop(FailInvalid("the schema is no JSON object"));
  TakeFlag(flag);
  return true;
}

bool SchemaBuilder::OnNull() {
  if (skipped_ == 0 && in_type_ > 0) type_.OnOther();
  return true;
}

Result<SchemaSummary> SchemaBuilder::Finish() {
  if (summary_.provider.empty()) {
    std::string there = others_.empty() ? "no provider" : "only " + Listed(others_, 5);
    return Fail(ErrorKind::kInvalid,
                "the schema has " + there + ", and not " + Printable(options_.type));
  }
  return std::move(summary_);
}

std::optional<SchemaBuilder::Role> SchemaBuilder::RoleOf(bool object) {
  const Level& level = levels_.back();
  switch (level.role) {
    case Role::kDocument:
      if (object && level.key == "provider_schemas") return Role::kProviders;
      break;
    case Role::kProviders:
      if (object && IsWanted(level.key)) return Role::kProvider;
      if (others_.size() < kMostSaid) others_.push_back(Printable(level.key));
      break;
    case Role::kProvider:
      return object ? RoleInProvider() : std::nullopt;
    case Role::kSection:
      if (object) return Role::kItem;
      break;
    case Role::kItem:
      return RoleInItem(object);
    case Role::kBlock:
      if (object && level.key == "attributes") return Role::kAttributes;
      if (object && level.key == "block_types") return Role::kBlockTypes;
      break;
    case Role::kAttributes:
      if (object) return Role::kAttribute;
      break;
    case Role::kBlockTypes:
      if (object) return Role::kBlockType;
      break;
    case Role::kParameters:
      if (object) return Role::kParameter;
      break;
    case Role::kAttribute:
    case Role::kBlockType:
    case Role::kParameter:
      return RoleInNode(object);
    case Role::kType:
      break;
  }
  return std::nullopt;
}

std::optional<SchemaBuilder::Role> SchemaBuilder::RoleInProvider() {
  std::string_view key = levels_.back().key;
  if (key == "provider") {
    kind_ = SchemaKind::kConfiguration;
    return Role::kItem;
  }
  const auto* section = std::ranges::find(kSections, key, &Section::key);
  if (section == kSections.end()) return std::nullopt;
  kind_ = section->kind;
  return Role::kSection;
}

std::optional<SchemaBuilder::Role> SchemaBuilder::RoleInItem(bool object) const {
  std::string_view key = levels_.back().key;
  if (object && key == "block") return Role::kBlock;
  if (object && key == "attributes") return Role::kAttributes;
  if (!object && key == "parameters") return Role::kParameters;
  if (object && key == "variadic_parameter") return Role::kParameter;
  return key == "return_type" ? std::optional(Role::kType) : std::nullopt;
}

std::optional<SchemaBuilder::Role> SchemaBuilder::RoleInNode(bool object) const {
  const Level& level = levels_.back();
  if (level.key == "type" && level.role != Role::kBlockType) return Role::kType;
  bool inside = level.role == Role::kBlockType ? level.key == "block" : level.key == "nested_type";
  return object && inside ? std::optional(Role::kBlock) : std::nullopt;
}

bool SchemaBuilder::Begin(Role role) {
  SchemaNode* node = levels_.empty() ? nullptr : levels_.back().node;
  if (role == Role::kProvider) summary_.provider = levels_.back().key;
  if (role == Role::kItem && !BeginItem()) return error_ ? false : Skip();
  bool adds = role == Role::kAttribute || role == Role::kBlockType || role == Role::kParameter;
  if (adds) {
    Spend(sizeof(SchemaNode) * 2);
    if (too_large_) return Skip();
    bool variadic = levels_.back().role == Role::kItem;
    bool named = role != Role::kParameter;
    node = AddNode(named ? Words(levels_.back().key) : "");
    node->block = role == Role::kBlockType;
    node->variadic = variadic;
  }
  levels_.push_back({role, {}, node});
  return true;
}

bool SchemaBuilder::BeginItem() {
  item_ = {};
  item_.kind = kind_;
  if (kind_ != SchemaKind::kConfiguration) item_.name = Words(levels_.back().key);
  spent_ = 0;
  too_large_ = false;
  if (seen_.size() >= kMostItems) {
    return Stop(Fail(ErrorKind::kTooLarge, "the schema has more than 50,000 resources"));
  }
  if (seen_.insert({kind_, item_.name}).second) return true;
  Warn(ItemWords(item_) + " stands twice; the second is left out");
  return false;
}

SchemaNode* SchemaBuilder::AddNode(std::string name) {
  SchemaNode* parent = levels_.back().node;
  std::vector<SchemaNode>& nodes = parent != nullptr ? parent->nodes : item_.nodes;
  SchemaNode& node = nodes.emplace_back();
  node.name = std::move(name);
  return &node;
}

bool SchemaBuilder::EndItem() {
  SchemaItem item = std::exchange(item_, {});
  if (too_large_) {
    Warn(ItemWords(item) + " is too large to be read, and is left out");
    return true;
  }
  if (item.kind != SchemaKind::kFunction && !SortNodes(item.nodes)) {
    Warn(ItemWords(item) + " has names that stand twice; the second of each is left out");
  }
  ++summary_.items;
  Status taken = take_(std::move(item));
  return taken ? true : Stop(std::unexpected(std::move(taken).error()));
}

void SchemaBuilder::TakeText(std::string_view text) {
  const Level& level = levels_.back();
  SchemaNode* node = level.node;
  std::string_view key = level.key;
  Spend(key.ends_with("type") ? text.size() : std::min(text.size(), kLongestWords));
  if (too_large_) return;
  bool of_item = node == nullptr && (level.role == Role::kItem || level.role == Role::kBlock);
  if (of_item) {
    if (key == "description" || (key == "summary" && item_.description.empty())) {
      item_.description = Words(text);
    }
    if (key == "return_type") item_.returns = TypeWords(text);
    if (key == "deprecation_message" && !text.empty()) {
      item_.deprecation = Words(text);
      item_.deprecated = true;
    }
    return;
  }
  if (node == nullptr) return;
  if (key == "type") node->type = TypeWords(text);
  if (key == "name" && level.role == Role::kParameter) node->name = Words(text);
  if (key == "description" && node->description.empty()) node->description = Words(text);
  if (key == "deprecation_message" && !text.empty()) {
    node->deprecation = Words(text);
    node->deprecated = true;
  }
  if (key != "nesting_mode") return;
  for (Nesting each :
       {Nesting::kSingle, Nesting::kList, Nesting::kSet, Nesting::kMap, Nesting::kGroup}) {
    if (NestingName(each) == text) node->nesting = each;
  }
}

void SchemaBuilder::TakeFlag(bool flag) {
  const Level& level = levels_.back();
  bool of_item = level.node == nullptr && (level.role == Role::kItem || level.role == Role::kBlock);
  if (of_item && level.key == "deprecated") item_.deprecated = flag;
  if (level.node == nullptr) return;
  const auto* found = std::ranges::find(kNodeFlags, level.key, &NodeFlag::key);
  if (found != kNodeFlags.end()) level.node->*found->flag = flag;
}

void SchemaBuilder::Spend(std::size_t bytes) {
  spent_ += bytes;
  if (spent_ > options_.item_memory) too_large_ = true;
}

bool SchemaBuilder::Skip() {
  ++skipped_;
  return true;
}

bool SchemaBuilder::Stop(Failure failure) {
  error_ = std::move(failure).error();
  return false;
}

void SchemaBuilder::Warn(std::string sentence) {
  if (summary_.warnings.size() < kMostSaid) summary_.warnings.push_back(std::move(sentence));
}

// "registry.opentofu.org/hashicorp/aws" for "aws". The first counts.
bool SchemaBuilder::IsWanted(std::string_view address) const {
  return summary_.provider.empty() && address.substr(address.rfind('/') + 1) == options_.type;
}

}  // namespace koya::inspect::provider
