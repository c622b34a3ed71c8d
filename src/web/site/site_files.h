// Well-known small files of a site for programs. Pure.
#pragma once

#include <string>
#include <string_view>

namespace koya::web {

// /robots.txt: of a site that search engines may index, except pages for programs and volatile
// ones; and of a site that they may not index.
std::string OpenRobotsText();
std::string ClosedRobotsText();

// /llms.txt: what the site has and how to request it, in Markdown for language models. `host` is
// this server's name for clients.
std::string LlmsText(std::string_view site_name, std::string_view url, std::string_view host);

// OpenSearch 1.1: lets a browser search this site. `url` has no slash at its end.
std::string OpenSearchText(std::string_view site_name, std::string_view url);

}  // namespace koya::web
