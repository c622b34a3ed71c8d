// Searches for programs and pages alike: their order, by the name in the query's "sort", and their
// results, with those of the documentation.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "domain/page.h"
#include "domain/search_record.h"
#include "service/search/search.h"

namespace koya::api {

struct Call;

// Parses "best", "newest" or "name". Fails: kInvalid, with the valid names.
Result<SearchOrder> SearchOrderNamed(const std::string& name);

// What the caller may read, then guides, settings and errors. Where only these have all words as
// written, there is nothing else. Fails: as service::Search::FindHits.
Task<service::SearchAnswer> FindWithManual(Call& call, std::string text, PageRequest page,
                                           SearchOrder order);

}  // namespace koya::api
