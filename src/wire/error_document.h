// {"errors":["sentence", …]}: how every failure looks, on every path.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace koya::wire {

std::string EncodeErrors(std::span<const std::string> sentences);
std::string EncodeError(std::string_view sentence);

// The sentences of an error document; empty when `body` is not one. Tolerant, since it also reads
// what other registries send: strings are taken, other elements passed over.
std::vector<std::string> DecodeErrors(std::string_view body);

}  // namespace koya::wire
