#include "web/site/small_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "markup/characters.h"
#include "web/common/embedded.h"
#include "web/common/page_paths.h"
#include "web/common/text_safety.h"

namespace koya::web {
namespace {

std::string XmlText(std::string_view text) {
  std::string escaped;
  markup::AppendEscaped(TitleText(text), escaped);
  return escaped;
}

// RFC 4151. The year is that of the scheme, and not of the entry: ids never change.
std::string TagOf(const Feed& feed, std::string_view path) {
  return fmt::format("tag:{},2026:{}", feed.site_host, path);
}

std::string EntryText(const Feed& feed, const FeedEntry& entry) {
  const std::string moment = FormatRfc3339(entry.published_at);
  std::string text = fmt::format(
      "<entry><title>{}</title><id>{}</id><link rel=\"alternate\" type=\"text/html\" "
      "href=\"{}{}\"/><published>{}</published><updated>{}</updated>",
      XmlText(entry.name), XmlText(TagOf(feed, entry.path)), XmlText(feed.site_url),
      XmlText(entry.path), moment, moment);
  const std::string author = entry.author.empty() ? feed.site_host : entry.author;
  text += fmt::format("<author><name>{}</name></author>", XmlText(author));
  if (!entry.summary.empty()) text += fmt::format("<summary>{}</summary>", XmlText(entry.summary));
  return text + "</entry>\n";
}

constexpr std::size_t kMostBadgeText = 64;
constexpr std::size_t kHeight = 20;
constexpr std::size_t kMargin = 6;

// A letter of 11 px takes about seven, wherever it is read; textLength makes it exact.
std::size_t WidthOf(std::string_view text) { return text.size() * 7; }

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

std::string AtomText(const Feed& feed) {
  UnixSeconds updated = 0;
  for (const FeedEntry& entry : feed.entries) updated = std::max(updated, entry.published_at);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>{}</title>\n<id>{}</id>\n"
      "<link rel=\"self\" type=\"application/atom+xml\" href=\"{}{}\"/>\n"
      "<link rel=\"alternate\" type=\"text/html\" href=\"{}{}\"/>\n<updated>{}</updated>\n",
      XmlText(feed.title), XmlText(TagOf(feed, feed.path)), XmlText(feed.site_url),
      XmlText(feed.path), XmlText(feed.site_url), XmlText(feed.page_path), FormatRfc3339(updated));
  for (const FeedEntry& entry : feed.entries) text += EntryText(feed, entry);
  return text + "</feed>\n";
}

std::string BadgeText(std::string_view label, std::string_view value) {
  label = label.substr(0, kMostBadgeText);
  value = value.substr(0, kMostBadgeText);
  const std::size_t left = WidthOf(label) + 2 * kMargin;
  const std::size_t right = WidthOf(value) + 2 * kMargin;
  const std::string shown_label = XmlText(label);
  const std::string shown_value = XmlText(value);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "aria-label=\"{2}: {3}\"><title>{2}: {3}</title>"
      "<rect width=\"{0}\" height=\"{1}\" rx=\"3\" fill=\"#5d584b\"/>"
      "<path d=\"M{4} 0h{5}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{5}z\" fill=\"#175878\"/>"
      "<g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">"
      "<text x=\"{6}\" y=\"14\" textLength=\"{7}\">{2}</text>"
      "<text x=\"{8}\" y=\"14\" textLength=\"{9}\">{3}</text></g></svg>\n",
      left + right, kHeight, shown_label, shown_value, left, right - 3, kMargin, WidthOf(label),
      left + kMargin, WidthOf(value));
}

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

std::string InstallScript(std::string_view version, std::string_view url,
                          const std::vector<ClientProgram>& programs) {
  std::string platforms;
  for (const ClientProgram& each : programs) {
    platforms += fmt::format("{}    {}) arch={} digest={} ;;", platforms.empty() ? "" : "\n",
                             each.arch == "arm64" ? "Linux-aarch64 | Linux-arm64" : "Linux-x86_64",
                             each.arch, each.digest);
  }
  std::string script(EmbeddedInstallScript());
  for (const auto& [mark, text] : {std::pair<std::string_view, std::string_view>{"@URL@", url},
                                   {"@VERSION@", version},
                                   {"@PLATFORMS@", platforms}}) {
    for (std::size_t at = 0; (at = script.find(mark, at)) != script.npos; at += text.size()) {
      script.replace(at, mark.size(), text);
    }
  }
  return script;
}

}  // namespace koya::web
