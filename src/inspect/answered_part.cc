#include "inspect/answered_part.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <utility>
#include <vector>

#include "base/text.h"

namespace koya::inspect {
namespace {

namespace json = boost::json;

// Types may nest deeply.
constexpr std::size_t kMostLevels = 512;

Failure NoAnswer(std::string_view what) {
  return Fail(ErrorKind::kInvalid,
              fmt::format("what the server says is inside is no such document: {}", what));
}

std::string TextMember(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return {};
  return std::string(value->get_string());
}

bool FlagMember(const json::object& object, std::string_view name, bool otherwise = false) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_bool() ? value->get_bool() : otherwise;
}

Place PlaceOf(const json::object& object) {
  Place place{.file = TextMember(object, "file")};
  const json::value* line = object.if_contains("line");
  if (line != nullptr && line->is_int64() && line->get_int64() > 0) {
    place.line = static_cast<std::uint64_t>(line->get_int64());
  }
  return place;
}

Input ReadInput(const json::object& object) {
  Input input{.name = TextMember(object, "name"),
              .description = TextMember(object, "description"),
              .type = TextMember(object, "type")};
  input.required = FlagMember(object, "required", true);
  if (const json::value* value = object.if_contains("default")) {
    input.default_json = json::serialize(*value);
    input.default_text = input.default_json;
  }
  input.sensitive = FlagMember(object, "sensitive");
  input.nullable = FlagMember(object, "nullable", true);
  input.ephemeral = FlagMember(object, "ephemeral");
  input.constant = FlagMember(object, "const");
  input.deprecated = TextMember(object, "deprecated");
  input.place = PlaceOf(object);
  return input;
}

Output ReadOutput(const json::object& object) {
  Output output{.name = TextMember(object, "name"),
                .description = TextMember(object, "description"),
                .value = TextMember(object, "value")};
  output.sensitive = FlagMember(object, "sensitive");
  output.ephemeral = FlagMember(object, "ephemeral");
  output.deprecated = TextMember(object, "deprecated");
  output.place = PlaceOf(object);
  return output;
}

Resource ReadResource(const json::object& object) {
  Resource resource{.mode = TextMember(object, "mode"),
                    .type = TextMember(object, "type"),
                    .name = TextMember(object, "name"),
                    .provider = TextMember(object, "provider")};
  resource.repetition = {.count = TextMember(object, "count"),
                         .for_each = TextMember(object, "for_each"),
                         .enabled = TextMember(object, "enabled")};
  resource.place = PlaceOf(object);
  return resource;
}

// The array `name` of a folder, and each of its things that `read` made.
template <class Thing>
Status ReadThings(const json::object& folder, std::string_view name, std::string& text,
                  std::vector<Thing>& things, Thing (*read)(const json::object&)) {
  text = "[]";
  const json::value* value = folder.if_contains(name);
  if (value == nullptr) return {};
  if (!value->is_array()) return NoAnswer(fmt::format("\"{}\" is no list", name));
  for (const json::value& each : value->get_array()) {
    if (!each.is_object()) return NoAnswer(fmt::format("\"{}\" holds something else", name));
    things.push_back(read(each.get_object()));
  }
  text = json::serialize(*value);
  return {};
}

Result<AnsweredPart> ReadFolder(const json::object& folder) {
  AnsweredPart out;
  out.part.path = TextMember(folder, "path");
  RETURN_IF_ERROR(ReadThings(folder, "inputs", out.inputs, out.part.inputs, ReadInput));
  RETURN_IF_ERROR(ReadThings(folder, "outputs", out.outputs, out.part.outputs, ReadOutput));
  RETURN_IF_ERROR(ReadThings(folder, "resources", out.resources, out.part.resources, ReadResource));
  return out;
}

Result<const json::object*> FindFolder(const json::object& answer, std::string_view path) {
  const json::value* root = answer.if_contains("root");
  if (root == nullptr || !root->is_object()) return NoAnswer("it has no \"root\"");
  if (path.empty()) return &root->get_object();
  std::vector<std::string> known;
  for (std::string_view list : {"submodules", "examples"}) {
    const json::value* folders = answer.if_contains(list);
    if (folders == nullptr || !folders->is_array()) continue;
    for (const json::value& each : folders->get_array()) {
      if (!each.is_object()) continue;
      known.push_back(TextMember(each.get_object(), "path"));
      if (known.back() == path) return &each.get_object();
    }
  }
  return Fail(ErrorKind::kNotFound,
              known.empty() ? std::string("the module has no submodules and no examples")
                            : fmt::format("the module has no folder \"{}\": there are {}",
                                          Printable(path), Printable(Listed(known, 10), 600)));
}

}  // namespace

Result<AnsweredPart> ReadAnsweredPart(std::string_view answer, std::string_view path) {
  boost::system::error_code failed;
  json::parse_options options;
  options.max_depth = kMostLevels;
  json::value document = json::parse(answer, failed, {}, options);
  if (failed) return NoAnswer("it is not JSON");
  if (!document.is_object()) return NoAnswer("it is no object");
  ASSIGN_OR_RETURN(const json::object* folder, FindFolder(document.get_object(), path));
  return ReadFolder(*folder);
}

}  // namespace koya::inspect
