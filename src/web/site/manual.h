// The texts of docs/ that are embedded in the program, and the pages of /-/docs that show them.
// They are in English and have a single source: a registry shows the same files that developers
// read. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/search_record.h"
#include "markup/fragment.h"
#include "markup/markdown.h"
#include "web/common/page_frame.h"
#include "web/common/refusal.h"

namespace koya::web {

struct ManualText {
  std::string_view name;   // "access", in paths too
  std::string_view title;  // of its first heading: "Who may do what"
  std::string_view body;   // Markdown, without that heading
};

// All texts, by name.
const std::vector<ManualText>& ManualTexts();
// nullptr: no text has that name.
const ManualText* FindManualText(std::string_view name);

// The section below the heading "## NAME" of a text, without the heading; nullopt: there is none.
std::optional<std::string_view> ManualSection(const ManualText& text, std::string_view heading);
// The text before the first "## ".
std::string_view ManualPreface(const ManualText& text);
// Its first sentence, as plain text.
std::string ManualSentence(const ManualText& text);

// Renders our own Markdown. Links to other texts lead to their pages; links to files that only the
// source has become text that names the file.
markup::Rendered RenderManual(std::string_view markdown);

// "/-/docs/access".
std::string ManualPath(std::string_view name);

// ---- pages of /-/docs: index, one text, the kinds of errors, and the accessibility statement. The
// pages of the API follow below.

// Index of all texts, by the reader's task, each with its first sentence; and, if there is a query,
// the guides, settings and errors that it finds.
struct ManualIndexPage {
  std::string query;
  std::vector<SearchHit> hits;
  std::uint64_t total = 0;
  Refusal problem;  // of the query; empty: none
};
std::string RenderManualIndex(const PageFrame& frame, const ManualIndexPage& page);

struct ManualPage {
  std::string title;
  markup::Rendered text;
};
std::string RenderManualPage(const PageFrame& frame, const ManualPage& page);

// A kind of error, as in logs and paths.
struct ErrorCode {
  std::string code;  // "not_found"
  unsigned status = 500;
  std::string sentence;  // the first paragraph of its text
};
struct ErrorCodesPage {
  markup::Rendered preface;
  std::vector<ErrorCode> codes;
};
std::string RenderErrorCodes(const PageFrame& frame, const ErrorCodesPage& page);

struct ErrorCodePage {
  std::string code;
  unsigned status = 500;
  markup::Rendered text;
};
std::string RenderErrorCode(const PageFrame& frame, const ErrorCodePage& page);

// "/-/docs/errors/not_found".
std::string ErrorCodePath(std::string_view code);

// The accessibility statement: public, even where the registry is not.
std::string RenderAccessibility(const PageFrame& frame);

// ---- the documentation of the API: /-/docs/api, and a page for each group of requests. Built from
// the same description as /api/openapi.json.

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
