// The pages of a module's version, one tab each: "/modules/acme/vpc/aws/4.2.0/inputs". Each is a
// struct and a function that renders it as a whole HTML document. `page` is what all have.
// Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/version_constraint.h"
#include "web/mirror_pages.h"
#include "web/module_page.h"

namespace koya::web {

// How a version differs from the one before, where that is known.
struct StepCard {
  std::string before;               // the version before; "": there is none
  std::optional<VersionStep> step;  // nothing: nobody has compared them
};
StepCard StepCardOf(const ModulePage& page);

// The first tab: how it is used, and what its author says of it.
std::string RenderModuleReadme(const PageFrame& frame, const ModulePage& page);

// What inputs and outputs are looked for by. Of a query that is too long only the beginning counts.
struct ModuleFilterForm {
  enum class Order { kRequiredFirst, kSource, kName, kType };
  std::string query;  // words that names and descriptions are to have, in any letter case
  Order order = Order::kRequiredFirst;
};
// Anything but the names of orders, "source", "name" and "type", is the first. Outputs have no
// type: they stay as they are in the source.
ModuleFilterForm::Order ParseModuleOrder(std::string_view name);

std::string RenderModuleInputs(const PageFrame& frame, const ModulePage& page,
                               const ModuleFilterForm& form);
std::string RenderModuleOutputs(const PageFrame& frame, const ModulePage& page,
                                const ModuleFilterForm& form);

// What there is inside, by provider.
std::string RenderModuleResources(const PageFrame& frame, const ModulePage& page);

// What a call of a module, or a required provider, leads to here.
struct ResolvedNeed {
  std::string path;     // of its page here; "": it is not here, or not for this reader
  std::string version;  // the newest here that the constraint takes; "": none
  // Of a provider of another registry: what the mirror's policy says of it, and the rule that says
  // so; nothing: it is not told to this reader.
  std::optional<ShownVerdict> verdict = {};
  std::string rule = {};
};
struct ModuleNeeds {
  std::vector<ResolvedNeed> providers;  // one for each of contents->root.requirements
  std::vector<ResolvedNeed> modules;    // one for each of contents->root.calls
};
// What is to be looked for, in the order of the lists above: providers first.
struct ModuleNeedAddress {
  bool is_provider = false;
  std::string address;  // "HOST/NAMESPACE/TYPE", "HOST/NAMESPACE/NAME/SYSTEM"; "": it has none
  std::string constraint;
  std::string local_path;  // of a module in the same archive: its page
};
std::vector<ModuleNeedAddress> ModuleNeedAddresses(const ModulePage& page);
std::string RenderModuleDependencies(const PageFrame& frame, const ModulePage& page,
                                     const ModuleNeeds& needs);

// Lists: /submodules, /examples.
enum class ModuleFolderKind { kSubmodule, kExample };
std::string RenderModuleFolders(const PageFrame& frame, const ModulePage& page,
                                ModuleFolderKind kind);
// One of them. `sources`: of an example, the texts of its files.
struct ModuleSourceFile {
  std::string path;  // from the archive's root
  std::string text;
  bool cut = false;
};
struct ModuleFolderPage {
  ModuleFolderKind kind = ModuleFolderKind::kSubmodule;
  const inspect::ModulePart* part = nullptr;  // of contents; not null
  std::vector<ModuleSourceFile> sources;
};
// `path` without "modules/" or "examples/" before it. Null: there is none.
const inspect::ModulePart* FindModuleFolder(const ModulePage& page, ModuleFolderKind kind,
                                            std::string_view path);
// Of its configuration, from the archive's root.
std::vector<std::string> ModuleFolderFiles(const inspect::ModulePart& part);
std::string RenderModuleFolder(const PageFrame& frame, const ModulePage& page,
                               const ModuleFolderPage& folder);

// All versions, a part of them at a time.
struct ModuleVersionsForm {
  static constexpr std::size_t kRows = 50;
  std::string constraint;  // as typed
  std::string problem;     // why it is none; then all are listed
  std::optional<VersionConstraint> allowed;
  bool by_date = false;
  std::uint64_t number = 1;  // of the part, from 1; beyond the last there are no rows
  std::map<std::string, std::uint64_t> fetches;  // in the last 30 days, by version
  bool may_deprecate = false;                    // the reader: rows lead to the pages for that
  bool may_withdraw = false;
};
std::string RenderModuleVersions(const PageFrame& frame, const ModulePage& page,
                                 const ModuleVersionsForm& form);

// What changed between two versions.
struct ShownChange {
  std::string section;   // "inputs", "outputs", "resources", "submodules", "files"
  std::string kind;      // "added", "changed", "removed", "moved"
  std::string what;      // "input \"cidr\""
  std::string where;     // "main.tf:3"; "" when it has no place
  std::string severity;  // "breaking", "read", "compatible", "safe"
  std::string text;      // a sentence, in English
};
struct ModuleChangesForm {
  std::string from;  // as typed, or those that are compared unless somebody says
  std::string to;
  std::string problem;    // why nothing is compared
  bool compared = false;  // then the rest says what came out
  VersionStep step;
  std::vector<ShownChange> changes;
};
std::string RenderModuleChanges(const PageFrame& frame, const ModulePage& page,
                                const ModuleChangesForm& form);

// The form that writes a block. What was typed, by the names of inputs.
struct ModuleUsageForm {
  std::map<std::string, std::string> values;
  bool filled = false;  // somebody has sent it
};
std::string RenderModuleUsage(const PageFrame& frame, const ModulePage& page,
                              const ModuleUsageForm& form);
// The inputs that have a field: not those that are secret.
std::vector<std::string> ModuleInputNames(const ModulePage& page);

// Who fetches which version.
struct ModuleUsedBy {
  struct Row {
    std::string version;
    std::uint64_t fetches = 0;
    std::uint64_t consumers = 0;
  };
  std::uint64_t days = 30;
  bool counted = true;            // false: this server does not count
  UnixSeconds counted_since = 0;  // the first day of which anything is counted; 0: none
  std::uint64_t fetches = 0;
  std::uint64_t consumers = 0;
  std::uint64_t people = 0;
  std::uint64_t measured = 0;      // consumers of which the newest that they fetched is known
  std::uint64_t behind = 0;        // of them: two minor versions or more behind the newest release
  std::vector<Row> rows;           // newest first; at most 50 are shown
  std::vector<std::string> names;  // of consumers, for those who may know them; at most 50 shown
  bool named = false;
};
std::string RenderModuleUsedBy(const PageFrame& frame, const ModulePage& page,
                               const ModuleUsedBy& used);

// A folder of the archive, or one file of it.
struct ModuleFilesPage {
  std::string path;  // "" is the root; no slash at its end
  // Of a file: its text, unless it has none that can be shown.
  bool is_file = false;
  bool is_text = false;
  bool cut = false;  // only its beginning is shown
  std::string text;
  std::uint64_t size = 0;
};
// Whether files of the archive lie in that folder, as far as they are listed.
bool IsModuleFolder(const ModulePage& page, std::string_view path);
// Whether it is certain that the archive has no such file: all of them are listed.
bool LacksModuleFile(const ModulePage& page, std::string_view path);
std::string RenderModuleFiles(const PageFrame& frame, const ModulePage& page,
                              const ModuleFilesPage& files);

// A version that was withdrawn, or is not there. What there is instead is named, as far as it goes.
struct ModuleAbsence {
  ModuleAddress address;
  std::string version;                   // as asked for
  std::optional<Withdrawal> withdrawal;  // nothing: it was never here
  std::string newest;                    // "": nothing is left of the module
  std::string newest_of_major;           // in the same major as `version`; "": none, or the same
};
std::string RenderModuleAbsence(const PageFrame& frame, const ModuleAbsence& absence);

// The page of the version as Markdown, for programs that read.
std::string ModuleMarkdown(const ModulePage& page);

}  // namespace koya::web
