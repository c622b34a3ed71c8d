#include "inspect/provider/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <string>
#include <string_view>

namespace koya::inspect::provider {
namespace {

// Appends `text`, which must be UTF-8, in quotes.
void AppendJsonText(std::string_view text, std::string& out) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

namespace json = boost::json;

constexpr std::size_t kDeepestLine = 256;

struct KindNames {
  std::string_view name;
  std::string_view words;
};
constexpr std::array<KindNames, kSchemaKinds> kKinds = {{
    {"provider", "provider configuration"},
    {"resource", "resource"},
    {"data_source", "data source"},
    {"ephemeral_resource", "ephemeral resource"},
    {"list_resource", "list resource"},
    {"action", "action"},
    {"function", "function"},
    {"identity", "identity of resource"},
    {"state_store", "state store"},
}};
constexpr std::array<std::string_view, 6> kNestings = {"", "single", "list", "set", "map", "group"};

// The flags of a node, one letter each.
struct FlagLetter {
  char letter;
  bool SchemaNode::* flag;
};
constexpr std::array kFlags = std::to_array<FlagLetter>({
    {'b', &SchemaNode::block},
    {'r', &SchemaNode::required},
    {'o', &SchemaNode::optional},
    {'c', &SchemaNode::computed},
    {'s', &SchemaNode::sensitive},
    {'w', &SchemaNode::write_only},
    {'d', &SchemaNode::deprecated},
    {'n', &SchemaNode::nullable},
    {'v', &SchemaNode::variadic},
});

void Member(std::string_view key, std::string_view value, std::string& out) {
  if (value.empty()) return;
  AppendJsonText(key, out);
  out += ':';
  AppendJsonText(value, out);
  out += ',';
}

void Member(std::string_view key, std::uint64_t value, std::string& out) {
  if (value == 0) return;
  AppendJsonText(key, out);
  out.append(":").append(std::to_string(value)).append(",");
}

void Close(std::string& out) {
  if (out.back() == ',') out.pop_back();
  out += '}';
}

void AppendNodes(const std::vector<SchemaNode>& nodes, std::string& out);

void AppendNode(const SchemaNode& node, std::string& out) {
  out += '{';
  Member("name", node.name, out);
  Member("type", node.type, out);
  Member("nesting", NestingName(node.nesting), out);
  std::string flags;
  for (const FlagLetter& each : kFlags) {
    if (node.*each.flag) flags += each.letter;
  }
  Member("flags", flags, out);
  Member("min", node.least, out);
  Member("max", node.most, out);
  Member("description", node.description, out);
  Member("deprecation", node.deprecation, out);
  AppendNodes(node.nodes, out);
  Close(out);
}

// The reader's depth bounds this.
void AppendNodes(const std::vector<SchemaNode>& nodes, std::string& out) {
  if (nodes.empty()) return;
  out += "\"nodes\":[";
  for (const SchemaNode& node : nodes) {
    AppendNode(node, out);
    out += ',';
  }
  out.back() = ']';
  out += ',';
}

Failure NoItem(std::string_view why) {
  return Fail(ErrorKind::kInvalid, "a schema is not as it was written: " + std::string(why));
}

std::string TextOf(const json::object& from, std::string_view key) {
  const json::value* value = from.if_contains(key);
  if (value == nullptr || !value->is_string()) return {};
  return std::string(value->get_string());
}

std::uint64_t NumberOf(const json::object& from, std::string_view key) {
  const json::value* value = from.if_contains(key);
  if (value == nullptr) return 0;
  if (value->is_uint64()) return value->get_uint64();
  return value->is_int64() && value->get_int64() > 0
             ? static_cast<std::uint64_t>(value->get_int64())
             : 0;
}

Result<std::vector<SchemaNode>> NodesOf(const json::object& from);

Result<SchemaNode> NodeOf(const json::object& from) {
  SchemaNode node;
  node.name = TextOf(from, "name");
  node.type = TextOf(from, "type");
  std::string nesting = TextOf(from, "nesting");
  const auto* found = std::ranges::find(kNestings, nesting);
  if (found == kNestings.end()) return NoItem("a nesting is not known");
  node.nesting = static_cast<Nesting>(found - kNestings.begin());
  std::string flags = TextOf(from, "flags");
  for (const FlagLetter& each : kFlags) node.*each.flag = flags.contains(each.letter);
  node.least = NumberOf(from, "min");
  node.most = NumberOf(from, "max");
  node.description = TextOf(from, "description");
  node.deprecation = TextOf(from, "deprecation");
  ASSIGN_OR_RETURN(node.nodes, NodesOf(from));
  return node;
}

Result<std::vector<SchemaNode>> NodesOf(const json::object& from) {
  std::vector<SchemaNode> out;
  const json::value* nodes = from.if_contains("nodes");
  if (nodes == nullptr) return out;
  if (!nodes->is_array()) return NoItem("nodes are no list");
  for (const json::value& each : nodes->get_array()) {
    if (!each.is_object()) return NoItem("a node is no object");
    ASSIGN_OR_RETURN(SchemaNode node, NodeOf(each.get_object()));
    out.push_back(std::move(node));
  }
  return out;
}

}  // namespace

std::string_view SchemaKindName(SchemaKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].name;
}

std::string_view SchemaKindWords(SchemaKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].words;
}

std::string_view NestingName(Nesting nesting) {
  return kNestings[static_cast<std::size_t>(nesting)];
}

std::string EncodeSchemaItem(const SchemaItem& item) {
  std::string out = "{";
  Member("kind", SchemaKindName(item.kind), out);
  Member("name", item.name, out);
  Member("version", item.version, out);
  if (item.deprecated) Member("flags", "d", out);
  Member("description", item.description, out);
  Member("deprecation", item.deprecation, out);
  Member("returns", item.returns, out);
  AppendNodes(item.nodes, out);
  Close(out);
  return out;
}

Result<SchemaItem> DecodeSchemaItem(std::string_view line) {
  json::parse_options options;
  options.max_depth = kDeepestLine;
  boost::system::error_code ec;
  json::value value = json::parse(line, ec, json::storage_ptr(), options);
  if (ec) return NoItem(ec.message());
  if (!value.is_object()) return NoItem("it is no object");
  const json::object& from = value.get_object();
  SchemaItem item;
  std::string kind = TextOf(from, "kind");
  const auto* found = std::ranges::find(kKinds, kind, &KindNames::name);
  if (found == kKinds.end()) return NoItem("its kind is not known");
  item.kind = static_cast<SchemaKind>(found - kKinds.begin());
  item.name = TextOf(from, "name");
  item.version = NumberOf(from, "version");
  item.deprecated = TextOf(from, "flags").contains('d');
  item.description = TextOf(from, "description");
  item.deprecation = TextOf(from, "deprecation");
  item.returns = TextOf(from, "returns");
  ASSIGN_OR_RETURN(item.nodes, NodesOf(from));
  return item;
}

namespace {

constexpr std::size_t kMostLevels = 64;
// Limit on memory while a type is read: nested parts count again at each level.
constexpr std::size_t kMostBytes = 8 * kLongestType;
constexpr std::size_t kPartBytes = 64;

std::string WordOfType(std::string_view word) {
  return word == "dynamic" ? "any" : std::string(word);
}

}  // namespace

void TypeText::OnText(std::string_view text) {
  bytes_ += text.size();
  if (bytes_ > kMostBytes) bad_ = true;
  if (bad_) text = {};
  if (levels_.empty()) return Put(WordOfType(text));
  Level& level = levels_.back();
  if (level.object) return Put(WordOfType(text));
  // The first word is the kind; the names of optional attributes are in a list in the third place.
  if (level.word.empty() && level.parts.empty()) {
    level.word = text;
  } else {
    Put(WordOfType(text));
  }
}

void TypeText::OnKey(std::string_view key) {
  bytes_ += key.size();
  if (!levels_.empty()) levels_.back().key = key.substr(0, 256);
}

void TypeText::OnBegin(bool object) {
  if (levels_.size() >= kMostLevels) bad_ = true;
  levels_.emplace_back();
  levels_.back().object = object;
}

void TypeText::OnEnd() {
  if (levels_.empty()) return;
  Level level = std::move(levels_.back());
  levels_.pop_back();
  bool names = !level.object && levels_.size() > 0 && !levels_.back().object &&
               levels_.back().word == "object";
  if (names) {
    // ["a", "b"]: the first was taken for a word.
    Level& of = levels_.back();
    of.optional.push_back(std::move(level.word));
    for (auto& part : level.parts) of.optional.push_back(std::move(part.second));
    return;
  }
  if (level.object) {
    // Its members are those of the list around it: ["object", {…}].
    if (levels_.empty()) {
      bad_ = true;
      return Put("any");
    }
    if (level.parts.empty()) level.parts.emplace_back();
    levels_.back().parts = std::move(level.parts);
    return;
  }
  // A list of types: of a tuple.
  if (levels_.size() > 0 && levels_.back().word == "tuple" && !levels_.back().object) {
    Level& of = levels_.back();
    if (!level.word.empty()) of.parts.emplace_back("", WordOfType(level.word));
    for (auto& part : level.parts) of.parts.push_back(std::move(part));
    return;
  }
  Put(Text(level));
}

std::string TypeText::Text(Level& level) {
  std::string out = WordOfType(level.word) + "(";
  bool object = level.word == "object";
  if (level.word.empty()) bad_ = true;
  if (object) out += '{';
  bool first = true;
  for (auto& [name, type] : level.parts) {
    if (object && name.empty()) continue;
    if (!first) out += ", ";
    first = false;
    bool optional = std::ranges::find(level.optional, name) != level.optional.end();
    if (object) out += name + " = ";
    out += object && optional ? "optional(" + type + ")" : type;
    if (out.size() > kLongestType) {
      bad_ = true;
      return {};
    }
  }
  if (level.word == "tuple") return "tuple([" + out.substr(6) + "])";
  return out + (object ? "})" : ")");
}

void TypeText::Put(std::string type) {
  if (levels_.empty()) {
    type_ = std::move(type);
    done_ = true;
    return;
  }
  bytes_ += type.size() + kPartBytes;
  if (bytes_ > kMostBytes) bad_ = true;
  if (bad_) return;
  Level& level = levels_.back();
  level.parts.emplace_back(level.object ? std::exchange(level.key, {}) : "", std::move(type));
}

std::string TypeText::TakeText() {
  std::string out = bad_ || type_.empty() ? "any" : std::move(type_);
  *this = {};
  return out;
}

}  // namespace koya::inspect::provider
