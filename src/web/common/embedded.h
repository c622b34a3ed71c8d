// The files of this folder and of docs/ that are embedded in the program (embed_web.cmake). They
// have static lifetime.
#pragma once

#include <span>
#include <string_view>

namespace koya::web {

struct EmbeddedFile {
  std::string_view name;  // "sign_in.mustache"
  std::string_view bytes;
  std::string_view hash;  // 16 hexadecimal digits of the bytes' SHA-256
};

// Each sorted by name.
std::span<const EmbeddedFile> EmbeddedTemplates();
std::span<const EmbeddedFile> EmbeddedWords();
std::span<const EmbeddedFile> EmbeddedAssets();
// The files of docs/ that a registry shows: "access.md".
std::span<const EmbeddedFile> EmbeddedDocs();
// packaging/install.sh, with its placeholders.
std::string_view EmbeddedInstallScript();

}  // namespace koya::web
