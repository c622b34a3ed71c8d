// The files of this folder, and of docs/, that are part of the program (embed_web.cmake). They live
// as long as it does.
#pragma once

#include <span>
#include <string_view>

namespace koya::web {

struct EmbeddedFile {
  std::string_view name;  // "sign_in.mustache"
  std::string_view bytes;
  std::string_view hash;  // 16 hexadecimal digits of the bytes' SHA-256
};

// Each in order of name.
std::span<const EmbeddedFile> EmbeddedTemplates();
std::span<const EmbeddedFile> EmbeddedWords();
std::span<const EmbeddedFile> EmbeddedAssets();
// Of docs/, what a registry shows: "access.md".
std::span<const EmbeddedFile> EmbeddedDocs();

}  // namespace koya::web
