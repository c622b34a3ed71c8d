// "Owned by …" in the heads of pages: the piece _owners. Pure and thread-safe.
#pragma once

#include "domain/namespace_owners.h"
#include "web/common/view.h"

namespace koya::web {

// Shows nothing without owners.
void AddOwners(View& view, const NamespaceOwners& owners);

}  // namespace koya::web
