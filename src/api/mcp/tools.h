// The tools that language models use (wire/mcp.h). Each returns text for a model to read: its own
// words, and quoted lines (quotation.h). All of them only read, with the rights of the caller.
//
// They fail: kInvalid, kNotFound, kGone, with a message that the model can act on; as the services
// that they call.
#pragma once

#include <string>

#include "base/task.h"
#include "wire/mcp.h"

namespace koya::api {

struct Call;

Task<std::string> UseTool(Call& call, wire::McpSearch asked);
Task<std::string> UseTool(Call& call, wire::McpGetModule asked);
Task<std::string> UseTool(Call& call, wire::McpListVersions asked);
Task<std::string> UseTool(Call& call, wire::McpGetProviderDoc asked);
Task<std::string> UseTool(Call& call, wire::McpExplain asked);
Task<std::string> UseTool(Call& call, wire::McpImpact asked);

}  // namespace koya::api
