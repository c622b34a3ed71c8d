// For tests: whether a JSON document is what a schema (2020-12, as far as OpenAPI documents of ours
// use it) says of it.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

namespace koya::api {

// What "#/components/schemas/Token" is in the document; nullptr: nothing.
const boost::json::value* Resolve(const boost::json::value& document, std::string_view reference);

// Whether a value is what a schema says; why not, with its place. What a schema of an object does
// not name may not be there: the answers' documents are described whole.
std::string Mismatch(const boost::json::value& document, const boost::json::object& schema,
                     const boost::json::value& value, const std::string& place);

}  // namespace koya::api
