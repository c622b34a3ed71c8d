#include "domain/topic.h"

namespace koya {

std::string ModuleTopic(const ModuleAddress& address) { return "module:" + address.Key(); }

std::string ProviderTopic(const ProviderAddress& address) {
  return "provider:" + address.ToString();
}

std::string TokenTopic(std::string_view name) { return "token:" + std::string(name); }

std::string MirrorTopic(std::string_view key) { return "mirror:" + std::string(key); }

}  // namespace koya
