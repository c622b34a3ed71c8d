// Shared parts of the pages of a module's version: the head with its menu of versions and its
// notes, and the tabs. Views of module_pages.h are built on it. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/module_record.h"
#include "domain/namespace_record.h"
#include "inspect/contents.h"
#include "web/common/page_frame.h"
#include "web/common/view.h"
#include "web/common/view_parts.h"

namespace koya::markup {
struct MarkdownOptions;
}

namespace koya::web {

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

}  // namespace koya::web
