// Names under which changes are announced. All data that is derived from the catalog (a document,
// an open file) belongs to one topic, and is invalidated when that topic changes.
//
// Every transaction that changes such data appends its topics to the change log, so that all
// servers learn of them; topics are spelled only here.
#pragma once

#include <string>
#include <string_view>

namespace koya {

class ModuleAddress;
class ProviderAddress;
struct UpstreamModule;
struct UpstreamProvider;

// Anything may have changed.
inline constexpr std::string_view kEverything;

std::string ModuleTopic(const ModuleAddress& address);      // "module:acme/vpc/aws"
std::string ProviderTopic(const ProviderAddress& address);  // "provider:acme/demo"
std::string TokenTopic(std::string_view name);              // "token:ci"
std::string NamespaceTopic(std::string_view ns);            // "namespace:acme", by NamespaceKey
bool IsNamespaceTopic(std::string_view topic);
// Permissions: accounts, groups, grants; and sign-in: passwords, sessions.
inline constexpr std::string_view kAccessTopic = "access";
// Whether the registry is frozen.
inline constexpr std::string_view kFreezeTopic = "freeze";
// For another registry: "mirror:registry.example.com/acme/demo". `key` is a provider's or module's.
std::string MirrorTopic(std::string_view key);
std::string MirrorTopic(const UpstreamProvider& provider);
std::string MirrorTopic(const UpstreamModule& module);

}  // namespace koya
