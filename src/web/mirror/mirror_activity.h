// Renders the tiles of the mirror's recent activity.
#pragma once

#include "web/common/view.h"
#include "web/mirror/mirror_pages.h"

namespace koya::web {

// Adds the fields of the piece _mirror_of_late.
void AddActivity(View& view, const ShownActivity& activity);

}  // namespace koya::web
