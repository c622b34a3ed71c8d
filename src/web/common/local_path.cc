#include "web/common/local_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/percent_encoding.h"
#include "web/common/addresses.h"

namespace koya::web {
namespace {

bool IsPathChar(char c) {
  return c > ' ' && c < 0x7F && c != '"' && c != '\'' && c != '<' && c != '>' && c != '\\';
}

// As a query may have it (RFC 3986 §3.4): slashes stay, so that people can read where they go.
std::string EncodedParameter(std::string_view value) {
  std::string encoded;
  for (std::size_t at = 0; at < value.size(); ++at) {
    const std::string_view one = value.substr(at, 1);
    encoded += one == "/" ? "/" : PercentEncode(one);
  }
  return encoded;
}

}  // namespace

std::string_view LocalPath(std::string_view path) {
  bool local = path.starts_with('/') && !path.starts_with("//");
  return local && std::ranges::all_of(path, IsPathChar) ? path : kHomeAddress;
}

std::string PathWithoutLanguage(std::string_view path) {
  path = LocalPath(path);
  path = path.substr(0, path.find('#'));
  std::size_t query = std::min(path.find('?'), path.size());
  std::string kept(path.substr(0, query));
  std::string_view rest = path.substr(std::min(query + 1, path.size()));
  char separator = '?';
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find('&'), rest.size());
    std::string_view parameter = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (parameter.empty() || parameter == "lang" || parameter.starts_with("lang=")) continue;
    kept += separator;
    kept += parameter;
    separator = '&';
  }
  return kept;
}

std::string PathInLanguage(std::string_view path, Language language) {
  std::string kept = PathWithoutLanguage(path);
  char separator = kept.contains('?') ? '&' : '?';
  return fmt::format("{}{}lang={}", kept, separator, LanguageCode(language));
}

std::string SignInPath(std::string_view back_to) {
  std::string to = PathWithoutLanguage(back_to);
  if (to == kHomeAddress) return std::string(kSignInAddress);
  return fmt::format("{}?to={}", kSignInAddress, EncodedParameter(to));
}

}  // namespace koya::web
