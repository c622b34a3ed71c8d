// What all pages have around them: title, header, search, languages, theme.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "web/language.h"
#include "web/theme.h"
#include "web/view.h"

namespace koya::web {

// The main parts of the site, in the order of the header.
enum class Section { kModules, kProviders, kMirror, kDocs };

// A place above the page, from the outermost inwards. `path` as LocalPath; `name` is nobody's
// language: a namespace, an address.
struct Crumb {
  std::string name;
  std::string path;
};

// What was done, told once on the page that comes after a form: the words note.KEY, with `what` in
// place of {what}.
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
  std::string version;    // of the program; "": it is not told
  // Where a GET shows this page, with its query: the links to other languages, the theme's form and
  // the sign-in link lead back there. LocalPath applies.
  std::string path = "/";
  // For every form that needs one, and none is shown that does not get it.
  std::string csrf;
  std::string account;            // the name of who is signed in; "": nobody
  bool administers = false;       // they are an administrator
  std::vector<Section> sections;  // those whose pages this reader may open
  std::optional<Section> current;
  bool is_well = true;      // as far as this server knows: its catalog answers
  bool has_search = false;  // the search box in the header
  std::string query;        // what it holds
  std::vector<Crumb> crumbs;
  std::optional<Notice> notice;
  bool keys_are_off = false;  // "/" does not lead to the search box
  // Of pages that search engines and chats may show, which is said by `canonical`: the path of the
  // page without what only changes how it is shown. "": none of it is in the page.
  std::string canonical;
  std::string description;  // one sentence, of the author or of the page
  std::string feed;         // the path of its Atom feed; "": it has none
};

// Whether strangers find "Sign in" in the header; not where that is what the page is for, and
// nobody should be led elsewhere: there is no search box then, either.
enum class SignInLink { kShown, kHidden };

// The view of the frame, to which a page adds its own values. The page's template is
//   [[>_head]] <title>…</title> [[>_top]] … [[>_foot]]
// and shows frame.crumbs where it says [[>_crumbs]].
View FrameView(const PageFrame& frame, SignInLink sign_in = SignInLink::kShown);

// A page that was kept from before, now that it cannot be made anew: with a note of it at its top,
// and without its word that all is well.
// Of any other text it is that text.
std::string WithOfflineNote(std::string_view page, Language language);

}  // namespace koya::web
