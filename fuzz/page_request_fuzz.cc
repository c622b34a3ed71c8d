// What a page makes of where it was asked for: addresses that lead back stay on this server, in
// every language, and a language is one that there is, whatever a browser says.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/common/query.h"
#include "web/common/language.h"
#include "web/common/page_frame.h"
#include "web/common/text_safety.h"

namespace {

namespace web = koya::web;

void Require(bool holds) {
  if (!holds) std::abort();
}

// No browser takes it for another server.
void RequireLocal(std::string_view path) {
  Require(path.starts_with('/') && !path.starts_with("//") && !path.starts_with("/\\"));
  for (char c : path) Require(c > ' ' && c < 0x7F && c != '"' && c != '\'' && c != '\\');
}

std::string_view QueryOf(std::string_view path) {
  path = path.substr(0, path.find('#'));
  const std::size_t mark = path.find('?');
  return mark == path.npos ? std::string_view() : path.substr(mark + 1);
}

void CheckPath(std::string_view path) {
  const std::string local(web::LocalPath(path));
  RequireLocal(local);
  Require(local == path || local == "/");
  Require(web::LocalPath(local) == local);
  const std::string without = web::PathWithoutLanguage(path);
  RequireLocal(without);
  Require(web::PathWithoutLanguage(without) == without);
  for (web::Language language : web::kLanguages) {
    const std::string there = web::PathInLanguage(path, language);
    RequireLocal(there);
    const auto wish = koya::api::QueryParameter(QueryOf(there), "lang");
    Require(wish && *wish && web::ParseLanguage(**wish) == language);
    Require(web::PathWithoutLanguage(there) ==
            web::PathWithoutLanguage(local.substr(0, local.find('#'))));
  }
  RequireLocal(web::SignInPath(path));
}

void CheckLanguage(std::string_view said) {
  const web::Language chosen =
      web::ChooseLanguage({.query = said, .cookie = said, .account = said, .accept = said});
  Require(std::ranges::find(web::kLanguages, chosen) != web::kLanguages.end());
  // What says nothing changes nothing.
  Require(
      web::ChooseLanguage({.query = "", .cookie = "", .account = "", .accept = said}) ==
      web::ChooseLanguage({.query = "klingon", .cookie = "<x>", .account = "", .accept = said}));
  // A choice in the URL takes precedence.
  Require(web::ChooseLanguage({.query = "ja", .cookie = said, .account = said, .accept = said}) ==
          web::Language::kJapanese);
  const web::Theme theme = web::ParseTheme(said);
  Require(std::ranges::find(web::kThemes, theme) != web::kThemes.end());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckPath(text);
  CheckLanguage(text);
  return 0;
}
