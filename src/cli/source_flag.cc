#include "cli/source_flag.h"

#include <CLI/CLI.hpp>

#include "domain/source_repository.h"

namespace koya::cli {

void AddSourceFlag(CLI::App& command, std::string& url) {
  command
      .add_option("--source-url", url,
                  "The repository that it is made from, for updaters and pages; //FOLDER behind it "
                  "names a folder (default: the CI job's repository)")
      ->type_name("URL");
}

Result<std::string> CheckedSource(const std::string& url) {
  if (url.empty()) return std::string();
  Result<SourceRepository> source = SourceRepository::Parse(url);
  if (!source) return FailInvalid("--source-url: {}", source.error().message);
  return source->ToString();
}

std::string SourceOfFolder(const std::string& url, const std::string& folder) {
  if (url.empty() || folder.empty()) return url;
  const Result<SourceRepository> top = SourceRepository::Parse(url);
  if (!top) return url;
  const bool deeper = !top->directory().empty();
  const auto below = SourceRepository::Parse(url + (deeper ? "/" : "//") + folder);
  return below ? below->ToString() : url;
}

}  // namespace koya::cli
