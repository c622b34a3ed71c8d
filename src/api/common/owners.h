// Owners of the namespace of a page, for callers who may see them: ADR 74.
#pragma once

#include <string>

#include "base/task.h"

namespace koya {
struct NamespaceOwners;
}

namespace koya::api {

struct Call;

// The owners of a namespace that the caller may read. Empty for callers who are not signed in with
// a browser, and if the owners are unavailable: the page does without.
Awaitable<NamespaceOwners> OwnersFor(Call& call, std::string ns);

}  // namespace koya::api
