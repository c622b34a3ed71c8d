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
inspect::ModuleBlock ModuleBlockOf(const ModulePage& page, const inspect::ModulePart* part);

// An address of a module or provider, or a source, as people know it: without the host where it is
// the default one of a client, or `own_host`. "hashicorp/aws".
std::string ShortAddress(std::string_view address, std::string_view own_host);
// The same of a required provider, also where its source follows from its name.
std::string ShortProvider(const inspect::Requirement& need, std::string_view own_host);

// The fields of the pieces _module_needed and _module_counts.
View StepView(const VersionStep& step);

// An input's type in short ("map(object)").
std::string ShortType(const hcl::Type& type);
// The fields of the pieces _module_input and _module_output.
View InputView(const ModulePage& page, const inspect::Input& input);
View OutputView(const ModulePage& page, const inspect::Output& output);
// Adds the fields of the piece _module_resources for a folder, with moves and checks.
void AddResourceLists(const ModulePage& page, const inspect::ModulePart& part, View& view);

// Adds {{place}}, "main.tf:3", and {{place_path}}, the path of the page that shows it.
void AddPlace(const ModulePage& page, const inspect::Place& place, View& view);

inline KOYA_VIEW(inspect::Condition, condition, message);
inline KOYA_VIEW(inspect::Readme, language, cut);
inline KOYA_VIEW(VersionStep, needed, agrees, wanted, breaking, to_read);
inline KOYA_VIEW(Withdrawal, reason, successor, at);

}  // namespace koya::web
