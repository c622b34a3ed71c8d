#include "inspect/module_json.h"

#include <boost/json.hpp>
#include <string_view>
#include <utility>

#include "hcl/type.h"

namespace koya::inspect {
namespace {

namespace json = boost::json;

template <class T, class Convert>
json::array ArrayOf(const std::vector<T>& items, const Convert& convert) {
  json::array out;
  out.reserve(items.size());
  for (const T& item : items) out.push_back(convert(item));
  return out;
}

json::array Texts(const std::vector<std::string>& texts) {
  return json::array(texts.begin(), texts.end());
}

json::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// A literal as JSON; any other expression as a text.
json::value Literal(const std::string& as_json, const std::string& as_text) {
  boost::system::error_code failed;
  json::value value = json::parse(as_json, failed);
  if (as_json.empty() || failed) return json::value(as_text);
  return value;
}

json::value TypeValue(const hcl::Type& type);

json::value AttributeValue(const hcl::TypeAttribute& attribute) {
  json::value type = TypeValue(attribute.type);
  if (!attribute.optional) return type;
  json::array out = {"optional", std::move(type)};
  if (!attribute.default_text.empty()) {
    out.push_back(Literal(attribute.default_json, attribute.default_text));
  }
  return out;
}

json::value TypeValue(const hcl::Type& type) {
  using Kind = hcl::Type::Kind;
  const json::string_view name = View(hcl::TypeName(type.kind));
  switch (type.kind) {
    case Kind::kAny:
    case Kind::kString:
    case Kind::kNumber:
    case Kind::kBool:
      return json::value(name);
    case Kind::kList:
    case Kind::kSet:
    case Kind::kMap:
      return json::array{
          name, type.elements.empty() ? json::value("any") : TypeValue(type.elements.front())};
    case Kind::kTuple:
      return json::array{name, ArrayOf(type.elements, TypeValue)};
    case Kind::kObject:
      break;
  }
  json::object attributes;
  for (const hcl::TypeAttribute& each : type.attributes) {
    attributes[each.name] = AttributeValue(each);
  }
  return json::array{name, std::move(attributes)};
}

json::value TypeTreeOf(const std::string& text) {
  Result<hcl::Type> type = hcl::ParseType(text);
  if (text.empty() || !type) return json::value("any");
  return TypeValue(*type);
}

void Put(json::object& out, const Place& place) {
  out["file"] = place.file;
  out["line"] = place.line;
}

// Left out where there is none.
void PutText(json::object& out, std::string_view name, const std::string& text) {
  if (!text.empty()) out[View(name)] = text;
}

// Left out unless it is so.
void PutMark(json::object& out, std::string_view name, bool is_so) {
  if (is_so) out[View(name)] = true;
}

void Put(json::object& out, const Repetition& repetition) {
  PutText(out, "count", repetition.count);
  PutText(out, "for_each", repetition.for_each);
  PutText(out, "enabled", repetition.enabled);
}

json::value OfCondition(const Condition& condition) {
  return json::object{{"condition", condition.condition}, {"error_message", condition.message}};
}

json::value OfInput(const Input& input) {
  json::object out;
  out["name"] = input.name;
  out["type"] = input.type.empty() ? "any" : input.type;
  out["type_tree"] = TypeTreeOf(input.type);
  if (!input.required) out["default"] = Literal(input.default_json, input.default_text);
  out["required"] = input.required;
  out["description"] = input.description;
  out["sensitive"] = input.sensitive;
  out["nullable"] = input.nullable;
  out["ephemeral"] = input.ephemeral;
  out["const"] = input.constant;
  out["deprecated"] = input.deprecated;
  out["validations"] = ArrayOf(input.validations, OfCondition);
  PutMark(out, "hidden", input.hidden);
  Put(out, input.place);
  return out;
}

json::value OfOutput(const Output& output) {
  json::object out;
  out["name"] = output.name;
  out["description"] = output.description;
  PutText(out, "type", output.type);
  out["value"] = output.value;
  out["references"] = Texts(output.references);
  out["sensitive"] = output.sensitive;
  out["ephemeral"] = output.ephemeral;
  out["deprecated"] = output.deprecated;
  out["preconditions"] = ArrayOf(output.preconditions, OfCondition);
  PutMark(out, "hidden", output.hidden);
  Put(out, output.place);
  return out;
}

json::value OfResource(const Resource& resource) {
  json::object out;
  out["address"] = resource.Address();
  out["mode"] = resource.mode;
  out["type"] = resource.type;
  out["name"] = resource.name;
  out["provider"] = resource.provider;
  Put(out, resource.repetition);
  PutText(out, "prevent_destroy", resource.prevent_destroy);
  PutText(out, "create_before_destroy", resource.create_before_destroy);
  PutMark(out, "hidden", resource.hidden);
  Put(out, resource.place);
  return out;
}

json::value OfCall(const ModuleCall& call) {
  json::object out;
  out["name"] = call.name;
  out["source"] = call.source;
  out["kind"] = call.kind;
  out["address"] = call.address;
  PutText(out, "subfolder", call.subfolder);
  out["version"] = call.constraint;
  Put(out, call.repetition);
  json::object providers;
  for (const auto& [name, value] : call.providers) providers[name] = value;
  out["providers"] = std::move(providers);
  PutMark(out, "hidden", call.hidden);
  Put(out, call.place);
  return out;
}

json::value OfRequirement(const Requirement& requirement) {
  json::object out;
  out["name"] = requirement.name;
  out["source"] = requirement.source;
  out["address"] = requirement.address;
  out["version"] = requirement.constraint;
  out["configuration_aliases"] = Texts(requirement.aliases);
  PutText(out, "locked", requirement.locked);
  out["implied"] = requirement.implied;
  Put(out, requirement.place);
  return out;
}

json::value OfProvider(const ProviderConfig& provider) {
  json::object out;
  out["name"] = provider.name;
  PutText(out, "alias", provider.alias);
  PutText(out, "for_each", provider.for_each);
  Put(out, provider.place);
  return out;
}

json::value OfCheck(const Check& check) {
  json::object out;
  out["name"] = check.name;
  out["assertions"] = ArrayOf(check.assertions, OfCondition);
  Put(out, check.place);
  return out;
}

json::value OfRefactoring(const Refactoring& each) {
  json::object out;
  PutText(out, "from", each.from);
  PutText(out, "to", each.to);
  PutText(out, "id", each.id);
  if (each.kind == "removed") out["destroy"] = each.destroys;
  Put(out, each.place);
  return out;
}

json::array RefactoringsOf(const ModulePart& part, std::string_view kind) {
  json::array out;
  for (const Refactoring& each : part.refactorings) {
    if (each.kind == kind) out.push_back(OfRefactoring(each));
  }
  return out;
}

json::value OfPart(const ModulePart& part) {
  json::object out;
  out["path"] = part.path;
  PutMark(out, "empty", part.files.empty() && part.unread.empty());
  out["readme"] = part.readme.file;
  out["required_version"] = part.required_version;
  PutText(out, "required_opentofu", part.required_opentofu);
  PutText(out, "language", part.language);
  out["experiments"] = Texts(part.experiments);
  PutText(out, "backend", part.backend);
  PutText(out, "header", part.header);
  out["inputs"] = ArrayOf(part.inputs, OfInput);
  out["outputs"] = ArrayOf(part.outputs, OfOutput);
  out["resources"] = ArrayOf(part.resources, OfResource);
  out["required_providers"] = ArrayOf(part.requirements, OfRequirement);
  out["module_calls"] = ArrayOf(part.calls, OfCall);
  out["providers"] = ArrayOf(part.providers, OfProvider);
  out["provider_functions"] = Texts(part.provider_functions);
  out["locals"] = Texts(part.locals);
  out["moved"] = RefactoringsOf(part, "moved");
  out["removed"] = RefactoringsOf(part, "removed");
  out["imports"] = RefactoringsOf(part, "import");
  out["checks"] = ArrayOf(part.checks, OfCheck);
  return out;
}

json::value OfTest(const TestFile& test) {
  return json::object{
      {"path", test.path}, {"runs", Texts(test.runs)}, {"mocks", Texts(test.mocks)}};
}

json::value OfWarning(const Warning& warning) {
  json::object out;
  Put(out, warning.place);
  out["text"] = warning.what;
  return out;
}

json::value OfFile(const FileSize& file) {
  return json::object{{"path", file.path}, {"size", file.bytes}};
}

}  // namespace

std::string AnswerContents(const ModuleContents& contents) {
  json::object out;
  out["reader"] = contents.reader_version;
  out["root"] = OfPart(contents.root);
  out["submodules"] = ArrayOf(contents.submodules, OfPart);
  out["examples"] = ArrayOf(contents.examples, OfPart);
  out["tests"] = ArrayOf(contents.tests, OfTest);
  out["warnings"] = ArrayOf(contents.warnings, OfWarning);
  if (contents.warnings_left_out > 0) out["warnings_left_out"] = contents.warnings_left_out;
  PutMark(out, "folders_left_out", contents.folders_left_out);
  out["licence"] = json::object{{"spdx", contents.licence.spdx},
                                {"file", contents.licence.file},
                                {"evidence", contents.licence.evidence}};
  out["changelog"] = contents.changelog.section;
  PutText(out, "changelog_file", contents.changelog.file);
  out["files"] = ArrayOf(contents.files, OfFile);
  out["file_count"] = contents.file_count;
  out["bytes"] = contents.bytes;
  return json::serialize(out);
}

std::string AnswerType(const std::string& type) { return json::serialize(TypeTreeOf(type)); }

namespace {

boost::json::value WiderInput(const Input& input) {
  boost::json::object out;
  out["name"] = input.name;
  out["type"] = input.type.empty() ? "any" : input.type;
  out["description"] = input.description;
  // An expression that is not a literal is given as written.
  out["default"] = input.default_json.empty() ? input.default_text : input.default_json;
  out["required"] = input.required;
  return out;
}

boost::json::value WiderOutput(const Output& output) {
  return boost::json::object{{"name", output.name}, {"description", output.description}};
}

boost::json::value WiderResource(const Resource& resource) {
  return boost::json::object{{"name", resource.name}, {"type", resource.type}};
}

boost::json::value WiderCall(const ModuleCall& call) {
  return boost::json::object{
      {"name", call.name}, {"source", call.source}, {"version", call.constraint}};
}

// "registry.opentofu.org/hashicorp/aws" → "hashicorp".
std::string NamespaceIn(std::string_view address) {
  const std::size_t first = address.find('/');
  const std::size_t last = address.rfind('/');
  if (first == std::string_view::npos || first == last) return {};
  return std::string(address.substr(first + 1, last - first - 1));
}

boost::json::value WiderRequirement(const Requirement& requirement) {
  return boost::json::object{{"name", requirement.name},
                             {"namespace", NamespaceIn(requirement.address)},
                             {"source", requirement.source},
                             {"version", requirement.constraint}};
}

template <class T>
boost::json::array WiderList(const std::vector<T>& items, boost::json::value (*convert)(const T&)) {
  boost::json::array out;
  out.reserve(items.size());
  for (const T& item : items) out.push_back(convert(item));
  return out;
}

boost::json::value WiderPart(const ModulePart& part) {
  boost::json::array resources;
  for (const Resource& each : part.resources) {
    if (each.mode == "managed") resources.push_back(WiderResource(each));
  }
  boost::json::object out;
  out["path"] = part.path;
  out["name"] = part.path.substr(part.path.rfind('/') + 1);
  out["readme"] = part.readme.text;
  out["empty"] = part.files.empty();
  out["inputs"] = WiderList(part.inputs, WiderInput);
  out["outputs"] = WiderList(part.outputs, WiderOutput);
  out["dependencies"] = WiderList(part.calls, WiderCall);
  out["provider_dependencies"] = WiderList(part.requirements, WiderRequirement);
  out["resources"] = std::move(resources);
  return out;
}

}  // namespace

std::string WiderAnswer(const ModuleContents& contents) {
  boost::json::object out;
  out["root"] = WiderPart(contents.root);
  out["submodules"] = WiderList(contents.submodules, WiderPart);
  out["examples"] = WiderList(contents.examples, WiderPart);
  return boost::json::serialize(out);
}

}  // namespace koya::inspect
