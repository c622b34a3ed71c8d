// Converts shapes (shape.h) to JSON Schemas. Included by wire's .cc files only, since it pulls in
// Boost.JSON.
#pragma once

#include <boost/json.hpp>
#include <string_view>

#include "base/result.h"

namespace koya::wire {

// Names become {"$ref": "#/components/schemas/NAME"}, whether such a document exists or not.
Result<boost::json::object> ReadShape(std::string_view shape);

inline constexpr std::string_view kSchemaReference = "#/components/schemas/";

}  // namespace koya::wire
