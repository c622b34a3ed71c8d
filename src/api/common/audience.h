// Detects whether a request comes from a person, who gets pages, or from a program, which gets
// JSON, on paths that serve both; and the twins of a page, for programs.
#pragma once

#include <string>
#include <string_view>

#include "http/server/message.h"

namespace koya::api {

// True for paths of programs, where errors are JSON whatever the client accepts. `target`: a path,
// with its query or without.
bool IsForPrograms(std::string_view target);

// True if errors at `target` are pages for the client that sent the request.
bool WantsPages(const http::Request& request, std::string_view target);

// ---- twins of a page: the same address with ".md" or ".json" at its end

enum class Representation { kPage, kMarkdown, kJson };

struct RepresentationName {
  std::string_view name;  // without the ending
  Representation twin = Representation::kPage;
};

// Parses the last part of a path. A name with such an ending is always the twin of the name before
// it: the prerelease "1.0.0-rc.md" is found by the page of all versions.
RepresentationName ReadRepresentation(std::string_view part);

// Responses with a twin. It shows the same things as its page, and is for the same callers.
http::Response MarkdownReply(std::string body);
http::Response JsonRepresentationReply(std::string body);

}  // namespace koya::api
