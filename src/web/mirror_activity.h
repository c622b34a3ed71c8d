// The tiles that tell what the mirror did of late.
#pragma once

#include "web/mirror_pages.h"
#include "web/view.h"

namespace koya::web {

// The fields of the piece _mirror_of_late.
void AddActivity(View& view, const ShownActivity& activity);

}  // namespace koya::web
