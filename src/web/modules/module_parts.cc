#include "web/modules/module_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "inspect/documents.h"
#include "inspect/file_names.h"
#include "web/common/view_parts.h"

namespace koya::web {
namespace {

using hcl::Type;

constexpr std::size_t kMostAttributes = 300;
constexpr std::size_t kMostOpenAttributes = 8;
// A default or an expression over more lines, or longer, is folded.
constexpr std::ptrdiff_t kMostOpenLines = 12;
constexpr std::size_t kLongestInline = 72;

void CollectAttributes(const Type& type, const std::string& prefix, std::vector<View>& views) {
  for (const hcl::TypeAttribute& attribute : type.attributes) {
    if (views.size() == kMostAttributes) return;
    const std::string name = prefix + attribute.name;
    views.push_back(View()
                        .Text("attribute_name", name)
                        .Text("attribute_type", ShortType(attribute.type))
                        .Text("attribute_default",
                              attribute.default_text.empty() ? "null" : attribute.default_text)
                        .Flag("is_optional", attribute.optional));
    CollectAttributes(attribute.type, name + '.', views);
  }
  // Of a list, map or set: "rules[].port"; of the outermost, "port".
  std::string inner = prefix;
  if (inner.ends_with('.')) inner.replace(inner.size() - 1, 1, "[].");
  for (const Type& element : type.elements) CollectAttributes(element, inner, views);
}

// A value of an author: in its line, in a block, or in a block that is folded.
void AddValue(std::string_view name, std::string_view id, const std::string& value, View& view) {
  const auto lines = 1 + std::ranges::count(value, '\n');
  const bool in_line = lines == 1 && value.size() <= kLongestInline;
  const bool folded = !value.empty() && !in_line && lines > kMostOpenLines;
  View block;
  block.Text("value_id", id).Html("value", markup::Fragment::Hcl(value));
  view.Text(fmt::format("{}_inline", name), in_line ? value : "");
  view.Maybe(fmt::format("{}_block", name),
             value.empty() || in_line || folded ? std::nullopt : std::optional<View>(block));
  view.Maybe(fmt::format("{}_fold", name),
             folded ? std::optional<View>(
                          block.Text("line_count", NumberText(static_cast<std::uint64_t>(lines))))
                    : std::nullopt);
}

std::string VersionOf(const std::map<std::string, std::string>& versions, const std::string& name) {
  auto found = versions.find(name);
  return found == versions.end() ? "" : found->second;
}

View InputView(const ModulePage& page, const inspect::Input& input) {
  const std::string_view folder = inspect::FolderOf(input.place.file);
  const Type type = hcl::ParseType(input.type).value_or(Type());
  std::vector<View> attributes = AttributeViews(type);
  View view;
  view.Text("input_id", input.name)
      .Text("input_name", input.name)
      .Text("input_type", ShortType(type))
      .Flag("is_required", input.required)
      .Flag("is_sensitive", input.sensitive)
      .Flag("is_ephemeral", input.ephemeral)
      .Flag("is_constant", input.constant)
      .Flag("is_never_null", !input.nullable)
      .Flag("is_deprecated", !input.deprecated.empty())
      .Html("deprecated", AuthorText(page, folder, input.deprecated))
      .Text("deprecated_lang", inspect::GuessLanguage(input.deprecated))
      .Text("added_in", VersionOf(page.added_in, input.name))
      .Text("default_since", VersionOf(page.default_since, input.name))
      .Html("text", AuthorText(page, folder, input.description))
      .Text("text_lang", inspect::GuessLanguage(input.description))
      .Flag("is_short", attributes.size() <= kMostOpenAttributes)
      .Flag("has_attributes", !attributes.empty())
      .List("attributes", std::move(attributes))
      .List("conditions", ConditionViews(input.validations));
  AddValue("default", "df-" + input.name, input.required ? "" : input.default_text, view);
  AddPlace(page, input.place, view);
  return view;
}

View OutputView(const ModulePage& page, const inspect::Output& output) {
  const std::string_view folder = inspect::FolderOf(output.place.file);
  View view;
  view.Text("output_name", output.name)
      .Text("output_type",
            output.type.empty() ? "" : ShortType(hcl::ParseType(output.type).value_or(Type())))
      .Text("added_in", VersionOf(page.outputs_added_in, output.name))
      .Flag("is_sensitive", output.sensitive)
      .Flag("is_ephemeral", output.ephemeral)
      .Flag("is_deprecated", !output.deprecated.empty())
      .Html("deprecated", AuthorText(page, folder, output.deprecated))
      .Text("deprecated_lang", inspect::GuessLanguage(output.deprecated))
      .Html("text", AuthorText(page, folder, output.description))
      .Text("text_lang", inspect::GuessLanguage(output.description))
      .Flag("has_value", !output.value.empty())
      .Text("value_id", "val-" + output.name)
      .Html("value", markup::Fragment::Hcl(output.value))
      .List("conditions", ConditionViews(output.preconditions));
  AddPlace(page, output.place, view);
  return view;
}

}  // namespace

std::string ModuleSource(const ModulePage& page, std::string_view folder) {
  const std::string source = fmt::format("{}/{}", page.host, page.record->address.ToString());
  return folder.empty() ? source : fmt::format("{}//{}", source, folder);
}

inspect::ModuleBlock ModuleBlockOf(const ModulePage& page, const inspect::ModulePart* part) {
  const ModuleVersionRecord& record = *page.record;
  std::string_view folder = part == nullptr ? std::string_view() : std::string_view(part->path);
  std::string_view name = folder.empty() ? std::string_view(record.address.name())
                                         : folder.substr(folder.rfind('/') + 1);
  inspect::ModuleBlock block{
      .name = inspect::ModuleBlockName(name),
      .source = ModuleSource(page, folder),
      .version = inspect::SuggestedConstraint(record.version, page.is_newest()),
      .settings = {}};
  if (part != nullptr) block.settings = inspect::RequiredSettings(*part);
  return block;
}

namespace {

// Blocks on one page.
constexpr std::size_t kMostPartSnippets = 10;

void AddRequired(std::optional<std::size_t> required, View& view) {
  view.Flag("has_none_required", required == 0U)
      .Flag("has_one_required", required == 1U)
      .Flag("has_required", required && *required > 1)
      .Text("required_count", required ? NumberText(*required) : "");
}

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
    each.Text("part_path", ModuleFolderPath(page, part.path)).Text("part_name", part.path);
    views.push_back(std::move(each));
  }
  view.Flag("uses_submodules", uses)
      .List("part_snippets", std::move(views))
      .Text("more_parts",
            count > kMostPartSnippets ? NumberText(count - kMostPartSnippets) : std::string())
      .Text("more_parts_path", ModuleTabPath(page, "submodules"));
  return uses;
}

bool UsesSubmodules(const ModulePage& page) {
  return page.contents != nullptr && !inspect::FoldersToUse(*page.contents).empty();
}

void AddFolderSnippet(const ModulePage& page, const inspect::ModulePart& part, View& view) {
  const inspect::ModuleBlock block = ModuleBlockOf(page, &part);
  view.Maybe("snippet", BlockView("use-code", block))
      .Flag("uses_submodules", false)
      .List("part_snippets", {})
      .Text("more_parts", "");
  AddRequired(block.settings.size(), view);
}

void AddSnippet(const ModulePage& page, View& view) {
  const bool by_parts = AddPartSnippets(page, view);
  const inspect::ModulePart* root = page.contents == nullptr ? nullptr : &page.contents->root;
  const inspect::ModuleBlock block = ModuleBlockOf(page, root);
  std::optional<View> snippet;
  if (!by_parts) snippet = BlockView("use-code", block);
  view.Maybe("snippet", std::move(snippet));
  const bool counts = root != nullptr && !by_parts;
  AddRequired(counts ? std::optional(block.settings.size()) : std::nullopt, view);
}

StepCard StepCardOf(const ModulePage& page) {
  const ModuleVersionRecord* before = page.before();
  if (before == nullptr) return {};
  StepCard card{.before = before->version.ToString(), .step = page.record->step};
  // The stored comparison is with a version that has been withdrawn since, or that is no longer the
  // one before.
  if (card.step && card.step->before != card.before) card.step.reset();
  return card;
}

void AddStepCounts(const VersionStep& step, View& view) {
  struct Section {
    std::string_view name;
    const VersionStep::Counts& counts;
  };
  std::vector<View> sections;
  for (const Section& each : {Section{"inputs", step.inputs}, Section{"outputs", step.outputs},
                              Section{"resources", step.resources}}) {
    const VersionStep::Counts& counts = each.counts;
    if (counts == VersionStep::Counts()) continue;
    auto number = [](std::uint32_t count) { return count == 0 ? "" : NumberText(count); };
    sections.push_back(View()
                           .Flag("of_inputs", each.name == "inputs")
                           .Flag("of_outputs", each.name == "outputs")
                           .Flag("of_resources", each.name == "resources")
                           .Text("added", number(counts.added))
                           .Text("changed", number(counts.changed))
                           .Text("removed", number(counts.removed))
                           .Text("moved", number(counts.moved)));
  }
  view.Flag("needs_major", step.needed == "major")
      .Flag("needs_minor", step.needed == "minor")
      .Flag("needs_patch", step.needed == "patch")
      .Flag("agrees", step.agrees)
      .Text("wanted", step.wanted)
      .Text("breaking", step.breaking == 0 ? "" : NumberText(step.breaking))
      .Text("to_read", step.to_read == 0 ? "" : NumberText(step.to_read))
      .Flag("has_warned_of", step.breaking > 0 || step.to_read > 0)
      .Flag("changes_nothing", sections.empty() && step.breaking == 0 && step.to_read == 0)
      .List("step_sections", std::move(sections));
}

void AddStepCard(const StepCard& card, const ModulePage& page, View& view) {
  std::optional<View> known;
  std::optional<View> unknown;
  if (!card.before.empty()) {
    const std::string path = PathWith(PathWith(ModuleTabPath(page, "changes"), "from", card.before),
                                      "to", page.record->version.ToString());
    View shown;
    shown.Text("step_before", card.before).Text("step_path", path);
    if (card.step) {
      AddStepCounts(*card.step, shown);
      known = std::move(shown);
    } else {
      unknown = std::move(shown);
    }
  }
  view.Maybe("known_step", std::move(known)).Maybe("unknown_step", std::move(unknown));
}

std::vector<View> NeedViews(const ModulePage& page) {
  std::vector<View> views;
  if (page.contents == nullptr) return views;
  const inspect::ModulePart& root = page.contents->root;
  if (!root.required_version.empty()) {
    views.push_back(View()
                        .Text("need_name", "OpenTofu, Terraform")
                        .Text("need_constraint", root.required_version)
                        .Text("need_path", ""));
  }
  if (!root.required_opentofu.empty()) {
    views.push_back(View()
                        .Text("need_name", "OpenTofu")
                        .Text("need_constraint", root.required_opentofu)
                        .Text("need_path", ""));
  }
  for (const inspect::Requirement& each : root.requirements) {
    if (each.address.empty()) continue;  // a part of the clients
    views.push_back(View()
                        .Text("need_name", each.source.empty() ? each.name : each.source)
                        .Text("need_constraint", each.constraint)
                        .Text("need_path", ""));
  }
  return views;
}

std::string ShortType(const Type& type) {
  if (type.elements.size() == 1 && type.kind != Type::Kind::kTuple) {
    return fmt::format("{}({})", hcl::TypeName(type.kind), ShortType(type.elements[0]));
  }
  return std::string(hcl::TypeName(type.kind));
}

std::vector<View> AttributeViews(const Type& type) {
  std::vector<View> views;
  CollectAttributes(type, "", views);
  return views;
}

std::vector<const inspect::Input*> ShownInputs(const inspect::ModulePart& part) {
  std::vector<const inspect::Input*> shown;
  for (const inspect::Input& each : part.inputs) {
    if (!each.hidden) shown.push_back(&each);
  }
  return shown;
}

std::vector<const inspect::Output*> ShownOutputs(const inspect::ModulePart& part) {
  std::vector<const inspect::Output*> shown;
  for (const inspect::Output& each : part.outputs) {
    if (!each.hidden) shown.push_back(&each);
  }
  return shown;
}

std::vector<View> InputViews(const ModulePage& page,
                             const std::vector<const inspect::Input*>& inputs) {
  std::vector<View> views;
  views.reserve(inputs.size());
  for (const inspect::Input* each : inputs) views.push_back(InputView(page, *each));
  return views;
}

std::vector<View> OutputViews(const ModulePage& page,
                              const std::vector<const inspect::Output*>& outputs) {
  std::vector<View> views;
  views.reserve(outputs.size());
  for (const inspect::Output* each : outputs) views.push_back(OutputView(page, *each));
  return views;
}

void AddPlace(const ModulePage& page, const inspect::Place& place, View& view) {
  view.Text("place", place.file.empty() ? "" : place.ToString())
      .Text("place_path", place.file.empty() ? "" : ModuleFilePath(page, place.file, place.line));
}

std::vector<View> ConditionViews(const std::vector<inspect::Condition>& conditions) {
  std::vector<View> views;
  views.reserve(conditions.size());
  for (const inspect::Condition& each : conditions) {
    views.push_back(View()
                        .Text("condition_text", each.message)
                        .Text("condition_lang", inspect::GuessLanguage(each.message))
                        .Text("condition_code", each.message.empty() ? each.condition : ""));
  }
  return views;
}

}  // namespace koya::web
