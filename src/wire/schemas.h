// The documents of the API by name, for shapes and for OpenAPI. Included by wire's .cc files only,
// since it brings in Boost.JSON.
#pragma once

#include "wire/schema.h"

namespace koya::wire {

// All of them, in order of name; made once.
const SchemaList& DocumentSchemas();
// nullptr: there is none of that name.
const boost::json::object* FindDocumentSchema(std::string_view name);

}  // namespace koya::wire
