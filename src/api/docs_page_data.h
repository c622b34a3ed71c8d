// What pages of documentation share, whether the provider is published here or kept of another
// registry.
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

// What the query of such a page says.
struct DocsQuestion {
  std::string filter;
  std::string group;
};
// Fails: kInvalid.
Result<DocsQuestion> ReadDocsQuestion(const Call& call);

std::vector<web::DocIndexEntry> EntriesOf(std::vector<service::DocEntry> index);

// "/docs/resources/thing": what follows the version in the path of a page.
std::string EndOf(const DocName& name);

// What modules write to use what a page is about: "demo_thing". `item`: what the schema calls it,
// where it is known; `type`: of the provider. "" of what modules do not use by its name.
std::string UsedTypeOf(const DocName& name, std::string item, std::string_view type);

// The modules published here that use it, in themselves or in a submodule, of those that the reader
// may know of; those that were published last come first. None where they cannot be looked for just
// now: the page does without.
Task<void> FillUsers(Call& call, std::string used_type, web::ProviderDocsPage& page);

// The page that {kind} and `name` mean; below "cdktf" stands the overview of a language.
DocName DocNameOf(const Call& call, std::string_view name);

}  // namespace koya::api
