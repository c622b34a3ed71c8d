// What all pages have around them: title, header, languages, theme.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "web/language.h"
#include "web/theme.h"
#include "web/view.h"

namespace koya::web {

// The main parts of the site, in the order of the header.
enum class Section { kModules, kProviders, kMirror, kDocs };

// Texts may be anything; they are escaped and isolated.
struct PageFrame {
  Language language = Language::kEnglish;
  Theme theme = Theme::kAuto;
  std::string site_name;  // web.name, else the host of server.url
  // Where a GET shows this page, with its query: the links to other languages, the theme's form and
  // the sign-in link lead back there. LocalPath applies.
  std::string path = "/";
  // For every form, those of header and footer too. "": no form that needs one is shown.
  std::string csrf;
  std::string account;            // the name of who is signed in; "": nobody
  std::vector<Section> sections;  // those whose pages this reader may open
  std::optional<Section> current;
};

// Whether strangers find "Sign in" in the header; not where that is what the page is for.
enum class SignInLink { kShown, kHidden };

// The view of the frame, to which a page adds its own values.
View FrameView(const PageFrame& frame, SignInLink sign_in);

}  // namespace koya::web
