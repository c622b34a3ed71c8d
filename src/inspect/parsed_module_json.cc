#include "inspect/module_json.h"

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
  return FailInvalid("the server's document of the contents is invalid: {}", what);
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

std::uint64_t NumberMember(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr || !value->is_int64() || value->get_int64() < 0) return 0;
  return static_cast<std::uint64_t>(value->get_int64());
}

// Empty where there is none.
const json::object& ObjectMember(const json::object& object, std::string_view name) {
  static const json::object kEmpty;
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_object() ? value->get_object() : kEmpty;
}

Place PlaceOf(const json::object& object) {
  return {.file = TextMember(object, "file"), .line = NumberMember(object, "line")};
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
                .type = TextMember(object, "type"),
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

Requirement ReadRequirement(const json::object& object) {
  return {.name = TextMember(object, "name"),
          .source = TextMember(object, "source"),
          .address = TextMember(object, "address"),
          .constraint = TextMember(object, "version"),
          .implied = FlagMember(object, "implied"),
          .place = PlaceOf(object)};
}

ModuleCall ReadCall(const json::object& object) {
  return {.name = TextMember(object, "name"),
          .source = TextMember(object, "source"),
          .kind = TextMember(object, "kind"),
          .address = TextMember(object, "address"),
          .constraint = TextMember(object, "version"),
          .place = PlaceOf(object)};
}

Warning ReadWarning(const json::object& object) {
  return {.what = TextMember(object, "text"), .place = PlaceOf(object)};
}

ModulePart ReadPathOnly(const json::object& object) {
  ModulePart part;
  part.path = TextMember(object, "path");
  return part;
}

// What `read` made of each thing in the array `name`.
template <class Thing>
Status ReadThings(const json::object& folder, std::string_view name, std::vector<Thing>& things,
                  Thing (*read)(const json::object&)) {
  const json::value* value = folder.if_contains(name);
  if (value == nullptr) return {};
  if (!value->is_array()) return NoAnswer(fmt::format("\"{}\" is no list", name));
  for (const json::value& each : value->get_array()) {
    if (!each.is_object()) return NoAnswer(fmt::format("\"{}\" holds something else", name));
    things.push_back(read(each.get_object()));
  }
  return {};
}

std::string ListText(const json::object& folder, std::string_view name) {
  const json::value* value = folder.if_contains(name);
  return value == nullptr ? "[]" : json::serialize(*value);
}

Status ReadShownThings(const json::object& folder, ModulePart& part) {
  RETURN_IF_ERROR(ReadThings(folder, "inputs", part.inputs, ReadInput));
  RETURN_IF_ERROR(ReadThings(folder, "outputs", part.outputs, ReadOutput));
  return ReadThings(folder, "resources", part.resources, ReadResource);
}

Result<ParsedModuleJson> ReadFolder(const json::object& folder) {
  ParsedModuleJson out;
  out.part.path = TextMember(folder, "path");
  RETURN_IF_ERROR(ReadShownThings(folder, out.part));
  out.inputs = ListText(folder, "inputs");
  out.outputs = ListText(folder, "outputs");
  out.resources = ListText(folder, "resources");
  return out;
}

Status ReadRoot(const json::object& root, ModulePart& part) {
  RETURN_IF_ERROR(ReadShownThings(root, part));
  RETURN_IF_ERROR(ReadThings(root, "required_providers", part.requirements, ReadRequirement));
  RETURN_IF_ERROR(ReadThings(root, "module_calls", part.calls, ReadCall));
  part.required_version = TextMember(root, "required_version");
  part.required_opentofu = TextMember(root, "required_opentofu");
  part.header = TextMember(root, "header");
  part.readme.file = TextMember(root, "readme");
  // The answer says that it has configuration, not in which files.
  if (!FlagMember(root, "empty")) part.files.emplace_back();
  return {};
}

Result<json::object> ParseAnswer(std::string_view answer) {
  boost::system::error_code failed;
  json::parse_options options;
  options.max_depth = kMostLevels;
  json::value document = json::parse(answer, failed, {}, options);
  if (failed) return NoAnswer("it is not JSON");
  if (!document.is_object()) return NoAnswer("it is no object");
  return std::move(document.get_object());
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

Result<ParsedModuleJson> ReadAnsweredPart(std::string_view answer, std::string_view path) {
  ASSIGN_OR_RETURN(json::object document, ParseAnswer(answer));
  ASSIGN_OR_RETURN(const json::object* folder, FindFolder(document, path));
  return ReadFolder(*folder);
}

Result<ModuleContents> ReadAnsweredModule(std::string_view answer) {
  ASSIGN_OR_RETURN(json::object document, ParseAnswer(answer));
  ASSIGN_OR_RETURN(const json::object* root, FindFolder(document, ""));
  ModuleContents out;
  out.reader_version = NumberMember(document, "reader");
  RETURN_IF_ERROR(ReadRoot(*root, out.root));
  RETURN_IF_ERROR(ReadThings(document, "submodules", out.submodules, ReadPathOnly));
  RETURN_IF_ERROR(ReadThings(document, "examples", out.examples, ReadPathOnly));
  RETURN_IF_ERROR(ReadThings(document, "warnings", out.warnings, ReadWarning));
  const json::object& licence = ObjectMember(document, "licence");
  out.licence = {.spdx = TextMember(licence, "spdx"),
                 .file = TextMember(licence, "file"),
                 .evidence = TextMember(licence, "evidence")};
  out.changelog = {.file = TextMember(document, "changelog_file"),
                   .section = TextMember(document, "changelog")};
  out.warnings_left_out = NumberMember(document, "warnings_left_out");
  out.file_count = NumberMember(document, "file_count");
  out.bytes = NumberMember(document, "bytes");
  return out;
}

}  // namespace koya::inspect
