// The frame around all pages: title, header, search, languages, theme, and what a page may load.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "web/common/language.h"
#include "web/common/view.h"

namespace koya::web {

// ---- the color theme, light or dark, from the cookie `theme`

enum class Theme { kAuto, kLight, kDark };  // kAuto: the preference of the reader's system

inline constexpr std::array kThemes{Theme::kAuto, Theme::kLight, Theme::kDark};

// The name in the cookie, in <html data-theme> and in the form that sets it.
constexpr std::string_view ThemeName(Theme theme) {
  switch (theme) {
    case Theme::kAuto:
      return "auto";
    case Theme::kLight:
      return "light";
    case Theme::kDark:
      return "dark";
  }
  return "auto";
}

// kAuto for any text that is not a ThemeName.
constexpr Theme ParseTheme(std::string_view name) {
  for (Theme theme : kThemes) {
    if (name == ThemeName(theme)) return theme;
  }
  return Theme::kAuto;
}

// ---- the Content-Security-Policy: a page may only load and use what this server sends

enum class PageKind {
  kOrdinary,
  // The response to its form redirects to the client that waits on http://localhost:PORT, and
  // Chromium applies form-action to redirects too.
  kConsent,
};

// The value of the field Content-Security-Policy. It needs no hashes: no page has an inline script
// or style.
constexpr std::string_view ContentSecurityPolicy(PageKind kind) {
  switch (kind) {
    case PageKind::kOrdinary:
      return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
             "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    case PageKind::kConsent:
      return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
             "form-action 'self' http://localhost:*; base-uri 'none'; frame-ancestors 'none'";
  }
  return "default-src 'none'";
}

// ---- the frame

// The main parts of the site, in the order of the header.
enum class Section { kModules, kProviders, kMirror, kDocs };

// A breadcrumb, from the outermost inwards. `path` as LocalPath; `name` is not translated: a
// namespace, an address.
struct Crumb {
  std::string name;
  std::string path;
};

// A notice of a completed action, shown once on the page after a form: the words note.KEY, with
// `what` in place of {what}.
struct Notice {
  std::string key;
  std::string what;
};

// Texts may be anything; they are escaped and isolated.
struct PageFrame {
  Language language = Language::kEnglish;
  Theme theme = Theme::kAuto;
  std::string site_name;  // web.name, else the host of server.url
  std::string site_url;   // server.url, without a slash at its end; "": no absolute addresses
  std::string version;    // of the program; "": not shown
  // Path and query of a GET of this page: the links to other languages, the theme's form and the
  // sign-in link lead back to it. LocalPath applies.
  std::string path = "/";
  // Token for the forms that need one; without it such forms are not shown.
  std::string csrf;
  std::string account;            // name of the signed-in user; "": none
  bool administers = false;       // that user is an administrator
  std::vector<Section> sections;  // those that this reader may open
  std::optional<Section> current;
  bool is_well = true;      // as far as this server knows: its catalog responds
  bool has_search = false;  // the search box in the header
  std::string query;        // its text
  std::vector<Crumb> crumbs;
  std::optional<Notice> notice;
  bool keys_are_off = false;  // "/" does not lead to the search box
  // Only for pages that search engines and chats may show: the path of the page without parameters
  // that only change its presentation. "": the page has none of these facts.
  std::string canonical;
  std::string description;  // one sentence, of the author or of the page
  std::string feed;         // the path of its Atom feed; "": it has none
};

// Whether the header shows "Sign in" to anonymous readers. Hidden on pages whose purpose is
// sign-in, which should not lead elsewhere: they have no search box either.
enum class SignInLink { kShown, kHidden };

// The view of the frame, to which a page adds its own values. The page's template is
//   [[>_head]] <title>…</title> [[>_top]] … [[>_foot]]
// and shows frame.crumbs where it says [[>_crumbs]].
View FrameView(const PageFrame& frame, SignInLink sign_in = SignInLink::kShown);

// Marks a cached page that cannot be rebuilt now: adds a note at its top, and replaces its mark of
// good health. Returns any other text unchanged.
std::string WithOfflineNote(std::string_view page, Language language);

}  // namespace koya::web
