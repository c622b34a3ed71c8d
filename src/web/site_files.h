// Small files that programs ask a site for. Pure.
#pragma once

#include <string>
#include <string_view>

namespace koya::web {

// /robots.txt: of a site that search engines may look at, without what is made for programs or is
// different each time; and of one that they may not.
std::string OpenRobotsText();
std::string ClosedRobotsText();

// /llms.txt: what is here and how to ask for it, in Markdown for language models. `host` as clients
// name this server.
std::string LlmsText(std::string_view site_name, std::string_view url, std::string_view host);

// OpenSearch 1.1: how a browser searches here. `url` has no slash at its end.
std::string OpenSearchText(std::string_view site_name, std::string_view url);

}  // namespace koya::web
