// Data of documentation pages, for providers that are published here and for mirrored ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"

namespace koya {
struct DocName;
}
namespace koya::service {
struct DocEntry;
}
namespace koya::web {
struct DocIndexEntry;
struct ProviderDocsPage;
}  // namespace koya::web

namespace koya::api {

struct Call;

// Query of a documentation page.
struct DocsQuestion {
  std::string filter;
  std::string group;

  bool IsAboutList() const { return !filter.empty() || !group.empty(); }
};
// Fails: kInvalid.
Result<DocsQuestion> ReadDocsQuestion(const Call& call);

std::vector<web::DocIndexEntry> EntriesOf(std::vector<service::DocEntry> index);

// "/docs/resources/thing": the part after the version in the path of a page.
std::string EndOf(const DocName& name);

// The name by which modules use the subject of a page: "demo_thing". `item`: its name in the
// schema, if known; `type`: of the provider. "" for subjects that modules do not use by name.
std::string UsedTypeOf(const DocName& name, std::string item, std::string_view type);

// Adds the modules published here that use `used_type`, in themselves or in a submodule, and that
// the reader may know of, the most recently published first. Adds none if the search fails: the
// page does without.
Task<void> FillUsers(Call& call, std::string used_type, web::ProviderDocsPage& page);

// The name of the page at {kind} and `name`; below "cdktf" that is the overview of a language.
DocName DocNameOf(const Call& call, std::string_view name);

}  // namespace koya::api
