// Renders the API documentation: /-/docs/api, and a page for each group of requests. Built from the
// same description as /api/openapi.json.
#pragma once

#include <string>
#include <vector>

#include "markup/markdown.h"
#include "web/common/page_frame.h"

namespace koya::web {

struct ShownApiGroup {
  std::string name;   // in its path: "module-versions"
  std::string title;  // in English, like all texts of the API
  std::string text;   // one sentence
  std::size_t operations = 0;
};
struct ApiIndexPage {
  std::string url;           // of this server
  markup::Rendered preface;  // applies to all groups
  std::vector<ShownApiGroup> groups;
};
std::string RenderApiIndex(const PageFrame& frame, const ApiIndexPage& page);

struct ShownApiParameter {
  std::string name;
  bool in_path = false;
  bool is_needed = false;
  std::string shape;     // "1..100"
  std::string fallback;  // "15"; "": none
  markup::Rendered text;
};
struct ShownApiAnswer {
  unsigned status = 200;
  std::string kind;   // a media type; "": nothing is sent
  std::string shape;  // the schema, in lines; "": bytes
  markup::Rendered text;
  std::vector<std::string> codes;  // kinds of the errors
};
struct ShownApiOperation {
  std::string id;  // "listModules"
  std::string method;
  std::string path;
  std::string summary;
  std::string who;
  markup::Rendered text;
  std::vector<ShownApiParameter> parameters;
  std::string body_kind;  // a media type; "": nothing is sent
  std::string body_shape;
  bool may_lack_body = false;
  std::vector<ShownApiAnswer> answers;
  std::string command;  // curl …
};
struct ApiGroupPage {
  ShownApiGroup group;
  std::vector<ShownApiOperation> operations;
};
std::string RenderApiGroup(const PageFrame& frame, const ApiGroupPage& page);

}  // namespace koya::web
