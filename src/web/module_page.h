// What the pages of a module's version have in common: the head with its menu of versions and its
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

#include "domain/module_record.h"
#include "domain/namespace_owners.h"
#include "inspect/contents.h"
#include "web/page_frame.h"
#include "web/view.h"

namespace koya::markup {
struct MarkdownOptions;
}

namespace koya::web {

// The documentation of a provider that is published here.
struct ProviderDocsHere {
  std::string docs_path;                                // "/providers/acme/demo/1.1.0/docs"
  std::set<std::pair<std::string, std::string>> pages;  // kind ("resources") and name ("thing")
};

// What is pointed to must outlive the call that renders. The author's texts may be anything.
struct ModulePage {
  std::string host;                               // of this registry, as clients name it
  const ModuleVersionRecord* record = nullptr;    // the version that is shown; not null
  std::span<const ModuleVersionRecord> versions;  // all that are here, newest first: it is in them
  std::span<const WithdrawnModuleVersion> withdrawn;  // all that were, newest first
  const inspect::ModuleContents* contents = nullptr;  // null: they cannot be told just now
  bool by_latest = false;  // the address names no version, or "latest": links go on so
  std::map<std::string, std::string> provenance;  // the claims of the CI that published it
  std::optional<std::uint64_t> fetches;           // in the last 30 days; nothing: nobody counts
  NamespaceOwners owners = {};                    // nobody, for readers who may not know
  // In which version an input came, and in which its default became what it is, by its name; of
  // those of which that was looked for.
  std::map<std::string, std::string> added_in;
  std::map<std::string, std::string> default_since;
  std::map<std::string, std::string> outputs_added_in;  // the same of outputs
  // Of the providers that it requires, by address ("HOST/NAMESPACE/TYPE"), those whose
  // documentation is here for this reader; of tabs that lead there.
  std::map<std::string, ProviderDocsHere> docs;

  // The newest release, else the newest prerelease.
  const ModuleVersionRecord& newest() const;
  bool is_newest() const { return newest().version == record->version; }
  // The version before this one, as its changes are judged: of a release the release before. Null:
  // there is none.
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
  kFiles,
  kNone,  // a page behind one of them
};

// "/modules/acme/vpc/aws"
std::string ModuleAddressPath(const ModuleAddress& address);
// Of a version, whatever it is: "/modules/acme/vpc/aws/4.2.0/inputs"; `tab` "" is the README.
std::string ModuleVersionPath(const ModuleAddress& address, const Version& version,
                              std::string_view tab = {});
// Of the version that is shown, as its address names it: "/modules/acme/vpc/aws/latest/inputs".
std::string ModuleTabPath(const ModulePage& page, std::string_view tab = {});
// "a b/c" as parts of a path: each is encoded.
std::string EncodedSegments(std::string_view path);
// Of a file or folder in it: each part of `path` is encoded.
std::string ModuleFilePath(const ModulePage& page, std::string_view path, std::uint64_t line = 0);

// Of a folder that is a module in it: its page as a submodule or example, else its files.
std::string ModuleFolderPath(const ModulePage& page, std::string_view folder);

// The frame of the page, with what the head of all these pages shows.
View ModuleView(const PageFrame& frame, const ModulePage& page, ModuleTab tab);

// What an author wrote in Markdown, as plain text in one line: its first paragraph, of at most so
// many bytes.
std::string AuthorSummary(std::string_view markdown, std::size_t most);
// What a module, submodule or example is, likewise: its README's first paragraph, else what the
// comment at the top of main.tf says, unless that is a licence.
std::string PartSummary(const inspect::ModulePart& part, std::size_t most);
// Links and images of a text that stands in `folder` of the archive lead to its files. `page` and
// `folder` must outlive the rendering.
void ResolveBeside(const ModulePage& page, std::string_view folder,
                   markup::MarkdownOptions& options);
// A sentence or more of an author, in `folder`, as safe HTML without names of places: a page has
// many of them.
markup::Fragment AuthorText(const ModulePage& page, std::string_view folder,
                            std::string_view markdown);

// Whether it is told on pages: "terraform-docs-ignore" hides some.
template <class Thing>
std::size_t CountShown(const std::vector<Thing>& things) {
  std::size_t shown = 0;
  for (const Thing& each : things) shown += each.hidden ? 0 : 1;
  return shown;
}

}  // namespace koya::web
