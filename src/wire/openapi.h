// The API as a document that programs read: OpenAPI 3.1. What is described is filled in by whoever
// has the routes; shapes are those of shape.h. Pure and thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace koya::wire {

struct ApiParameter {
  std::string name;
  bool in_path = false;  // else in the query
  bool required = false;
  std::string shape;
  std::string fallback;  // what it is unless it is given, as JSON; "": nothing
  std::string text;      // Markdown; may be empty

  friend bool operator==(const ApiParameter&, const ApiParameter&) = default;
};

// Of a request or an answer. Without a media type there is none; without a shape it is bytes.
struct ApiBody {
  std::string media_type;
  std::string shape;
  bool required = true;  // of a request's

  friend bool operator==(const ApiBody&, const ApiBody&) = default;
};

struct ApiAnswer {
  unsigned status = 200;
  ApiBody body;      // of an error without one: the document of errors
  std::string text;  // Markdown; "": what the status says

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
  std::vector<ApiAnswer> answers;  // what goes well first
  ApiToken token = ApiToken::kNone;
  std::string scope;  // of a token that is needed: "publish"; "": any

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
  std::string text;     // Markdown: what holds for all
  std::vector<ApiGroup> groups;
  std::vector<ApiOperation> operations;
  // What a status means, Markdown; for all that operations have.
  std::map<unsigned, std::string> errors;
};

// Fails: kInvalid: what cannot be described so, with the operation: a shape that cannot be read, a
// document or a status that is not known.
Result<std::string> EncodeOpenApi(const ApiDescription& api);

// What a status that is no error means, in a few words: "Done".
std::string SuccessText(unsigned status);

}  // namespace koya::wire
