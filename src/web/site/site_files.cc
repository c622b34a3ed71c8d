#include "web/site/site_files.h"

#include <fmt/format.h>

#include "markup/entities.h"
#include "web/common/addresses.h"
#include "web/common/html_text.h"

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

std::string LlmsText(std::string_view site_name, std::string_view url, std::string_view host) {
  return fmt::format(
      R"(# {0}

> A private registry of modules and providers for OpenTofu and Terraform, served by Koya.

A module is used as `source = "{2}/NAMESPACE/NAME/SYSTEM"` with a `version`; a provider as `source = "{2}/NAMESPACE/TYPE"` in `required_providers`.
Private content needs a token: `Authorization: Bearer koya_…`.

## Finding

- [Search]({1}/api/v1/search?q=network): JSON. `q` takes words, `ns:NAME`, `kind:module,provider,input,output,resource,doc`, `uses:aws_vpc`, `needs:hashicorp/aws`, `deprecated:no`.
- [Modules]({1}/v1/modules): JSON, in order of address, `limit` and `offset`.
- [Providers]({1}/v1/providers): the same for providers.

## Reading

- `{1}/v1/modules/NAMESPACE/NAME/SYSTEM`: the latest version and the list of all.
- `{1}/api/v1/modules/NAMESPACE/NAME/SYSTEM/VERSION`: inputs with their types, outputs, resources, dependencies.
- `{1}/api/v1/modules/NAMESPACE/NAME/SYSTEM/VERSION/readme`: its README as HTML.
- `{1}/api/v1/modules/NAMESPACE/NAME/SYSTEM/diff?from=1.0.0&to=2.0.0`: the changes between two versions.
- `{1}/api/v1/providers/NAMESPACE/TYPE/VERSION/docs`: the pages of a provider's documentation.

## API

- [OpenAPI]({1}/api/openapi.json): every request, with its parameters and responses.
- [Documentation]({1}/-/docs): for people.

## News

- [Feed]({1}/-/feeds/all.atom): the latest releases.
)",
      TitleText(site_name), url, host);
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
