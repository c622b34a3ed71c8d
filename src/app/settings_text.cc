// Settings as people read them: `koya config show` and docs/config.md.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <ranges>

#include "app/setting_table.h"
#include "app/settings.h"

namespace koya {
namespace {

std::string SourceText(const LoadedSettings& settings, std::size_t index) {
  const SettingSource& source = settings.sources[index];
  if (source.kind != SettingSource::Kind::kDefault) return source.where;
  const std::string_view note = AllSettings()[index].default_note;
  return note.empty() ? "default" : fmt::format("default: {}", note);
}

// The value as it may be shown. An empty one is the default: see SettingInfo::default_note.
std::string ShownValue(const LoadedSettings& settings, std::size_t index) {
  std::string value = SettingDefinitions()[index].format(settings.values);
  const SettingInfo& info = AllSettings()[index];
  return info.secret && value != DefaultText(info) ? "(set)" : value;
}

std::string RenderJson(const LoadedSettings& settings, bool sources) {
  boost::json::object document;
  for (std::size_t i = 0; i < AllSettings().size(); ++i) {
    std::string value = ShownValue(settings, i);
    std::string_view key = AllSettings()[i].key;
    if (sources) {
      boost::json::object entry;
      entry["value"] = value;
      entry["source"] = SourceText(settings, i);
      document[key] = std::move(entry);
    } else {
      document[key] = value;
    }
  }
  return boost::json::serialize(document) + "\n";
}

// Text with '|' escaped, for a cell of a Markdown table.
std::string Cell(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string MarkdownRow(const SettingInfo& info) {
  std::string value = DefaultText(info);
  std::string shown = value.empty() ? "" : fmt::format("`{}`", value);
  if (!value.empty() && !info.default_note.empty()) shown += "; ";
  shown += Cell(info.default_note);
  std::string names = fmt::format("`{}`", EnvironmentName(info.key));
  if (!info.alias.empty()) names += fmt::format(", `{}`", FlagName(info.alias));
  return fmt::format("| `{}` | {} | {} | {} Write {}. |\n", info.key, shown, names, Cell(info.text),
                     Cell(info.allowed));
}

constexpr std::string_view kMarkdownHead =
    "<!-- Made from the settings table by `make docs`: edit src/app/setting_table.cc. -->\n"
    "# Settings\n\n"
    "Every setting can be written in a TOML file (`koya serve --config koya.toml`), in the "
    "environment, and as a flag (`--server.listen 0.0.0.0:443`). A flag beats the environment, "
    "which beats the file, which beats the default. `koya config show --sources` shows the "
    "values in force and their sources, and `koya config check FILE` reports everything that is "
    "wrong "
    "with them; `koya config init` writes a file. Settings never change while a server "
    "runs.\n\n"
    "```toml\n[server]\nlisten = \"0.0.0.0:443\"\nurl = \"https://koya.example.com\"\n\n"
    "[tls]\ncertificate = \"/etc/koya/tls.pem\"\nkey = \"/etc/koya/tls.key\"\n```\n\n"
    "A name that is not listed here is an error, wherever it stands. Durations are written `10s`, "
    "`15m`, `24h`, `90d`; sizes `16KiB`, `500MiB`, `1GiB`; lists separated by commas in the "
    "environment and flags, and as arrays in TOML. `KOYA_CONFIG` can name the file. `KOYA_URL` "
    "and `KOYA_TOKEN` are read by the client commands, not by the server.\n";

// Which of them a request takes is decided in http/client/.
constexpr std::string_view kMarkdownProxies =
    "\n## Through a proxy\n\n"
    "No setting names a proxy. On a network whose only way out is one, the server and the "
    "client commands take it from their environment, as OpenTofu and Terraform do:\n\n"
    "```\nHTTPS_PROXY=http://koya:PASSWORD@proxy.example.com:3128\n"
    "NO_PROXY=registry.example.com,10.0.0.0/8,.internal.example.com\n```\n\n"
    "| variable | meaning |\n|---|---|\n"
    "| `https_proxy`, `HTTPS_PROXY` | The proxy for https. A password with `@`, `:` or `/` is "
    "percent-encoded. |\n"
    "| `http_proxy` | The proxy for http; in lower case only. |\n"
    "| `all_proxy`, `ALL_PROXY` | The proxy for both, if the other variables are not set. |\n"
    "| `no_proxy`, `NO_PROXY` | Hosts that are reached directly: names with their subdomains, "
    "addresses, ranges, or `*`, separated by commas. |\n\n"
    "The first variable that is set counts. The machine itself (`localhost`, `127.0.0.1`, `::1`) "
    "is always "
    "reached directly.\n\n"
    "| destination | through the proxy |\n|---|---|\n"
    "| other registries, their archives, modules in git over https | yes |\n"
    "| modules in git over ssh | no |\n"
    "| sign-in providers, and issuers of CI jobs' tokens | yes |\n"
    "| the object store (`blobs.url`) | yes; name it in `NO_PROXY` if it is on your network |\n"
    "| the store's credentials, from the machine's cloud or cluster | no |\n"
    "| other servers on the same catalog | no |\n"
    "| PostgreSQL | no |\n\n"
    "The proxy looks names up, so the rule about private addresses "
    "(`upstream.allow_private_addresses`) does not apply to requests through it: let the proxy "
    "refuse them. Proxies in front of the server are `server.trusted_proxies`.\n";

// The settings that most servers set, in the file that `koya config init` writes.
constexpr std::array<std::string_view, 9> kUsual{
    "server.data", "server.listen",  "server.url",  "server.secret_file", "tls.certificate",
    "tls.key",     "metrics.listen", "catalog.url", "upstream.hosts"};

std::string TomlString(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Lines of at most 100 columns, broken at blanks.
std::string Comment(std::string_view text) {
  constexpr std::size_t kColumns = 98;
  std::string out;
  while (text.size() > kColumns) {
    const std::size_t blank = text.rfind(' ', kColumns);
    if (blank == text.npos) break;
    out += fmt::format("# {}\n", text.substr(0, blank));
    text.remove_prefix(blank + 1);
  }
  return out + fmt::format("# {}\n", text);
}

std::string TomlValue(const SettingInfo& info, std::string_view value) {
  const bool number = !value.empty() && value.size() < 19 &&
                      std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
  if (info.is_switch || number) return std::string(value);
  if (!info.allowed.contains("separated by commas")) return TomlString(value);
  std::string list;
  for (const auto each : std::views::split(value, ',')) {
    list += (list.empty() ? "" : ", ") + TomlString(std::string_view(each));
  }
  return "[" + list + "]";
}

std::string TomlEntry(const LoadedSettings& settings, std::size_t index, std::string_view name) {
  const SettingInfo& info = AllSettings()[index];
  std::string value = SettingDefinitions()[index].format(settings.values);
  const std::string out = Comment(info.text);
  const bool given = settings.sources[index].kind != SettingSource::Kind::kDefault;
  if (!given && value.empty()) {
    const std::string_view note = info.default_note.empty() ? "not set" : info.default_note;
    return out + fmt::format("# {} = \"…\"  (default: {})\n\n", name, note);
  }
  return out + fmt::format("{}{} = {}\n\n", given ? "" : "# ", name, TomlValue(info, value));
}

}  // namespace

std::string SettingsFileText(const LoadedSettings& settings) {
  std::string out =
      "# Settings of a Koya server. `koya config check FILE` checks them, `koya serve --config "
      "FILE` "
      "uses them.\n# docs/config.md and `koya config show` list all settings.\n\n";
  std::string_view section;
  for (std::size_t i = 0; i < AllSettings().size(); ++i) {
    const std::string_view key = AllSettings()[i].key;
    const bool given = settings.sources[i].kind != SettingSource::Kind::kDefault;
    if (!given && std::ranges::find(kUsual, key) == kUsual.end()) continue;
    const std::size_t dot = key.rfind('.');
    if (key.substr(0, dot) != section) {
      section = key.substr(0, dot);
      out += fmt::format("[{}]\n", section);
    }
    out += TomlEntry(settings, i, key.substr(dot + 1));
  }
  out.pop_back();
  return out;
}

std::string RenderSettings(const LoadedSettings& settings, RenderOptions options) {
  if (options.json) return RenderJson(settings, options.sources);
  std::size_t key_width = 0;
  std::size_t value_width = 0;
  for (std::size_t i = 0; i < AllSettings().size(); ++i) {
    key_width = std::max(key_width, AllSettings()[i].key.size());
    value_width = std::max(value_width, ShownValue(settings, i).size());
  }
  std::string out;
  for (std::size_t i = 0; i < AllSettings().size(); ++i) {
    std::string value = ShownValue(settings, i);
    std::string line = fmt::format("{:<{}}  {:<{}}", AllSettings()[i].key, key_width, value,
                                   options.sources ? value_width : 0);
    if (options.sources) line += "  " + SourceText(settings, i);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string SettingsMarkdown() {
  std::string out(kMarkdownHead);
  out += kMarkdownProxies;
  std::string_view section;
  for (const SettingInfo& info : AllSettings()) {
    std::string_view prefix = info.key.substr(0, info.key.find('.'));
    if (prefix != section) {
      section = prefix;
      out += fmt::format("\n## {}\n\n| setting | default | also | meaning |\n|---|---|---|---|\n",
                         section);
    }
    out += MarkdownRow(info);
  }
  return out;
}

}  // namespace koya
