// What the routes for programs take and answer: the route table, and what the Markdown beside it
// says of each route in a block of its own,
//
//   ```api listModules                     the operation's id
//   ?limit: 1..100 = 15 -- how many        a parameter of the query; "?q!" is needed
//   body: TokenRequest                     JSON; "body?" may be left out, "@TYPE" are bytes
//   form: {token: text}                    application/x-www-form-urlencoded
//   200: ModuleList -- what they mean      an answer, as a body
//   400 404                                errors, which all have the same document
//   ```
//
// with shapes as in wire/shape.h. What follows from the table is added: parameters of the path, 401
// and 403 where tokens are looked at, 413 where there is a body. Thread-safe; made once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/openapi.h"

namespace koya::api {

struct Route;

struct Operation {
  const Route* route = nullptr;
  wire::ApiOperation described;
};

// Of every route that has such a block, in the order of the table. Throws std::logic_error where a
// block cannot be read, with the route: it is part of the program.
const std::vector<Operation>& Operations();

// The groups that they are in, in order of reading.
const std::vector<wire::ApiGroup>& OperationGroups();

// What holds for all of them, in Markdown.
std::string_view ApiPreface();

// The document of OpenAPI 3.1. `url` is this server's. Fails: kInvalid: as EncodeOpenApi; a test
// shows that it does not.
Result<std::string> OpenApiText(std::string version, std::string url);

}  // namespace koya::api
