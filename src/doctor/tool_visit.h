// Plays the requests of a tool (tool_requests.h) for one module or provider. Blocks as `ask` does.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "doctor/finding.h"
#include "doctor/recorded_answer.h"
#include "doctor/tool_requests.h"
#include "http/url.h"

namespace koya::doctor {

struct ToolVisit {
  const Tool& tool;
  std::span<const ToolRequest> requests;  // tool.of_modules or tool.of_providers
  std::string_view kind;                  // "module" or "provider", for findings
  http::Url registry;
  std::string address;  // "acme/vpc/aws"
  std::string os;       // of providers
  std::string arch;
  // The user's token for a URL, "" for none: callers know where it may go.
  std::function<std::string(const http::Url&)> token_for;
  std::function<Result<RecordedAnswer>(const Question&)> ask;
};

// Passes each finding to the callback at once. Stops at the first failure: the tool does, too.
void PlayTool(const ToolVisit& visit, const std::function<void(Finding)>& tell);

}  // namespace koya::doctor
