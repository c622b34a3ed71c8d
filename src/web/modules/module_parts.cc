#include "web/modules/module_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "inspect/file_names.h"
#include "web/common/view.h"

namespace koya::web {

// How a default is shown.
enum class DefaultForm { kNone, kInline, kBlock, kFold };

namespace {

using hcl::Type;

constexpr std::size_t kMostAttributes = 300;
constexpr std::size_t kMostOpenAttributes = 8;
// A default or an expression over more lines, or longer, is folded.
constexpr std::uint64_t kMostOpenLines = 12;
constexpr std::size_t kLongestInline = 72;

void CollectAttributes(const Type& type, const std::string& prefix, std::vector<View>& views) {
  for (const hcl::TypeAttribute& attribute : type.attributes) {
    if (views.size() == kMostAttributes) return;
    const std::string name = prefix + attribute.name;
    views.push_back(View()
                        .Set("attribute_name", name)
                        .Set("attribute_type", ShortType(attribute.type))
                        .Set("attribute_default",
                             attribute.default_text.empty() ? "null" : attribute.default_text)
                        .Set("is_optional", attribute.optional));
    CollectAttributes(attribute.type, name + '.', views);
  }
  // Of a list, map or set: "rules[].port"; of the outermost, "port".
  std::string inner = prefix;
  if (inner.ends_with('.')) inner.replace(inner.size() - 1, 1, "[].");
  for (const Type& element : type.elements) CollectAttributes(element, inner, views);
}

// Adds {{default_text}}, for its own line, or [[*value]], of which a long one is folded.
void AddDefault(const std::string& value, View& view) {
  const std::uint64_t lines = 1 + static_cast<std::uint64_t>(std::ranges::count(value, '\n'));
  DefaultForm form = lines > kMostOpenLines ? DefaultForm::kFold : DefaultForm::kBlock;
  if (lines == 1 && value.size() <= kLongestInline) form = DefaultForm::kInline;
  if (value.empty()) form = DefaultForm::kNone;
  view.Set("default_form", form)
      .Set("default_text", value)
      .Set("line_count", lines)
      .Set("value", markup::Fragment::Hcl(value));
}

// Without the indentation of the block around it, which its last line has.
std::string Outdented(std::string_view code) {
  const std::size_t last = code.rfind('\n');
  if (last == code.npos) return std::string(code);
  const std::string_view indented =
      code.substr(last, std::min(code.find_first_not_of(" \t", last + 1), code.size()) - last);
  std::string text;
  while (!code.empty()) {
    const bool is_indented = code.starts_with(indented);
    text += code.front();
    code.remove_prefix(is_indented ? indented.size() : 1);
  }
  return text;
}

std::string VersionOf(const std::map<std::string, std::string>& versions, const std::string& name) {
  auto found = versions.find(name);
  return found == versions.end() ? "" : found->second;
}

}  // namespace

KOYA_VIEW(inspect::Input, name, description, required, sensitive, ephemeral, constant, nullable,
          deprecated);
KOYA_VIEW(inspect::Output, name, description, sensitive, ephemeral, deprecated);

View InputView(const ModulePage& page, const inspect::Input& input) {
  const std::string_view folder = inspect::FolderOf(input.place.file);
  const Type type = hcl::ParseType(input.type).value_or(Type());
  std::vector<View> attributes;
  CollectAttributes(type, "", attributes);
  // What the short type leaves out.
  std::optional<View> whole;
  if (input.type.contains('{') || input.type.contains('[')) {
    whole =
        CodeView("type-" + input.name, input.name, markup::Fragment::Hcl(Outdented(input.type)));
  }
  View view;
  view.Of(input)
      .Set("input_type", ShortType(type))
      .Set("snippet", whole)
      .Set("deprecation", AuthorText(page, folder, input.deprecated))
      .Set("added_in", VersionOf(page.added_in, input.name))
      .Set("default_since", VersionOf(page.default_since, input.name))
      .Set("text", AuthorText(page, folder, input.description))
      .Set("is_short", attributes.size() <= kMostOpenAttributes)
      .List("attributes", std::move(attributes))
      .Set("conditions", input.validations);
  AddDefault(input.required ? "" : input.default_text, view);
  AddPlace(page, input.place, view);
  return view;
}

View OutputView(const ModulePage& page, const inspect::Output& output) {
  const std::string_view folder = inspect::FolderOf(output.place.file);
  View view;
  view.Of(output)
      .Set("output_type",
           output.type.empty() ? "" : ShortType(hcl::ParseType(output.type).value_or(Type())))
      .Set("added_in", VersionOf(page.outputs_added_in, output.name))
      .Set("deprecation", AuthorText(page, folder, output.deprecated))
      .Set("text", AuthorText(page, folder, output.description))
      .Set("value", markup::Fragment::Hcl(output.value))
      .Set("conditions", output.preconditions);
  AddPlace(page, output.place, view);
  return view;
}

inspect::ModuleBlock ModuleBlockOf(const ModulePage& page, const inspect::ModulePart* part) {
  const ModuleVersionRecord& record = *page.record;
  std::string_view folder = part == nullptr ? std::string_view() : std::string_view(part->path);
  std::string_view name = folder.empty() ? std::string_view(record.address.name())
                                         : folder.substr(folder.rfind('/') + 1);
  inspect::ModuleBlock block{
      .name = inspect::ModuleBlockName(name),
      .source = fmt::format("{}/{}{}{}", page.host, record.address.ToString(),
                            folder.empty() ? "" : "//", folder),
      .version = inspect::SuggestedConstraint(record.version, page.is_newest()),
      .settings = {}};
  if (part != nullptr) block.settings = inspect::RequiredSettings(*part);
  return block;
}

std::string ShortAddress(std::string_view address, std::string_view own_host) {
  for (std::string_view host : {std::string_view("registry.opentofu.org"),
                                std::string_view("registry.terraform.io"), own_host}) {
    if (!address.starts_with(host) || !address.substr(host.size()).starts_with('/')) continue;
    return std::string(address.substr(host.size() + 1));
  }
  return std::string(address);
}

std::string ShortProvider(const inspect::Requirement& need, std::string_view own_host) {
  return need.address.empty() ? need.name : ShortAddress(need.address, own_host);
}

namespace {

// Blocks on one page.
constexpr std::size_t kMostPartSnippets = 10;

View BlockView(std::string_view id, const inspect::ModuleBlock& block) {
  return CodeView(id, "main.tf", markup::Fragment::Hcl(inspect::WriteModuleBlock(block)));
}

}  // namespace

bool AddPartSnippets(const ModulePage& page, View& view) {
  std::vector<View> views;
  const bool uses = UsesSubmodules(page);
  const std::size_t count = uses ? page.contents->submodules.size() : 0;
  for (std::size_t i = 0; i < std::min(count, kMostPartSnippets); ++i) {
    const inspect::ModulePart& part = page.contents->submodules[i];
    View each = BlockView(fmt::format("use-code-{}", i + 1), ModuleBlockOf(page, &part));
    each.Set("part_path", ModuleFolderPath(page, part.path)).Set("part_name", part.path);
    views.push_back(std::move(each));
  }
  view.Set("uses_submodules", uses)
      .List("part_snippets", std::move(views))
      .Set("more_parts", count - std::min(count, kMostPartSnippets));
  return uses;
}

bool UsesSubmodules(const ModulePage& page) {
  return page.contents != nullptr && !inspect::FoldersToUse(*page.contents).empty();
}

void AddFolderSnippet(const ModulePage& page, const inspect::ModulePart& part, View& view) {
  const inspect::ModuleBlock block = ModuleBlockOf(page, &part);
  view.Set("snippet", BlockView("use-code", block))
      .Set("uses_submodules", false)
      .List("part_snippets", {})
      .Set("more_parts", 0U)
      .Set("required_count", block.settings.size());
}

void AddSnippet(const ModulePage& page, View& view) {
  const bool by_parts = AddPartSnippets(page, view);
  const inspect::ModulePart* root = page.contents == nullptr ? nullptr : &page.contents->root;
  const inspect::ModuleBlock block = ModuleBlockOf(page, root);
  std::optional<View> snippet;
  if (!by_parts) snippet = BlockView("use-code", block);
  view.Set("snippet", std::move(snippet));
  const bool counts = root != nullptr && !by_parts;
  view.Set("required_count", counts ? std::optional(block.settings.size()) : std::nullopt);
}

std::optional<VersionStep> StepSince(const ModuleVersionRecord& record,
                                     const ModuleVersionRecord* before) {
  // The stored comparison may be with a version that has been withdrawn since, or that is no longer
  // the one before.
  const bool fits =
      before != nullptr && record.step && record.step->before == before->version.ToString();
  return fits ? record.step : std::nullopt;
}

KOYA_VIEW(VersionStep::Counts, added, changed, removed, moved);

View StepView(const VersionStep& step) {
  std::vector<View> sections;
  for (const auto& [name, counts] :
       {std::pair("inputs", &step.inputs), std::pair("outputs", &step.outputs),
        std::pair("resources", &step.resources)}) {
    if (*counts != VersionStep::Counts())
      sections.push_back(View().Of(*counts).Set("section", name));
  }
  const std::uint32_t warned_of = step.breaking + step.to_read;
  return View()
      .Of(step)
      .Set("warned_of", warned_of)
      .Set("changes_nothing", sections.empty() && warned_of == 0)
      .List("step_sections", std::move(sections));
}

std::string ShortType(const Type& type) {
  if (type.elements.size() == 1 && type.kind != Type::Kind::kTuple) {
    return fmt::format("{}({})", hcl::TypeName(type.kind), ShortType(type.elements[0]));
  }
  return std::string(hcl::TypeName(type.kind));
}

void AddPlace(const ModulePage& page, const inspect::Place& place, View& view) {
  view.Set("place", place.file.empty() ? "" : place.ToString())
      .Set("place_path", place.file.empty() ? "" : ModuleFilePath(page, place.file, place.line));
}

}  // namespace koya::web
