// Pieces that several pages of modules show. Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hcl/type.h"
#include "inspect/module_block.h"
#include "web/module_pages.h"

namespace koya::web {

// The fields of the piece _module_snippet: the block that uses the version, with what must be
// given.
void AddSnippet(const ModulePage& page, View& view);
// Whether the version has no configuration at its root: its submodules are what is used.
bool UsesSubmodules(const ModulePage& page);
// The fields of the piece _module_parts: the blocks of the first submodules, if they are what is
// used. Returns whether they are.
bool AddPartSnippets(const ModulePage& page, View& view);
// The same as AddSnippet of one of its folders.
void AddFolderSnippet(const ModulePage& page, const inspect::ModulePart& part, View& view);
// Where the module is, for a block: "registry.example.com/acme/vpc/aws//modules/dns".
std::string ModuleSource(const ModulePage& page, std::string_view folder = {});
inspect::ModuleBlock ModuleBlockOf(const ModulePage& page, const inspect::ModulePart* part);

// The fields of the piece _module_step: what a step was, counted, and whether the number says so.
void AddStepCard(const StepCard& card, const ModulePage& page, View& view);
// Those of a step that is known.
void AddStepCounts(const VersionStep& step, View& view);

// What the root requires, for the card of requirements: {{need_name}} and {{need_constraint}}.
std::vector<View> NeedViews(const ModulePage& page);

// Of an input: its type in a word or two ("map(object)").
std::string ShortType(const hcl::Type& type);
// The attributes of the objects in it, with those of objects in them: {{attribute_name}},
// {{attribute_type}}, {{attribute_default}}, {{is_optional}}. At most 300.
std::vector<View> AttributeViews(const hcl::Type& type);

// Inputs and outputs as list items, with the names that their pages give them.
std::vector<View> InputViews(const ModulePage& page,
                             const std::vector<const inspect::Input*>& inputs);
std::vector<View> OutputViews(const ModulePage& page,
                              const std::vector<const inspect::Output*>& outputs);
// What the pieces _module_resources, with moves and checks, show of a folder.
void AddResourceLists(const ModulePage& page, const inspect::ModulePart& part, View& view);

// {{condition_text}}, or {{condition_code}} where nobody wrote one.
std::vector<View> ConditionViews(const std::vector<inspect::Condition>& conditions);
// {{place}}, "main.tf:3", and {{place_path}}, where that is shown.
void AddPlace(const ModulePage& page, const inspect::Place& place, View& view);

// Those of a folder that are told on pages.
std::vector<const inspect::Input*> ShownInputs(const inspect::ModulePart& part);
std::vector<const inspect::Output*> ShownOutputs(const inspect::ModulePart& part);

}  // namespace koya::web
