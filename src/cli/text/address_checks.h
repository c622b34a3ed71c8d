// Checks arguments that name modules, providers and versions, during the parse of the command line
// (see readable.h). Each check returns the problem, or "".
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/upstream_record.h"

namespace koya::cli {

// Parses the address of a provider of another registry, as configurations have it. Fails: kInvalid.
Result<UpstreamProvider> ParseUpstreamProvider(std::string_view text);
// True if `text` is meant as such an address: it has three parts.
bool NamesUpstream(std::string_view text);

std::string CheckModule(const std::string& text);    // "acme/vpc/aws"
std::string CheckProvider(const std::string& text);  // "acme/demo"
// The same, or a provider of another registry: "registry.opentofu.org/hashicorp/aws".
std::string CheckAnyProvider(const std::string& text);
// A module or a provider.
std::string CheckModuleOrProvider(const std::string& text);
// The same for names that may be published.
std::string CheckOwnModule(const std::string& text);
std::string CheckOwnProvider(const std::string& text);
std::string CheckVersion(const std::string& text);
// A version to look up, which may be written "v1.2.0", too.
std::string CheckKnownVersion(const std::string& text);
// Text that is not blank.
std::string CheckSentence(const std::string& text);

}  // namespace koya::cli
