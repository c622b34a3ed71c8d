// "Owned by …" in the heads of pages: the piece _owners. Pure and thread-safe.
#pragma once

#include "domain/namespace_owners.h"
#include "web/view.h"

namespace koya::web {

// Nothing is shown of nobody.
void AddOwners(View& view, const NamespaceOwners& owners);

}  // namespace koya::web
