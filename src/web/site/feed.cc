#include "web/site/feed.h"

#include <fmt/format.h>

#include <algorithm>

#include "markup/entities.h"
#include "web/common/html_text.h"

namespace koya::web {
namespace {

std::string Xml(std::string_view text) {
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
      Xml(entry.name), Xml(TagOf(feed, entry.path)), Xml(feed.site_url), Xml(entry.path), moment,
      moment);
  const std::string author = entry.author.empty() ? feed.site_host : entry.author;
  text += fmt::format("<author><name>{}</name></author>", Xml(author));
  if (!entry.summary.empty()) text += fmt::format("<summary>{}</summary>", Xml(entry.summary));
  return text + "</entry>\n";
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
      Xml(feed.title), Xml(TagOf(feed, feed.path)), Xml(feed.site_url), Xml(feed.path),
      Xml(feed.site_url), Xml(feed.page_path), FormatRfc3339(updated));
  for (const FeedEntry& entry : feed.entries) text += EntryText(feed, entry);
  return text + "</feed>\n";
}

}  // namespace koya::web
