#include "app/settings.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/setting_table.h"
#include "base/decimal.h"
#include "base/result.h"
#include "base/text.h"

namespace koya {
namespace {

struct FileSetting {
  std::string key;    // with dots: [server] listen = … is "server.listen"
  std::string value;  // as in the environment: lists have commas between items
  std::string where;  // "koya.toml:3"
  std::size_t line = 0;
  bool usable = true;  // false: a value that no setting takes (a table in a list, a date)
};

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
    found.emplace_back(position, FileSetting{std::move(name), text.value_or(""), where,
                                             position.line, text.has_value()});
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

// Reads a TOML file into settings whose values are still text, in the order of the file. Fails:
// kInvalid, with file and line, when it cannot be read or is not TOML.
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

bool IsIpv6(const std::string& text) {
  in6_addr address{};
  return ::inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

bool IsHostChar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
         c == '-';
}

}  // namespace

std::optional<HostPort> HostPort::Parse(std::string_view text) {
  std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::optional<std::uint16_t> port = ParseDecimal<std::uint16_t>(text.substr(colon + 1));
  std::string host(text.substr(0, colon));
  if (!port || host.empty() || host.size() > 255) return std::nullopt;
  if (host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    if (!IsIpv6(host)) return std::nullopt;
  } else if (!std::ranges::all_of(host, IsHostChar)) {
    return std::nullopt;
  }
  return HostPort{std::move(host), *port};
}

std::string HostPort::ToString() const {
  bool brackets = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", brackets ? "[" : "", host, brackets ? "]" : "", port);
}

namespace {

using Kind = SettingSource::Kind;

// Named like settings, but the client's (KOYA_URL, KOYA_TOKEN), the dev environment's
// (KOYA_METRICS), or ours for the file itself.
constexpr std::array<std::string_view, 4> kNotSettings{"KOYA_URL", "KOYA_TOKEN", "KOYA_METRICS",
                                                       "KOYA_CONFIG"};

// Kubernetes puts the address of every Service into the environment of its neighbours; a Service
// called "koya" gives KOYA_PORT=tcp://10.0.0.1:443, KOYA_PORT_443_TCP_ADDR, KOYA_SERVICE_HOST, …
bool IsServiceLink(std::string_view name) {
  return name == "KOYA_PORT" || name.starts_with("KOYA_PORT_") || name.starts_with("KOYA_SERVICE_");
}

std::string Upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    if (c == '.' || c == '-') return '_';
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  return out;
}

// Writes a name as its source does, to suggest the nearest one in the same form.
using NameWriter = std::string (*)(std::string_view);
std::string KeyName(std::string_view key) { return std::string(key); }

// The nearest name: the one with the same last part ("lisen" under another section counts), else
// by edit distance.
std::string Nearest(std::string_view wrong, NameWriter write) {
  std::vector<std::string> names;
  for (const SettingInfo& info : AllSettings()) {
    names.push_back(write(info.key));
    if (!info.alias.empty()) names.push_back(write(info.alias));
  }
  std::vector<std::string_view> views(names.begin(), names.end());
  if (std::string_view near = NearestWord(wrong, views); !near.empty()) return std::string(near);
  std::string_view last = wrong.substr(wrong.find_last_of(".-") + 1);
  for (const SettingInfo& info : AllSettings()) {
    if (info.key.substr(info.key.rfind('.') + 1) == last) return write(info.key);
  }
  return {};
}

std::string NotAllowed(const SettingInfo& info, std::string_view value) {
  std::string shown = info.secret ? "this value" : fmt::format("\"{}\"", Printable(value, 120));
  return fmt::format("{} is not allowed for {}: write {}", shown, info.key, info.allowed);
}

class Loader {
 public:
  Loader() { loaded_.sources.resize(AllSettings().size()); }

  void FromFile(const std::vector<FileSetting>& settings);
  void FromEnvironment(const std::map<std::string, std::string>& environment);
  void FromFlags(const std::vector<std::pair<std::string, std::string>>& flags);

  PartlyLoadedSettings Finish() &&;

 private:
  // `shown` is the name as it was written.
  void Unknown(std::string_view shown, const SettingSource& source, NameWriter write);
  void AddProblem(std::string_view setting, const SettingSource& source, std::string_view text);
  void Set(std::size_t index, std::string_view value, SettingSource source);
  // One source may name a setting once: by its key or by its alias.
  bool GivenTwice(std::set<std::size_t>& given, std::size_t index, const SettingSource& source);

  LoadedSettings loaded_;
  std::vector<SettingsFinding> problems_;
};

void Loader::AddProblem(std::string_view setting, const SettingSource& source,
                        std::string_view text) {
  std::string at = source.where.empty() ? "" : fmt::format("{}: ", source.where);
  problems_.push_back({.setting = Printable(setting, 80),
                       .line = source.line,
                       .text = fmt::format("{}{}", at, text)});
}

void Loader::Unknown(std::string_view shown, const SettingSource& source, NameWriter write) {
  std::string nearest = Nearest(shown, write);
  std::string hint = nearest.empty() ? "`koya config show` lists them all"
                                     : fmt::format("did you mean {}?", nearest);
  AddProblem(shown, source, fmt::format("unknown setting {}; {}", Printable(shown, 80), hint));
}

void Loader::Set(std::size_t index, std::string_view value, SettingSource source) {
  const SettingInfo& info = AllSettings()[index];
  if (info.is_switch && value.empty() && source.kind == Kind::kFlag) value = "true";
  if (SettingDefinitions()[index].assign(loaded_.values, value)) {
    loaded_.sources[index] = std::move(source);
    return;
  }
  AddProblem(info.key, source, NotAllowed(info, value));
}

bool Loader::GivenTwice(std::set<std::size_t>& given, std::size_t index,
                        const SettingSource& source) {
  if (given.insert(index).second) return false;
  const std::string_view key = AllSettings()[index].key;
  AddProblem(key, source,
             fmt::format("{} is set twice, by its long and its short name: leave one out", key));
  return true;
}

void Loader::FromFile(const std::vector<FileSetting>& settings) {
  std::set<std::size_t> given;
  for (const FileSetting& setting : settings) {
    std::optional<std::size_t> index = FindSetting(setting.key);
    const SettingSource source{Kind::kFile, setting.where, setting.line};
    if (!index) {
      Unknown(setting.key, source, KeyName);
    } else if (!setting.usable) {
      AddProblem(setting.key, source,
                 fmt::format("this kind of value is not allowed for {}: write {}", setting.key,
                             AllSettings()[*index].allowed));
    } else if (!GivenTwice(given, *index, source)) {
      Set(*index, setting.value, source);
    }
  }
}

void Loader::FromEnvironment(const std::map<std::string, std::string>& environment) {
  std::map<std::string, std::size_t, std::less<>> names;
  for (std::size_t i = 0; i < AllSettings().size(); ++i) {
    names.emplace(EnvironmentName(AllSettings()[i].key), i);
    std::string_view alias = AllSettings()[i].alias;
    if (!alias.empty()) names.emplace(EnvironmentName(alias), i);
  }
  std::set<std::size_t> given;
  for (const auto& [name, value] : environment) {
    if (!name.starts_with("KOYA_") || IsServiceLink(name)) continue;
    if (std::ranges::find(kNotSettings, name) != kNotSettings.end()) continue;
    auto found = names.find(name);
    const SettingSource source{Kind::kEnvironment, name};
    if (found == names.end()) {
      Unknown(name, {Kind::kEnvironment, "environment"}, EnvironmentName);
    } else if (!GivenTwice(given, found->second, source)) {
      Set(found->second, value, source);
    }
  }
}

void Loader::FromFlags(const std::vector<std::pair<std::string, std::string>>& flags) {
  for (const auto& [flag, value] : flags) {
    std::string_view bare = flag;
    while (bare.starts_with('-')) bare.remove_prefix(1);
    std::string name(bare);
    std::ranges::replace(name, '-', '_');
    std::optional<std::size_t> index = FindSetting(name);
    if (index) {
      Set(*index, value, {Kind::kFlag, "--" + std::string(bare)});
    } else {
      Unknown("--" + std::string(bare), {Kind::kFlag, ""}, FlagName);
    }
  }
}

PartlyLoadedSettings Loader::Finish() && {
  // A server on one machine with its own certificate has nothing to hide from its callers.
  std::optional<Visibility>& of_new = loaded_.values.access.default_visibility;
  if (loaded_.values.server.dev && !of_new) of_new = Visibility::kPublic;
  return {std::move(loaded_), std::move(problems_)};
}

}  // namespace

std::string EnvironmentName(std::string_view name) { return "KOYA_" + Upper(name); }

std::string FlagName(std::string_view name) {
  std::string flag(name);
  if (name.find('.') == std::string_view::npos) std::ranges::replace(flag, '_', '-');
  return "--" + flag;
}

std::string DefaultText(const SettingInfo& setting) {
  std::optional<std::size_t> index = FindSetting(setting.key);
  return index ? SettingDefinitions()[*index].format(Settings{}) : std::string();
}

Status CheckValue(const SettingInfo& setting, std::string_view value) {
  std::optional<std::size_t> index = FindSetting(setting.key);
  Settings unused;
  if (index && SettingDefinitions()[*index].assign(unused, value)) return {};
  return Fail(ErrorKind::kInvalid, NotAllowed(setting, value));
}

std::vector<std::pair<std::string, std::string>> ProcessEnvironment() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string_view text(*entry);
    std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::string LinesOf(std::span<const SettingsFinding> findings) {
  std::string lines;
  for (const SettingsFinding& each : findings) lines += (lines.empty() ? "" : "\n") + each.text;
  return lines;
}

std::optional<std::filesystem::path> SettingsFileOf(const SettingsInput& input) {
  if (input.config) return input.config;
  auto named = input.environment.find("KOYA_CONFIG");
  if (named == input.environment.end() || named->second.empty()) return std::nullopt;
  return named->second;
}

Result<PartlyLoadedSettings> LoadWhatIsAllowed(const SettingsInput& input) {
  Loader loader;
  if (const std::optional<std::filesystem::path> config = SettingsFileOf(input)) {
    ASSIGN_OR_RETURN(std::vector<FileSetting> settings, ReadSettingsFile(*config));
    loader.FromFile(settings);
  }
  loader.FromEnvironment(input.environment);
  loader.FromFlags(input.flags);
  return std::move(loader).Finish();
}

Result<LoadedSettings> LoadSettings(const SettingsInput& input) {
  ASSIGN_OR_RETURN(PartlyLoadedSettings loaded, LoadWhatIsAllowed(input));
  if (loaded.problems.empty()) return std::move(loaded.settings);
  return FailInvalid("{}", LinesOf(loaded.problems));
}

}  // namespace koya
