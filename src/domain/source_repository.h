// The repository that a version was made from. A pure value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

// SourceRepository is the https URL of a repository's page, and a folder in the repository. It has
// no user information, query or fragment, so that documents may show it.
class SourceRepository {
 public:
  static constexpr std::size_t kMostBytes = 2048;

  // Parses the spellings that git and modules have for a repository: "https://HOST/PATH",
  // "ssh://git@HOST/PATH", "git@HOST:PATH", each with "git::" before and "//FOLDER" behind it. User
  // information, the port of ssh, ".git" and "/" at the end are dropped. Fails: kInvalid, without
  // user information, and saying what to write.
  static Result<SourceRepository> Parse(std::string_view text);

  // "https://github.com/acme/vpc"
  const std::string& url() const { return url_; }
  // "modules/vpc": relative, without ".."; "": the repository's top folder.
  const std::string& directory() const { return directory_; }
  // Both in one text, which Parse reads: "https://github.com/acme/vpc//modules/vpc".
  std::string ToString() const;

  friend bool operator==(const SourceRepository&, const SourceRepository&) = default;

 private:
  SourceRepository(std::string url, std::string directory)
      : url_(std::move(url)), directory_(std::move(directory)) {}
  std::string url_;
  std::string directory_;
};

}  // namespace koya
