// {"errors":["sentence", …],"code":"not_found","status":404}: the format of every failure, on every
// path, and with `koya --json`. Terraform and OpenTofu read only "errors".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// `status` is the response's; 0: there was no response, written as null.
std::string EncodeErrors(std::span<const std::string> sentences, ErrorKind kind, unsigned status);

// The content of an error document. Decoding is tolerant, since other registries send such
// documents too: it takes the strings of "errors" and skips everything unexpected.
struct ErrorDocument {
  std::vector<std::string> sentences;  // empty: the body is not an error document
  std::string code;                    // "": the document has none
};
ErrorDocument DecodeErrorDocument(std::string_view body);
// Only its sentences.
std::vector<std::string> DecodeErrors(std::string_view body);

}  // namespace koya::wire
