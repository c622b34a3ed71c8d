#include "inspect/extended_json.h"

#include <boost/json.hpp>
#include <string_view>
#include <utility>

namespace koya::inspect {
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
