#include "web/common/page_frame.h"

#include <fmt/format.h>

#include <array>

#include "web/common/text_safety.h"
#include "web/common/words.h"

namespace koya::web {
namespace {

bool IsListed(const PageFrame& frame) {
  return !frame.canonical.empty() && !frame.site_url.empty();
}

std::string AbsolutePath(const PageFrame& frame, std::string_view path) {
  return fmt::format("{}{}", frame.site_url, LocalPath(path));
}

// Search engines get the path without parameters that only change its presentation, as an absolute
// URL, the only form that they accept.
View LanguageView(const PageFrame& frame, Language language) {
  const std::string listed =
      IsListed(frame) ? AbsolutePath(frame, PathInLanguage(frame.canonical, language)) : "";
  return View()
      .Set("language_url", listed)
      .Set("language_code", LanguageCode(language))
      .Set("language_tag", LanguageTag(language))
      .Set("language_name", LanguageName(language))
      .Set("is_current", language == frame.language);
}

// Unknown keys show nothing: the key comes from a cookie.
std::string NoticeText(const PageFrame& frame) {
  if (!frame.notice) return {};
  const std::string key = "note." + frame.notice->key;
  if (!WordsOf(frame.language).contains(key)) return {};
  const std::array<Filling, 1> fillings{{{"what", frame.notice->what}}};
  return FilledWord(frame.language, key, fillings);
}

// What other sites and feed readers make of the page.
void AddPublicFacts(const PageFrame& frame, View& view) {
  const bool is_listed = IsListed(frame);
  view.Set("is_listed", is_listed)
      .Set("canonical", is_listed ? AbsolutePath(frame, frame.canonical) : "")
      .Set("description", TitleText(frame.description))
      .Set("feed", frame.feed.empty() ? "" : LocalPath(frame.feed));
}

// Before which the page's own part begins: see _top.mustache.
constexpr std::string_view kContentMark =
    "<main id=\"main\" tabindex=\"-1\"><div class=\"wrap\">\n";

// How the footer says how this server is: see _foot.mustache.
std::string HealthMark(std::string_view classes, std::string_view words) {
  return fmt::format("<span class=\"{}\" id=\"health\"></span>{}", classes, words);
}

}  // namespace

View FrameView(const PageFrame& frame, SignInLink sign_in) {
  const bool offers = sign_in == SignInLink::kShown;
  View view;
  view.Set("lang", LanguageTag(frame.language))
      .Set("theme", frame.theme)
      .Set("keys_are_off", frame.keys_are_off)
      .Set("title_site", TitleText(frame.site_name))
      .Set("site", frame.site_name)
      .Set("version", frame.version)
      .Set("csrf", frame.csrf)
      .Set("account", frame.account)
      .Set("offers_sign_in", offers && frame.account.empty())
      .Set("offers_sign_out", !frame.account.empty() && !frame.csrf.empty())
      .Set("administers", frame.administers)
      .Set("sign_in_path", SignInPath(frame.path))
      .Set("path_back", PathWithoutLanguage(frame.path))
      .Set("is_well", frame.is_well)
      .List("sections", frame.sections,
            [&frame](Section section) {
              return View().Set("section", section).Set("is_current", frame.current == section);
            })
      .Set("has_search", frame.has_search && offers)
      .Set("search_query", frame.query)
      .List("crumbs", frame.crumbs,
            [](const Crumb& crumb) {
              return View().Set("crumb_name", crumb.name).Set("crumb_path", LocalPath(crumb.path));
            })
      .Set("notice", NoticeText(frame))
      .List("languages", kLanguages,
            [&frame](Language language) { return LanguageView(frame, language); })
      .List("themes", kThemes, [&frame](Theme theme) {
        return View().Set("offered", theme).Set("is_chosen", theme == frame.theme);
      });
  AddPublicFacts(frame, view);
  return view;
}

std::string WithOfflineNote(std::string_view page, Language language) {
  const std::size_t found = page.find(kContentMark);
  if (found == page.npos) return std::string(page);
  const std::size_t at = found + kContentMark.size();
  std::string marked =
      fmt::format("{}<div class=\"note warn\" role=\"status\"><p>{}</p></div>\n{}",
                  page.substr(0, at), Word(language, "note.offline"), page.substr(at));
  const std::string well = HealthMark("dot", Word(language, "frame.well"));
  const std::size_t health = marked.rfind(well);
  if (health == marked.npos) return marked;
  return marked.replace(health, well.size(), HealthMark("dot bad", Word(language, "frame.unwell")));
}

}  // namespace koya::web
