// The products that "koya import" knows, as a table: what the command line says of each, and how
// it lists its packages.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/import/source.h"
#include "cli/text/output.h"

namespace CLI {
class App;
}

namespace koya::cli {

// What a command line says of the source.
struct SourceArguments {
  std::string place;  // URL, or DIR
  std::string group;
  std::string organization;
  std::string modules;
  std::string providers;
  std::string repository;
  std::vector<std::string> configurations;
  std::vector<std::string> locks;
  std::string list;
};

struct ImportProduct {
  std::string_view name;  // "gitlab"
  std::string_view about;
  std::string_view place;  // "URL" or "DIR"
  std::string_view place_about;
  void (*declare)(CLI::App&, SourceArguments&);  // flags of its own
  Result<std::unique_ptr<ImportSource>> (*open)(const SourceArguments&, Output&);
};

std::span<const ImportProduct> ImportProducts();

}  // namespace koya::cli
