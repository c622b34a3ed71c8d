// The README tab of a module version, which is the first tab of its page.
#pragma once

#include "base/task.h"
#include "http/server/message.h"

namespace koya::api {

struct Call;

// Shows the README and the cards beside it. Fails: as AnswerModuleTab.
Task<http::Response> ShowModuleReadme(Call& call);

}  // namespace koya::api
