// Descriptions of the routes for programs: parameters and responses, from the route table and the
// block that the Markdown beside it has for each route,
//
//   ```api listModules                     the operation's id
//   ?limit: 1..100 = 15 -- how many        a parameter of the query; "?q!" is needed
//   body: TokenRequest                     JSON; "body?" may be left out, "@TYPE" are bytes
//   form: {token: text}                    application/x-www-form-urlencoded
//   200: ModuleList -- what they mean      an answer, as a body
//   400 404                                errors, which all have the same document
//   ```
//
// with shapes as in wire/openapi.h; those of an endpoint (wire/endpoint.h) are those of its types.
// The table adds: parameters of the path, 401 and 403 where tokens are checked, 413 where there is
// a body. Thread-safe; made once.
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

// The operation of `route`, whose Markdown is `details`. Throws std::logic_error, which names the
// route, if the block cannot be parsed or has other documents than the endpoint: blocks are part of
// the program.
Operation DescribeOperation(const Route& route, std::string_view details);

// One per route that has such a block, in the order of the table. Throws as DescribeOperation.
const std::vector<Operation>& Operations();

// The groups of the operations, in order of reading.
const std::vector<wire::ApiGroup>& OperationGroups();

// The text that applies to all operations, in Markdown.
std::string_view ApiPreface();

// The OpenAPI 3.1 document. `url`: of this server. Fails: kInvalid: as EncodeOpenApi; a test shows
// that it does not.
Result<std::string> OpenApiText(std::string version, std::string url);

}  // namespace koya::api
