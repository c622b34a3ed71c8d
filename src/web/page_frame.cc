#include "web/page_frame.h"

#include <utility>

#include "web/addresses.h"
#include "web/local_path.h"
#include "web/shown_text.h"

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
      return "/-/docs";
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

std::vector<View> LanguageViews(const PageFrame& frame) {
  std::vector<View> views;
  views.reserve(kLanguages.size());
  for (Language language : kLanguages) {
    views.push_back(View()
                        .Text("language_path", PathInLanguage(frame.path, language))
                        .Text("language_tag", LanguageTag(language))
                        .Text("language_name", LanguageName(language))
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
                        .Flag("is_auto", theme == Theme::kAuto)
                        .Flag("is_light", theme == Theme::kLight)
                        .Flag("is_dark", theme == Theme::kDark));
  }
  return views;
}

}  // namespace

View FrameView(const PageFrame& frame, SignInLink sign_in) {
  bool offer = sign_in == SignInLink::kShown && frame.account.empty();
  View view;
  view.Text("lang", LanguageTag(frame.language))
      .Text("theme", ThemeName(frame.theme))
      .Text("title_site", TitleText(frame.site_name))
      .Text("site", frame.site_name)
      .Text("csrf", frame.csrf)
      .Text("account", frame.account)
      .Flag("offers_sign_in", offer)
      .Flag("offers_sign_out", !frame.account.empty() && !frame.csrf.empty())
      .Text("home_path", kHomeAddress)
      .Text("sign_in_path", SignInPath(frame.path))
      .Text("sign_out_address", kSignOutAddress)
      .Text("preferences_address", kPreferencesAddress)
      .Text("path_back", PathWithoutLanguage(frame.path))
      .Flag("has_sections", !frame.sections.empty())
      .List("sections", SectionViews(frame))
      .List("languages", LanguageViews(frame))
      .List("themes", ThemeViews(frame));
  return view;
}

}  // namespace koya::web
