#include "web/common/page_frame.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "web/common/addresses.h"
#include "web/common/text_safety.h"
#include "web/common/words.h"

namespace koya::web {
namespace {

std::string_view SectionPath(Section section) {
  switch (section) {
    case Section::kModules:
      return "/modules";
    case Section::kProviders:
      return "/providers";
    case Section::kMirror:
      return "/-/mirror";
    case Section::kDocs:
      return kDocsAddress;
  }
  return kHomeAddress;
}

std::vector<View> SectionViews(const PageFrame& frame) {
  std::vector<View> views;
  views.reserve(frame.sections.size());
  for (Section section : frame.sections) {
    views.push_back(View()
                        .Text("section_path", SectionPath(section))
                        .Flag("is_current", frame.current == section)
                        .Flag("is_modules", section == Section::kModules)
                        .Flag("is_providers", section == Section::kProviders)
                        .Flag("is_mirror", section == Section::kMirror)
                        .Flag("is_docs", section == Section::kDocs));
  }
  return views;
}

bool IsListed(const PageFrame& frame) {
  return !frame.canonical.empty() && !frame.site_url.empty();
}

std::string AbsolutePath(const PageFrame& frame, std::string_view path) {
  return fmt::format("{}{}", frame.site_url, LocalPath(path));
}

// Search engines get the path without parameters that only change its presentation, as an absolute
// URL, the only form that they accept.
std::vector<View> LanguageViews(const PageFrame& frame) {
  std::vector<View> views;
  views.reserve(kLanguages.size());
  for (Language language : kLanguages) {
    const std::string listed =
        IsListed(frame) ? AbsolutePath(frame, PathInLanguage(frame.canonical, language)) : "";
    views.push_back(View()
                        .Text("language_url", listed)
                        .Text("language_code", LanguageCode(language))
                        .Text("language_tag", LanguageTag(language))
                        .Text("language_name", LanguageName(language))
                        .Text("is_pressed", language == frame.language ? "true" : "false")
                        .Flag("is_current", language == frame.language));
  }
  return views;
}

std::vector<View> ThemeViews(const PageFrame& frame) {
  std::vector<View> views;
  views.reserve(kThemes.size());
  for (Theme theme : kThemes) {
    views.push_back(View()
                        .Text("theme_name", ThemeName(theme))
                        .Text("is_pressed", theme == frame.theme ? "true" : "false")
                        .Flag("is_chosen", theme == frame.theme)
                        .Flag("is_auto", theme == Theme::kAuto)
                        .Flag("is_light", theme == Theme::kLight)
                        .Flag("is_dark", theme == Theme::kDark));
  }
  return views;
}

std::vector<View> CrumbViews(const PageFrame& frame) {
  std::vector<View> views;
  views.reserve(frame.crumbs.size());
  for (const Crumb& crumb : frame.crumbs) {
    views.push_back(
        View().Text("crumb_name", crumb.name).Text("crumb_path", LocalPath(crumb.path)));
  }
  return views;
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
  view.Flag("is_listed", is_listed)
      .Text("canonical", is_listed ? AbsolutePath(frame, frame.canonical) : "")
      .Text("description", TitleText(frame.description))
      .Text("feed", frame.feed.empty() ? "" : LocalPath(frame.feed))
      .Text("opensearch_address", frame.sections.empty() ? "" : kOpenSearchAddress);
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
  bool offer = sign_in == SignInLink::kShown && frame.account.empty();
  View view;
  view.Text("lang", LanguageTag(frame.language))
      .Text("theme", ThemeName(frame.theme))
      .Flag("keys_are_off", frame.keys_are_off)
      .Text("title_site", TitleText(frame.site_name))
      .Text("site", frame.site_name)
      .Text("version", frame.version)
      .Text("csrf", frame.csrf)
      .Text("account", frame.account)
      .Flag("offers_sign_in", offer)
      .Flag("offers_sign_out", !frame.account.empty() && !frame.csrf.empty())
      .Text("admin_address", frame.administers ? kAdminAddress : "")
      .Text("home_path", kHomeAddress)
      .Text("search_address", kSearchAddress)
      .Text("sign_in_path", SignInPath(frame.path))
      .Text("sign_out_address", kSignOutAddress)
      .Text("own_settings_path", kSettingsAddress)
      .Text("own_tokens_path", kTokensAddress)
      .Text("setup_path", kSetupAddress)
      .Text("preferences_address", kPreferencesAddress)
      .Text("path_back", PathWithoutLanguage(frame.path))
      .Text("api_docs_address", kApiDocsAddress)
      .Text("accessibility_address", kAccessibilityAddress)
      .Flag("is_well", frame.is_well)
      .Flag("has_sections", !frame.sections.empty())
      .List("sections", SectionViews(frame))
      .Flag("has_search", frame.has_search && sign_in == SignInLink::kShown)
      .Text("search_query", frame.query)
      .Flag("has_crumbs", !frame.crumbs.empty())
      .List("crumbs", CrumbViews(frame))
      .Text("notice", NoticeText(frame))
      .List("languages", LanguageViews(frame))
      .List("themes", ThemeViews(frame));
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
