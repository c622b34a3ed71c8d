// {"errors":["sentence", …],"code":"not_found","status":404}: how every failure looks, on every
// path, and with `koya --json`. Terraform and OpenTofu read "errors" alone.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace koya::wire {

// `status` is the answer's; 0: nothing answered, which is null.
std::string EncodeErrors(std::span<const std::string> sentences, ErrorKind kind, unsigned status);

// What an error document says. Tolerant, since it also reads what other registries send: the
// strings of "errors" are taken, and whatever else is strange is passed over.
struct ErrorDocument {
  std::vector<std::string> sentences;  // empty: the body is no error document
  std::string code;                    // "": it names none
};
ErrorDocument DecodeErrorDocument(std::string_view body);
// Its sentences alone.
std::vector<std::string> DecodeErrors(std::string_view body);

}  // namespace koya::wire
