// User-Agents: the parsed fields fit into a row and into a report, and a label is safe to show:
// plain characters that are literally in the field.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "domain/usage_agent.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const koya::UsageAgent agent = koya::UsageAgent::Read(text);
  if (koya::UsageClient::FromNumber(agent.client.number()) != agent.client) std::abort();
  const bool bot = agent.client.product() >= koya::UsageClient::kFirstBot;
  if (agent.client.is_bot() != bot || agent.client.ToString().size() > 20) std::abort();
  if (agent.label.empty()) return 0;
  if (agent.label.size() > koya::UsageAgent::kMostLabel) std::abort();
  for (char c : agent.label) {
    if (c <= ' ' || c > '~' || c == '/' || c == '"' || c == ',' || c == '<') std::abort();
  }
  if (!text.contains("koya-consumer/" + agent.label)) std::abort();
  return 0;
}
