// Checks what a tool needs of one response. Pure: a recorded response in, a finding out.
#pragma once

#include <string>
#include <vector>

#include "doctor/finding.h"
#include "doctor/recorded_answer.h"
#include "doctor/tool_requests.h"

namespace koya::doctor {

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
