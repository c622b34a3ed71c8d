// The first tab of a module's version, which its page begins with.
#pragma once

#include "base/task.h"
#include "http/server/message.h"

namespace koya::api {

struct Call;

// Its README and what stands beside it. Fails: as AnswerModuleTab.
Task<http::Response> ShowModuleReadme(Call& call);

}  // namespace koya::api
