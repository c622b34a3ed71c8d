// Who owns what a page shows, for those who may know: ADR 74.
#pragma once

#include <string>

#include "base/task.h"

namespace koya {
struct NamespaceOwners;
}

namespace koya::api {

struct Call;

// Of a namespace that whoever asks may read: nobody's names are told to who is not signed in with a
// browser. Nothing, too, where it cannot be known just now: the page goes without.
Awaitable<NamespaceOwners> OwnersFor(Call& call, std::string ns);

}  // namespace koya::api
