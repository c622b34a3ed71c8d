// The schemas of all API documents by name, for shapes and for OpenAPI. Included by wire's .cc
// files only, since it pulls in Boost.JSON.
#pragma once

#include "wire/schema.h"

namespace koya::wire {

// All schemas, sorted by name; built once.
const SchemaList& DocumentSchemas();
// nullptr: unknown name.
const boost::json::object* FindDocumentSchema(std::string_view name);

}  // namespace koya::wire
