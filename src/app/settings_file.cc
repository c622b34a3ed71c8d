#include "app/settings_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace koya {
namespace {

constexpr std::streamsize kMaxFile = std::streamsize{1} << 20;

std::optional<std::string> ScalarText(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return std::nullopt;
}

std::optional<std::string> ListText(const toml::array& array) {
  std::string list;
  for (const toml::node& element : array) {
    std::optional<std::string> text = ScalarText(element);
    // A comma inside an element would come back as two elements.
    if (!text || text->empty() || text->find(',') != std::string::npos) return std::nullopt;
    if (!list.empty()) list += ',';
    list += *text;
  }
  return list;
}

struct Collector {
  std::string file;
  std::vector<std::pair<toml::source_position, FileSetting>> found;

  void Collect(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      std::string name = prefix + std::string(key.str());
      if (const toml::table* inner = node.as_table()) {
        Collect(*inner, name + ".");  // an empty [section] says nothing
      } else {
        Take(std::move(name), key.source().begin, node);
      }
    }
  }

  void Take(std::string name, toml::source_position position, const toml::node& node) {
    const toml::array* array = node.as_array();
    std::optional<std::string> text = array != nullptr ? ListText(*array) : ScalarText(node);
    std::string where = fmt::format("{}:{}", file, position.line);
    found.emplace_back(position,
                       FileSetting{std::move(name), text.value_or(""), where, text.has_value()});
  }
};

Result<std::string> ReadFile(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(kMaxFile), '\0');
  in.read(text.data(), kMaxFile);
  bool whole = in.eof();
  if (!whole && in) {
    return FailInvalid("{} is larger than 1 MiB: is it the settings file?", path.string());
  }
  if (!whole) {
    return FailInvalid("cannot read the settings file {}: {}", path.string(),
                       errno != 0 ? std::strerror(errno) : "not a file");
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

Result<std::vector<FileSetting>> ReadSettingsFile(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  Collector collector{.file = path.string(), .found = {}};
  try {
    collector.Collect(toml::parse(text, path.string()), "");
  } catch (const toml::parse_error& error) {
    toml::source_position at = error.source().begin;
    return FailInvalid("{}:{}:{}: this is not TOML: {}", path.string(), at.line, at.column,
                       Printable(error.description()));
  }
  std::ranges::sort(collector.found, {}, [](const auto& entry) {
    return std::tuple(entry.first.line, entry.first.column);
  });
  std::vector<FileSetting> settings;
  for (auto& [position, setting] : collector.found) settings.push_back(std::move(setting));
  return settings;
}

}  // namespace koya
