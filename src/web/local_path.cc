#include "web/local_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "web/addresses.h"

namespace koya::web {
namespace {

bool IsPathChar(char c) {
  return c > ' ' && c < 0x7F && c != '"' && c != '\'' && c != '<' && c != '>' && c != '\\';
}

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~' || c == '/';
}

std::string EncodedParameter(std::string_view value) {
  std::string encoded;
  for (char c : value) {
    encoded +=
        IsUnreserved(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
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
    if (parameter == "lang" || parameter.starts_with("lang=")) continue;
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
