// Pieces shared by several pages of modules. Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hcl/type.h"
#include "inspect/module_block.h"
#include "web/modules/module_pages.h"

namespace koya::web {

// Adds the fields of the piece _module_snippet: the module block that uses the version, with its
// required inputs.
void AddSnippet(const ModulePage& page, View& view);
// Whether the version has no configuration at its root, so that only its submodules are usable.
bool UsesSubmodules(const ModulePage& page);
// Adds the fields of the piece _module_parts: the blocks of the first submodules, if
// UsesSubmodules(). Returns that.
bool AddPartSnippets(const ModulePage& page, View& view);
// Does the same as AddSnippet for one of the module's folders.
void AddFolderSnippet(const ModulePage& page, const inspect::ModulePart& part, View& view);
// The source of the module in a block: "registry.example.com/acme/vpc/aws//modules/dns".
std::string ModuleSource(const ModulePage& page, std::string_view folder = {});
inspect::ModuleBlock ModuleBlockOf(const ModulePage& page, const inspect::ModulePart* part);

// Adds the fields of the piece _module_step: the step's changes, counted, and whether the version
// number fits them.
void AddStepCard(const StepCard& card, const ModulePage& page, View& view);
// Adds the fields of a known step.
void AddStepCounts(const VersionStep& step, View& view);

// Requirements of the root module: {{need_name}} and {{need_constraint}}.
std::vector<View> NeedViews(const ModulePage& page);

// An input's type in short ("map(object)").
std::string ShortType(const hcl::Type& type);
// The attributes of the objects in a type, with nested ones: {{attribute_name}},
// {{attribute_type}}, {{attribute_default}}, {{is_optional}}. At most 300.
std::vector<View> AttributeViews(const hcl::Type& type);

// Inputs and outputs as list items, with the field names of their pages.
std::vector<View> InputViews(const ModulePage& page,
                             const std::vector<const inspect::Input*>& inputs);
std::vector<View> OutputViews(const ModulePage& page,
                              const std::vector<const inspect::Output*>& outputs);
// Adds the fields of the piece _module_resources for a folder, with moves and checks.
void AddResourceLists(const ModulePage& page, const inspect::ModulePart& part, View& view);

// {{condition_text}}, or {{condition_code}} for a condition without a text.
std::vector<View> ConditionViews(const std::vector<inspect::Condition>& conditions);
// Adds {{place}}, "main.tf:3", and {{place_path}}, the path of the page that shows it.
void AddPlace(const ModulePage& page, const inspect::Place& place, View& view);

// Inputs and outputs of a folder that pages show.
std::vector<const inspect::Input*> ShownInputs(const inspect::ModulePart& part);
std::vector<const inspect::Output*> ShownOutputs(const inspect::ModulePart& part);

}  // namespace koya::web
