// The composition root: builds every part of the server by hand, starts it, stops it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/settings.h"
#include "base/result.h"

namespace koya {

// Serves until SIGTERM or SIGINT, then drains. Calls `announce` once with "koya: ready URL" when
// the server accepts requests. Blocks. Fails: any error that keeps the server from serving, worded
// for the operator.
Status Serve(const LoadedSettings& settings,
             const std::function<void(std::string_view line)>& announce);

// The text of docs/api.md, made from the route table.
std::string ApiMarkdown();

}  // namespace koya
