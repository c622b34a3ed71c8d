// Determines the purpose of a module's files from their names, detects files with secrets, and
// joins paths of folders. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace koya::inspect {

// The parent folder: "a/b" of "a/b/c.tf"; "" at the root.
std::string_view FolderOf(std::string_view path);
std::string_view NameOf(std::string_view path);

struct ConfigName {
  std::string stem;  // "main" of "main.tf.json"
  bool json = false;
  bool tofu = false;           // .tofu: replaces the .tf of that name
  bool override_file = false;  // override.tf, x_override.tf
};
// nullopt for files that clients do not read as configuration.
std::optional<ConfigName> ParseConfigName(std::string_view name);

// "*.tftest.hcl" and similar; `stem`, `json` and `tofu` as above.
std::optional<ConfigName> ParseTestName(std::string_view name);

// The lower the better; nullopt for files that are no README.
std::optional<int> ReadmeRank(std::string_view name);
std::optional<int> ChangelogRank(std::string_view name);
std::optional<int> LicenceRank(std::string_view name);

// True if some part of the path is ".git", ".terraform" or similar: not part of a module.
bool IsHidden(std::string_view path);

// The folder that `relative` ("./x", "../y//z") names from `folder`; "" is the root. nullopt if it
// leaves the archive.
std::optional<std::string> JoinFolders(std::string_view folder, std::string_view relative);

// Files that usually hold secrets and are in a module's folder by mistake.

// How many bytes of a file are examined.
inline constexpr std::size_t kScannedForSecrets = 64 << 10;

// The kind of secret that the file seems to hold: "a private key"; "": none. `path`: from the
// module's root. `content`: its beginning. The state of a configuration, values of its variables
// (*.tfvars) where neither the name nor a folder marks them as examples, and .env are detected by
// name; a private key is detected in any file.
std::string_view SecretIn(std::string_view path, std::string_view content);

}  // namespace koya::inspect
