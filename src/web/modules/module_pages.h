// Renders the pages of a module's version, one tab each: "/modules/acme/vpc/aws/4.2.0/inputs". Each
// is a struct and a function that renders it as a whole HTML document. `page` has the shared data.
// Pure and thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/version_constraint.h"
#include "web/mirror/mirror_pages.h"
#include "web/modules/module_page.h"
#include "web/providers/provider_history_pages.h"
#include "wire/comparison.h"

namespace koya::web {

// What changed since the version before. nullopt: there is none, or they were not compared.
std::optional<VersionStep> StepSince(const ModuleVersionRecord& record,
                                     const ModuleVersionRecord* before);

// The first tab: usage and README.
std::string RenderModuleReadme(const PageFrame& frame, const ModulePage& page);

// Filter and order of inputs and outputs. Only the beginning of an overlong query counts.
struct ModuleFilterForm {
  enum class Order { kRequiredFirst, kSource, kName, kType };
  std::string query;  // words to find in names and descriptions, in any letter case
  Order order = Order::kRequiredFirst;
};
// "source", "name", "type"; any other text is the first order. Outputs have no type: for it they
// keep the order of the source.
ModuleFilterForm::Order ParseModuleOrder(std::string_view name);

std::string RenderModuleInputs(const PageFrame& frame, const ModulePage& page,
                               const ModuleFilterForm& form);
std::string RenderModuleOutputs(const PageFrame& frame, const ModulePage& page,
                                const ModuleFilterForm& form);

// The module's resources, by provider.
std::string RenderModuleResources(const PageFrame& frame, const ModulePage& page);

// A called module or required provider, resolved in this registry.
struct ResolvedNeed {
  std::string path;     // of its page here, or the mirror's; "": neither, or not for this reader
  std::string version;  // the newest here that the constraint allows; "": none
  // For a provider of another registry: the mirror policy's verdict and its rule; nullopt: hidden
  // from this reader.
  std::optional<ShownVerdict> verdict = {};
  std::string rule = {};
  bool is_mirrored = false;  // another registry's, which clients get through the mirror
};
struct ModuleNeeds {
  std::vector<ResolvedNeed> providers;  // one for each of contents->root.requirements
  std::vector<ResolvedNeed> modules;    // one for each of contents->root.calls
};
// A dependency to look up, in the order of the lists above: providers first.
struct ModuleNeedAddress {
  bool is_provider = false;
  std::string address;  // "HOST/NAMESPACE/TYPE", "HOST/NAMESPACE/NAME/SYSTEM"; "": none
  std::string constraint;
  std::string local_path;  // of a module in the same archive: its page
};
std::vector<ModuleNeedAddress> ModuleNeedAddresses(const ModulePage& page);
std::string RenderModuleDependencies(const PageFrame& frame, const ModulePage& page,
                                     const ModuleNeeds& needs);

// Pages with lists: /submodules, /examples.
enum class ModuleFolderKind { kSubmodule, kExample };
std::string RenderModuleFolders(const PageFrame& frame, const ModulePage& page,
                                ModuleFolderKind kind);
// The page of one submodule or example. `sources`: of an example, the texts of its files.
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
std::string RenderModuleFolder(const PageFrame& frame, const ModulePage& page,
                               const ModuleFolderPage& folder);

// List of all versions, in parts.
struct ModuleVersionsForm {
  static constexpr std::size_t kRows = 50;
  std::string constraint;  // as typed
  std::string problem;     // with the constraint; then all are listed
  std::optional<VersionConstraint> allowed;
  bool by_date = false;
  std::uint64_t number = 1;                      // of the part, from 1; no rows beyond the last
  std::map<std::string, std::uint64_t> fetches;  // in the last 30 days, by version
};
std::string RenderModuleVersions(const PageFrame& frame, const ModulePage& page,
                                 const ModuleVersionsForm& form);

struct ModuleChangesForm {
  std::string from;  // as typed, or the default
  std::string to;
  std::string problem;    // why there is no comparison
  bool compared = false;  // then the rest is the result
  VersionStep step;
  std::vector<wire::ComparedChange> changes;
  std::shared_ptr<const wire::SourceDiff> source = nullptr;  // instead, for RenderModuleSource
};
std::string RenderModuleChanges(const PageFrame& frame, const ModulePage& page,
                                const ModuleChangesForm& form);
// The differences between the files of two versions, from the same form.
std::string RenderModuleSource(const PageFrame& frame, const ModulePage& page,
                               const ModuleChangesForm& form);

// The form that generates a module block: typed values, by name of input.
struct ModuleUsageForm {
  std::map<std::string, std::string> values;
  bool filled = false;  // it was sent
};
std::string RenderModuleUsage(const PageFrame& frame, const ModulePage& page,
                              const ModuleUsageForm& form);
// Names of the inputs with a field: all that are not secret.
std::vector<std::string> ModuleInputNames(const ModulePage& page);

std::string RenderModuleUsedBy(const PageFrame& frame, const ModulePage& page,
                               const UsedByPage& used);

// A folder of the archive, or one file of it.
struct ModuleFilesPage {
  std::string path;  // "" is the root; no slash at its end
  // For a file: its text, if it can be shown.
  bool is_file = false;
  bool is_text = false;
  bool cut = false;  // truncated
  std::string text;
  std::uint64_t size = 0;
};
// Whether the folder has files, among the listed files of the archive.
bool IsModuleFolder(const ModulePage& page, std::string_view path);
// Whether the archive certainly has no such file: true only if all its files are listed.
bool LacksModuleFile(const ModulePage& page, std::string_view path);
std::string RenderModuleFiles(const PageFrame& frame, const ModulePage& page,
                              const ModuleFilesPage& files);

// The page of a withdrawn or missing version. It names alternatives, if there are any.
struct ModuleAbsence {
  ModuleAddress address;
  std::string version;                   // as asked for
  std::optional<Withdrawal> withdrawal;  // nullopt: it was never here
  std::string newest;                    // "": the module has no version left
  std::string newest_of_major;           // of the major of `version`; "": none, or the same
  bool may_restore = false;              // the reader
};
std::string RenderModuleAbsence(const PageFrame& frame, const ModuleAbsence& absence);

// The version's page as Markdown, for programs.
std::string ModuleMarkdown(const ModulePage& page);

}  // namespace koya::web
