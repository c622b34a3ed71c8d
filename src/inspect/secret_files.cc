#include "inspect/secret_files.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "inspect/file_names.h"

namespace koya::inspect {
namespace {

constexpr std::string_view kEndOfMark = "PRIVATE KEY";  // "-----BEGIN RSA PRIVATE KEY-----"
constexpr std::size_t kLongestMark = 64;
// How far behind the mark the key begins (headers may stand between), and how much of it has to be
// there: documents show the mark and three dots.
constexpr std::size_t kKeyWithin = 400;
constexpr std::size_t kLeastKey = 40;

bool IsBase64(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '/' || c == '=';
}

bool BeginsKey(std::string_view text) {
  std::size_t run = 0;
  for (char c : text.substr(0, kKeyWithin)) {
    run = IsBase64(c) ? run + 1 : 0;
    if (run == kLeastKey) return true;
  }
  return false;
}

bool HoldsPrivateKey(std::string_view content) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  for (std::size_t at = content.find(kBegin); at != content.npos;
       at = content.find(kBegin, at + 1)) {
    std::string_view rest = content.substr(at + kBegin.size());
    const std::size_t end = rest.substr(0, kLongestMark).find("-----");
    if (end == rest.npos || rest.substr(0, end).find(kEndOfMark) == rest.npos) continue;
    if (BeginsKey(rest.substr(end))) return true;
  }
  return false;
}

bool IsExample(std::string_view path, std::string_view name) {
  return name.contains("example") || name.contains("sample") || path.starts_with("examples/") ||
         path.contains("/examples/");
}

}  // namespace

std::string_view SecretIn(std::string_view path, std::string_view content) {
  const std::string lower_path = AsciiLower(path);
  const std::string_view name = NameOf(lower_path);
  if (name.starts_with("terraform.tfstate") || name.ends_with(".tfstate")) {
    return "the state of created resources, with their passwords and keys";
  }
  const bool values = name.ends_with(".tfvars") || name.ends_with(".tfvars.json");
  if (values && !IsExample(lower_path, name)) return "values of variables";
  if (name == ".env") return "an environment, as programs take passwords from";
  return HoldsPrivateKey(content) ? "a private key" : "";
}

}  // namespace koya::inspect
