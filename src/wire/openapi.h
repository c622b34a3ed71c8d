// Writes the API description as OpenAPI 3.1. The owner of the routes fills it in. A shape describes
// a document, a parameter or a part of one in one readable line:
//
//   {name: text, scope: "read" | "publish" | "admin", namespaces?: [text], expires: time | null}
//
// text, time (RFC 3339), integer, number, boolean, any and null; 1..100, a whole number in that
// range; "read", this text; [A], a list; {a: A, b?: B}, an object, in which b is optional, and
// {*: A}, one with arbitrary names; A | B, either; Name, a document of that name (DocumentNames()).
// Pure and thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// The names of documents that shapes may use, sorted.
const std::vector<std::string>& DocumentNames();

// The JSON Schema of a shape, as JSON. Fails: kInvalid, with the unreadable place or the unknown
// document name.
Result<std::string> ShapeSchema(std::string_view shape);

// A shape formatted for people as a block: one member a line, and named documents expanded. Fails:
// the same.
Result<std::string> ShapeText(std::string_view shape);

struct ApiParameter {
  std::string name;
  bool in_path = false;  // otherwise in the query
  bool required = false;
  std::string shape;
  std::string fallback;  // the default value, as JSON; "": none
  std::string text;      // Markdown; may be empty

  friend bool operator==(const ApiParameter&, const ApiParameter&) = default;
};

// The body of a request or a response. Without a media type there is none; without a shape it is
// bytes.
struct ApiBody {
  std::string media_type;
  std::string shape;
  bool required = true;  // for requests

  friend bool operator==(const ApiBody&, const ApiBody&) = default;
};

struct ApiAnswer {
  unsigned status = 200;
  ApiBody body;      // for an error without a body: the error document
  std::string text;  // Markdown; "": the meaning of the status

  friend bool operator==(const ApiAnswer&, const ApiAnswer&) = default;
};

enum class ApiToken { kNone, kOptional, kNeeded };

struct ApiOperation {
  std::string method;  // "get"
  std::string path;    // "/v1/modules/{namespace}"
  std::string id;      // "listModulesOfNamespace"
  std::string group;   // one of ApiDescription::groups, by its name
  std::string summary;
  std::string text;  // Markdown
  std::vector<ApiParameter> parameters;
  std::optional<ApiBody> body;
  std::vector<ApiAnswer> answers;  // success first
  ApiToken token = ApiToken::kNone;
  std::string scope;  // of a required token: "publish"; "": any

  friend bool operator==(const ApiOperation&, const ApiOperation&) = default;
};

struct ApiGroup {
  std::string name;   // "modules"; letters and "-"
  std::string title;  // "Modules"
  std::string text;   // one sentence
};

struct ApiDescription {
  std::string version;  // of the program
  std::string server;   // its address: "https://registry.example.com"
  std::string text;     // Markdown: applies to all operations
  std::vector<ApiGroup> groups;
  std::vector<ApiOperation> operations;
  // The meaning of each status, Markdown; for all statuses of the operations.
  std::map<unsigned, std::string> errors;
};

// Fails: kInvalid, naming the operation, when something cannot be described: an unreadable shape,
// an unknown document or an unknown status.
Result<std::string> EncodeOpenApi(const ApiDescription& api);

// The meaning of a success status, in a few words: "Done".
std::string SuccessText(unsigned status);

}  // namespace koya::wire
