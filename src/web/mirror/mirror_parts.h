// Shared parts of the mirror's pages, and the tiles of its recent activity.
#pragma once

#include "web/common/view.h"
#include "web/mirror/mirror_pages.h"

namespace koya::web {

enum class MirrorTab { kStatus, kPackages, kUpstreams, kPolicy, kExplain };

// Adds what the pieces _mirror_verdict, a chip, and _mirror_rule show: the deciding rule, with a
// link to its place in the policy and to who may change it.
void AddVerdict(View& view, ShownVerdict verdict, std::string_view rule);

// For the piece _mirror_of_late.
View ActivityView(const ShownActivity& activity);

}  // namespace koya::web
