// Plays the requests of a tool (tool_requests.h) for one module or provider. Blocks as `ask` does.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// ---- checks of what a tool needs of one response. Pure: a recorded response in, a finding out.

// The finding's step is the tool's name.
struct FieldVerdict {
  Finding finding;
  std::vector<std::string> values;  // the texts at the field's path; empty after a failure
};

FieldVerdict CheckField(const Tool& tool, const NeededField& field, const RecordedAnswer& exchange);

// Checks the status. `token_was_sent` decides which advice the finding has.
Finding CheckStatus(const Tool& tool, const ToolRequest& request, const RecordedAnswer& exchange,
                    bool token_was_sent);

}  // namespace koya::doctor
