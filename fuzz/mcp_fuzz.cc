// Messages of language models' clients: whatever they are, the response is small, and it is one.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "base/text.h"
#include "wire/mcp.h"

namespace wire = koya::wire;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const wire::McpMessage message = wire::ReadMcp(body);
  if (const auto* problem = std::get_if<wire::McpProblem>(&message.content)) {
    if (problem->message.empty()) std::abort();  // a refusal without a reason
    if (wire::EncodeMcpProblem(message.id, *problem).size() > wire::kMostMcpResponse) std::abort();
  }
  if (!koya::IsUtf8(body)) return 0;
  const std::string response = wire::EncodeMcpText(message.id, body, false);
  if (response.size() > wire::kMostMcpResponse || !koya::IsUtf8(response)) std::abort();
  return 0;
}
