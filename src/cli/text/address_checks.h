// Arguments that name modules, providers and versions, judged while the command line is read (see
// readable.h). Each returns what is wrong, or "".
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/upstream_record.h"

namespace koya::cli {

// A provider of another registry, as it stands in configurations. Fails: kInvalid.
Result<UpstreamProvider> ParseUpstreamProvider(std::string_view text);
// Whether `text` is meant to be one: it has three parts.
bool NamesUpstream(std::string_view text);

std::string CheckModule(const std::string& text);    // "acme/vpc/aws"
std::string CheckProvider(const std::string& text);  // "acme/demo"
// The same, or one of another registry: "registry.opentofu.org/hashicorp/aws".
std::string CheckAnyProvider(const std::string& text);
// Either.
std::string CheckModuleOrProvider(const std::string& text);
// The same of names that may be published under.
std::string CheckOwnModule(const std::string& text);
std::string CheckOwnProvider(const std::string& text);
std::string CheckVersion(const std::string& text);
// As what is looked up may be written: "v1.2.0", too.
std::string CheckKnownVersion(const std::string& text);
// Something is said.
std::string CheckSentence(const std::string& text);

}  // namespace koya::cli
