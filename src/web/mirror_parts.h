// What pages of the mirror share.
#pragma once

#include "web/mirror_pages.h"

namespace koya::web {

enum class MirrorTab { kStatus, kPackages, kUpstreams, kPolicy, kExplain };

// The fields of the piece _mirror_head.
void AddMirrorHead(View& view, const MirrorHead& head, MirrorTab tab);

// The fields of the piece _mirror_verdict, a chip, and of _mirror_rule: the rule that says so, with
// the way to where the policy lists it and says who may change it.
void AddVerdict(View& view, ShownVerdict verdict, std::string_view rule);

}  // namespace koya::web
