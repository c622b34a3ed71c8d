// Encode and Decode for the JSON documents that the headers of this folder declare as structs. Each
// document's .cc file says how it is written and read (wire/document.h), and defines both.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace koya::wire {

template <class T>
std::string Encode(const T& document);
// Fails: kInvalid; the message names the document and the member.
template <class T>
Result<T> Decode(std::string_view body);

}  // namespace koya::wire
