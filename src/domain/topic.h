// The names under which changes are announced. Whatever is derived from the catalog (a document, an
// open file) belongs to one topic, and is dropped when that topic changes.
//
// Every transaction that changes what is derived appends its topics to the change log, so that all
// servers hear of them; nobody spells a topic anywhere else.
#pragma once

#include <string>
#include <string_view>

#include "domain/upstream_record.h"

namespace koya {

// Anything may have changed.
inline constexpr std::string_view kEverything;

std::string ModuleTopic(const ModuleAddress& address);      // "module:acme/vpc/aws"
std::string ProviderTopic(const ProviderAddress& address);  // "provider:acme/demo"
std::string TokenTopic(std::string_view name);              // "token:ci"
std::string NamespaceTopic(std::string_view ns);            // "namespace:acme", by NamespaceKey
bool IsNamespaceTopic(std::string_view topic);
// What somebody may do: accounts, groups, grants; and how they come in: passwords, sessions.
inline constexpr std::string_view kAccessTopic = "access";
// Of another registry: "mirror:registry.example.com/acme/demo". `key` is a provider's or module's.
std::string MirrorTopic(std::string_view key);
inline std::string MirrorTopic(const UpstreamProvider& provider) {
  return MirrorTopic(provider.Key());
}
inline std::string MirrorTopic(const UpstreamModule& module) { return MirrorTopic(module.Key()); }

}  // namespace koya
