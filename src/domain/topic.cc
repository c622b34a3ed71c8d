#include "domain/topic.h"

#include "domain/namespace_record.h"
#include "domain/upstream_record.h"

namespace koya {

std::string ModuleTopic(const ModuleAddress& address) { return "module:" + address.Key(); }

std::string ProviderTopic(const ProviderAddress& address) {
  return "provider:" + address.ToString();
}

std::string TokenTopic(std::string_view name) { return "token:" + std::string(name); }

bool IsNamespaceTopic(std::string_view topic) { return topic.starts_with("namespace:"); }

std::string NamespaceTopic(std::string_view ns) { return "namespace:" + NamespaceKey(ns); }

std::string MirrorTopic(std::string_view key) { return "mirror:" + std::string(key); }

std::string MirrorTopic(const UpstreamProvider& provider) { return MirrorTopic(provider.Key()); }

std::string MirrorTopic(const UpstreamModule& module) { return MirrorTopic(module.Key()); }

}  // namespace koya
