// Renders the pages of a module's version, one tab each: "/modules/acme/vpc/aws/4.2.0/inputs". Each
// is a struct and a function that renders it as a whole HTML document. `page` has the shared data.
// Pure and thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/module_record.h"
#include "domain/namespace_record.h"
#include "domain/version_constraint.h"
#include "inspect/contents.h"
#include "web/common/page_frame.h"
#include "web/common/view.h"
#include "web/mirror/mirror_pages.h"
#include "web/providers/provider_history_pages.h"
#include "wire/comparison.h"

namespace koya::markup {
struct MarkdownOptions;
}

namespace koya::web {

// ---- shared parts: the head with its menu of versions and its notes, and the tabs

// Documentation pages of a provider that is published here.
struct ProviderDocsHere {
  std::string docs_path;                                // "/providers/acme/demo/1.1.0/docs"
  std::set<std::pair<std::string, std::string>> pages;  // kind ("resources") and name ("thing")
};

// Pointers must outlive the render call. The author's texts may be anything.
struct ModulePage {
  std::string host;                                   // of this registry, as clients name it
  const ModuleVersionRecord* record = nullptr;        // the current version; not null
  std::span<const ModuleVersionRecord> versions;      // all here, newest first; contains it
  std::span<const WithdrawnModuleVersion> withdrawn;  // newest first
  const inspect::ModuleContents* contents = nullptr;  // null: not available now
  bool by_latest = false;  // the path names no version, or "latest"; links keep that form
  std::map<std::string, std::string> provenance;  // the claims of the CI that published it
  std::optional<std::uint64_t> fetches;           // in the last 30 days; nullopt: not counted
  NamespaceOwners owners = {};                    // empty for readers who may not know
  std::optional<Visibility> visibility = {};      // nullopt: no badge
  VersionRights rights = {};                      // of the reader
  ShownSource source = {};
  // By name of an input: the version that added it, and the version that set its current default.
  // Only inputs that were looked up.
  std::map<std::string, std::string> added_in;
  std::map<std::string, std::string> default_since;
  std::map<std::string, std::string> outputs_added_in;  // the same for outputs
  // The required providers whose documentation is here for this reader, by address
  // ("HOST/NAMESPACE/TYPE"). Only for tabs that link to it.
  std::map<std::string, ProviderDocsHere> docs;
  std::vector<ShownAttachment> attachments = {};  // only for the README

  // The newest release, else the newest prerelease.
  const ModuleVersionRecord& newest() const;
  const inspect::ModulePart& root() const;  // of `contents`; empty without them
  bool is_newest() const { return newest().version == record->version; }
  // The version with which this one is compared: of a release the release before. Null: there is
  // none.
  const ModuleVersionRecord* before() const;
};

enum class ModuleTab {
  kReadme,
  kInputs,
  kOutputs,
  kResources,
  kDependencies,
  kSubmodules,
  kExamples,
  kVersions,
  kChanges,
  kUsedBy,
  kFiles,
  kNone,  // a page below one of the tabs
};

// "/modules/acme/vpc/aws"
std::string ModuleAddressPath(const ModuleAddress& address);
// Path of any version: "/modules/acme/vpc/aws/4.2.0/inputs"; `tab` "" is the README.
std::string ModuleVersionPath(const ModuleAddress& address, const Version& version,
                              std::string_view tab = {});
// Path of the current version, in the form of its own path: "/modules/acme/vpc/aws/latest/inputs".
std::string ModuleTabPath(const ModulePage& page, std::string_view tab = {});
// Encodes each segment of a path such as "a b/c".
std::string EncodedSegments(std::string_view path);
// Path of a file or folder of the archive; encodes each segment of `path`.
std::string ModuleFilePath(const ModulePage& page, std::string_view path, std::uint64_t line = 0);

// Path of a module's folder in the archive: its page as a submodule or example, else its files.
std::string ModuleFolderPath(const ModulePage& page, std::string_view folder);

// The view of the frame, with the fields of the head of all these pages.
View ModuleView(const PageFrame& frame, const ModulePage& page, ModuleTab tab);

// The first paragraph of an author's Markdown as one line of plain text, of at most `most` bytes.
std::string AuthorSummary(std::string_view markdown, std::size_t most);
// Summary of a module, submodule or example in the same form: its README's first paragraph, else
// the comment at the top of main.tf, unless that is a licence.
std::string PartSummary(const inspect::ModulePart& part, std::size_t most);
// Resolves links and images of a text in `folder` of the archive to the archive's files. `page` and
// `folder` must outlive the rendering.
void ResolveBeside(const ModulePage& page, std::string_view folder,
                   markup::MarkdownOptions& options);
// Renders a short text of the author, located in `folder`, as safe HTML without id attributes: a
// page has many such texts.
markup::Fragment AuthorText(const ModulePage& page, std::string_view folder,
                            std::string_view markdown);

// The things that pages show: "terraform-docs-ignore" hides some.
template <class Thing>
std::vector<const Thing*> Shown(const std::vector<Thing>& things) {
  std::vector<const Thing*> shown;
  for (const Thing& each : things) {
    if (!each.hidden) shown.push_back(&each);
  }
  return shown;
}

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
