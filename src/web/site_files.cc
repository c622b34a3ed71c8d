#include "web/site_files.h"

#include <fmt/format.h>

#include "markup/entities.h"
#include "web/addresses.h"
#include "web/shown_text.h"

namespace koya::web {
namespace {

std::string XmlText(std::string_view text) {
  std::string escaped;
  markup::AppendEscaped(TitleText(text), escaped);
  return escaped;
}

// OpenSearch allows 16 characters.
std::string ShortName(std::string_view text) {
  constexpr std::size_t kMost = 16;
  std::size_t characters = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (begins && ++characters > kMost) break;
    ++end;
  }
  return std::string(text.substr(0, end));
}

}  // namespace

std::string ClosedRobotsText() { return "User-agent: *\nDisallow: /\n"; }

std::string OpenRobotsText() {
  return "User-agent: *\n"
         "Disallow: /api/\nDisallow: /v1/\nDisallow: /mirror/\nDisallow: /origin/\n"
         "Disallow: /download/\nDisallow: /oauth/\nDisallow: /login\nDisallow: /search\n"
         "Disallow: /-/\nAllow: /-/assets/\n";
}

std::string OpenSearchText(std::string_view site_name, std::string_view url) {
  return fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>{}</ShortName>
<Description>{}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Url type="text/html" method="get" template="{}{}?q={{searchTerms}}"/>
</OpenSearchDescription>
)",
      XmlText(ShortName(TitleText(site_name))), XmlText(site_name), XmlText(url), kSearchAddress);
}

}  // namespace koya::web
