// Arguments that name modules, providers and versions, judged while the command line is read (see
// readable.h). Each returns what is wrong, or "".
#pragma once

#include <string>

namespace koya::cli {

std::string CheckModule(const std::string& text);    // "acme/vpc/aws"
std::string CheckProvider(const std::string& text);  // "acme/demo"
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
