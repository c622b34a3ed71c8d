#include "service/search/search_entries.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/offload.h"
#include "base/text.h"
#include "catalog/search_index.h"
#include "catalog/upstream_catalog.h"
#include "domain/upstream_record.h"
#include "inspect/documents.h"
#include "markup/markdown.h"
#include "markup/plain_text.h"
#include "wire/foreign/foreign_docs.h"

namespace koya::service {
namespace {

using inspect::ModulePart;

// The index takes 1,000 words of a text, and does not find the rest.
constexpr std::size_t kMostReadme = 64 << 10;
constexpr std::size_t kMostText = 16 << 10;
constexpr std::size_t kMostTitle = 300;

// As the index takes it: UTF-8 without NUL.
std::string Storable(std::string_view text, std::size_t most = kMostText) {
  std::string out = inspect::CleanText(CutUtf8(text, most));
  std::ranges::replace(out, '\0', ' ');
  return out;
}
std::string TitleOf(std::string_view text) {
  return markup::OneLine(Storable(text, 4 * kMostTitle), kMostTitle);
}

// What a README says, without its markup.
struct ReadmeWords {
  std::string summary;
  std::string text;
};
ReadmeWords WordsOf(const inspect::Readme& readme) {
  if (readme.text.empty()) return {};
  markup::Rendered rendered = markup::RenderReadme(readme.file, readme.text,
                                                   {.most_input = kMostReadme,
                                                    .most_text = kMostText,
                                                    .link = {},
                                                    .image = {},
                                                    .fold_title = {},
                                                    .fold_link_text = {},
                                                    .fold_link_address = {},
                                                    .name_arguments = false});
  return {Storable(rendered.summary), Storable(rendered.text)};
}

// The first of these that says something.
std::string FirstTitle(std::initializer_list<std::string_view> texts) {
  for (std::string_view text : texts) {
    if (std::string title = TitleOf(text); !title.empty()) return title;
  }
  return "";
}

std::string WithoutFolder(std::string_view path, std::string_view folder) {
  if (path.starts_with(folder)) path.remove_prefix(folder.size());
  return Storable(path);
}

// The source of the provider that a resource is of: as it is required, by its local name.
std::string SourceOf(const inspect::Resource& resource, const ModulePart& part) {
  std::string_view name = resource.provider;
  name = name.substr(0, name.find('.'));
  if (name.empty()) name = std::string_view(resource.type).substr(0, resource.type.find('_'));
  const auto found = std::ranges::find(part.requirements, name, &inspect::Requirement::name);
  return found == part.requirements.end() ? "" : Storable(found->address);
}

class EntryList {
 public:
  void Add(SearchEntry entry) {
    if (entries_.size() < SearchIndex::kMostEntries) entries_.push_back(std::move(entry));
  }
  std::vector<SearchEntry> Take() { return std::move(entries_); }

 private:
  std::vector<SearchEntry> entries_;
};

// Those that say something, each on a line of its own.
std::string Lines(std::initializer_list<std::string_view> texts) {
  std::string lines;
  for (std::string_view text : texts) {
    if (!text.empty()) lines.append(lines.empty() ? "" : "\n").append(text);
  }
  return lines;
}

// Entry of a folder of configuration: its texts, and the names it uses and needs.
SearchEntry PartEntry(SearchKind kind, std::string name, std::string_view description,
                      const ModulePart& part) {
  ReadmeWords readme = WordsOf(part.readme);
  SearchEntry entry{
      .kind = kind, .name = std::move(name), .title = {}, .text = {}, .uses = {}, .needs = {}};
  const std::string_view header =
      markup::IsLicenceNotice(part.header) ? std::string_view() : part.header;
  entry.title = FirstTitle({description, readme.summary, header});
  entry.text = std::move(readme.text);
  std::set<std::string> types;
  for (const inspect::Resource& resource : part.resources) types.insert(Storable(resource.type));
  entry.uses.assign(types.begin(), types.end());
  for (const inspect::Requirement& requirement : part.requirements) {
    if (!requirement.address.empty()) entry.needs.push_back(Storable(requirement.address));
  }
  std::set<std::string> called;
  for (const inspect::ModuleCall& call : part.calls) {
    if (call.kind == "registry") called.insert(Storable(call.address));
  }
  // First: the index takes only so many.
  if (std::ranges::any_of(part.calls, &inspect::ModuleCall::IsUnknown)) {
    entry.calls.emplace_back(kUnknownCall);
  }
  entry.calls.insert(entry.calls.end(), called.begin(), called.end());
  return entry;
}

// The title of an input or output: a deprecation comes first.
std::string TitleOf(std::string_view description, std::string_view deprecated) {
  if (deprecated.empty()) return TitleOf(description);
  std::string title = "Deprecated: " + std::string(deprecated);
  if (!description.empty())
    title.append(deprecated.ends_with('.') ? " " : ". ").append(description);
  return TitleOf(title);
}

SearchEntry InputEntry(const inspect::Input& input, const std::string& prefix) {
  std::string text = Lines({input.type, input.default_text, input.deprecated});
  for (const inspect::Condition& each : input.validations) text = Lines({text, each.message});
  return {.kind = SearchKind::kInput,
          .name = prefix + Storable(input.name),
          .title = TitleOf(input.description, input.deprecated),
          .text = Storable(text),
          .uses = {},
          .needs = {}};
}

SearchEntry OutputEntry(const inspect::Output& output, const std::string& prefix) {
  return {.kind = SearchKind::kOutput,
          .name = prefix + Storable(output.name),
          .title = TitleOf(output.description, output.deprecated),
          .text = Storable(Lines({output.value, output.deprecated})),
          .uses = {},
          .needs = {}};
}

SearchEntry ResourceEntry(const inspect::Resource& resource, const ModulePart& part,
                          const std::string& prefix) {
  SearchEntry entry{.kind = SearchKind::kResource,
                    .name = prefix + Storable(resource.Address()),
                    .title = {},
                    .text = {},
                    .uses = {Storable(resource.type)},
                    .needs = {}};
  if (std::string source = SourceOf(resource, part); !source.empty()) {
    entry.needs.push_back(std::move(source));
  }
  return entry;
}

void AddInside(const ModulePart& part, const std::string& prefix, EntryList* list) {
  for (const inspect::Input& each : part.inputs) list->Add(InputEntry(each, prefix));
  for (const inspect::Output& each : part.outputs) list->Add(OutputEntry(each, prefix));
  for (const inspect::Resource& each : part.resources) {
    list->Add(ResourceEntry(each, part, prefix));
  }
}

}  // namespace

std::vector<SearchEntry> ModuleSearchEntries(const ModuleAddress& address,
                                             std::string_view description,
                                             const inspect::ModuleContents& contents) {
  EntryList list;
  list.Add(PartEntry(SearchKind::kModule, address.name(), description, contents.root));
  for (const ModulePart& part : contents.submodules) {
    list.Add(PartEntry(SearchKind::kSubmodule, WithoutFolder(part.path, "modules/"), "", part));
  }
  for (const ModulePart& part : contents.examples) {
    list.Add(PartEntry(SearchKind::kExample, WithoutFolder(part.path, "examples/"), "", part));
  }
  AddInside(contents.root, "", &list);
  for (const ModulePart& part : contents.submodules) {
    AddInside(part, WithoutFolder(part.path, "modules/") + "/", &list);
  }
  return list.Take();
}

std::vector<SearchEntry> ProviderSearchEntries(const ProviderAddress& address,
                                               const std::vector<SearchablePage>& pages) {
  EntryList list;
  list.Add({.kind = SearchKind::kProvider,
            .name = address.type(),
            .title = {},
            .text = {},
            .uses = {},
            .needs = {}});
  for (const SearchablePage& page : pages) {
    list.Add({.kind = SearchKind::kDoc,
              .name = Storable(page.kind) + "/" + Storable(page.name),
              .title = TitleOf(page.title),
              .text = Storable(page.text),
              .uses = {},
              .needs = {}});
  }
  return list.Take();
}

namespace {

std::vector<SearchablePage> SearchablePagesOf(const std::string& body) {
  std::vector<SearchablePage> pages;
  Result<wire::ForeignDocs> list = wire::Decode<wire::ForeignDocs>(body);
  if (!list) return pages;
  for (wire::ForeignDoc& doc : list->docs) {
    if (!doc.language.empty()) continue;
    std::string title = doc.title.empty() ? doc.name : std::move(doc.title);
    pages.push_back({.kind = std::move(doc.kind),
                     .name = std::move(doc.name),
                     .title = std::move(title),
                     .text = std::move(doc.description)});
  }
  return pages;
}

}  // namespace

std::string MirroredDocsKey(const UpstreamProvider& provider, const Version& version) {
  return "provider-docs:" + provider.Key() + "@" + version.ToString();
}

Task<std::vector<SearchablePage>> ReadMirroredPages(UpstreamDocuments& documents,
                                                    WorkerPool& workers, UpstreamProvider provider,
                                                    Version version) {
  auto held = co_await documents.FindDocument(MirroredDocsKey(provider, version));
  if (!held && held.error().kind == ErrorKind::kNotFound) {
    co_return std::vector<SearchablePage>();
  }
  if (!held) co_return Failure(std::move(held).error());
  auto read = [&held] { return SearchablePagesOf(held->body); };
  co_return co_await Offload(workers, read);
}

}  // namespace koya::service
