// The twins of a page, for programs: the same address with ".md" or ".json" at its end.
#pragma once

#include <string>
#include <string_view>

#include "http/server/message.h"

namespace koya::api {

enum class Twin { kPage, kMarkdown, kJson };

struct TwinName {
  std::string_view name;  // without the ending
  Twin twin = Twin::kPage;
};

// The last part of a path. What ends so is always the twin of what stands before it: a prerelease
// "1.0.0-rc.md" is found by the page of all versions.
TwinName ReadTwin(std::string_view part);

// Of the same things as the page, and so for whoever may read them.
http::Response MarkdownReply(std::string body);
http::Response JsonTwinReply(std::string body);

}  // namespace koya::api
