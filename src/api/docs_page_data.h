// What pages of documentation share, whether the provider is published here or kept of another
// registry.
#pragma once

#include <string>
#include <vector>

#include "api/call.h"
#include "domain/provider_docs_record.h"
#include "service/docs_index.h"
#include "web/doc_groups.h"

namespace koya::api {

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

// The page that {kind} and `name` mean; below "cdktf" stands the overview of a language.
DocName DocNameOf(const Call& call, std::string_view name);

}  // namespace koya::api
