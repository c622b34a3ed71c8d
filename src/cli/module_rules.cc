#include "cli/module_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"

namespace koya::cli {
namespace {

constexpr std::size_t kLongestTag = 255;

std::string_view LastPart(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool IsBelow(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

struct NameAndSystem {
  std::string name;
  std::string system;  // "": the folder does not say
};

// terraform-SYSTEM-NAME, as the public registries ask of repositories; else the name alone.
NameAndSystem NamesIn(std::string_view last) {
  constexpr std::string_view kTerraform = "terraform-";
  const std::size_t dash = last.find('-', kTerraform.size());
  const bool follows = last.starts_with(kTerraform) && dash != last.npos &&
                       dash > kTerraform.size() && dash + 1 < last.size();
  if (!follows) return {std::string(last), {}};
  return {std::string(last.substr(dash + 1)),
          std::string(last.substr(kTerraform.size(), dash - kTerraform.size()))};
}

bool HasTryouts(std::string_view path) {
  constexpr std::array<std::string_view, 3> kTryouts{"examples", "test", "tests"};
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view segment = rest.substr(0, rest.find('/'));
    if (std::ranges::count(kTryouts, segment) > 0) return true;
    rest.remove_prefix(std::min(rest.size(), segment.size() + 1));
  }
  return false;
}

std::string FolderShown(std::string_view folder) {
  return folder.empty() ? "the repository's top folder"
                        : fmt::format("\"{}\"", Printable(folder, 400));
}

Status RefuseTwins(const std::vector<RepositoryModule>& modules) {
  std::map<std::string, std::string> known;
  for (const RepositoryModule& each : modules) {
    const auto [other, added] = known.emplace(each.address.Key(), each.folder);
    if (added) continue;
    return FailInvalid("{} and {} both are the module {}: write a rule that distinguishes them",
                       FolderShown(other->second), FolderShown(each.folder),
                       each.address.ToString());
  }
  return {};
}

}  // namespace

// ---- patterns

Result<RulePattern> RulePattern::Parse(std::string_view text) {
  RulePattern pattern;
  pattern.text_ = text;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.front() == '{' ? rest.find('}') : rest.find('{');
    if (rest.front() != '{') {
      pattern.tokens_.push_back({false, std::string(rest.substr(0, end))});
      rest.remove_prefix(std::min(end, rest.size()));
      continue;
    }
    const std::string name(rest.substr(1, end == rest.npos ? end : end - 1));
    const bool known = name == "name" || name == "system" || name == "path" || name == "version";
    if (!known || end == rest.npos) {
      return FailInvalid(
          "\"{}\" has an unknown placeholder: {{name}}, {{system}}, {{path}} and "
          "{{version}} exist",
          Printable(text));
    }
    if (pattern.Has(name)) {
      return FailInvalid("\"{}\" has {{{}}} twice", Printable(text), name);
    }
    if (!pattern.tokens_.empty() && pattern.tokens_.back().placeholder) {
      return FailInvalid("\"{}\" has two placeholders with nothing between them", Printable(text));
    }
    pattern.tokens_.push_back({true, name});
    rest.remove_prefix(end + 1);
  }
  return pattern;
}

bool RulePattern::Has(std::string_view placeholder) const {
  return std::ranges::any_of(
      tokens_, [&](const Token& each) { return each.placeholder && each.text == placeholder; });
}

std::vector<PlaceholderValues> RulePattern::Match(std::string_view text,
                                                  const PlaceholderValues& known) const {
  std::vector<PlaceholderValues> found;
  MatchFrom(0, text, known, found);
  return found;
}

void RulePattern::MatchFrom(std::size_t token, std::string_view rest,
                            const PlaceholderValues& values,
                            std::vector<PlaceholderValues>& found) const {
  if (token == tokens_.size()) {
    if (rest.empty()) found.push_back(values);
    return;
  }
  const Token& next = tokens_[token];
  const auto known = next.placeholder ? values.find(next.text) : values.end();
  if (!next.placeholder || known != values.end()) {
    const std::string& text = next.placeholder ? known->second : next.text;
    if (rest.starts_with(text)) MatchFrom(token + 1, rest.substr(text.size()), values, found);
    return;
  }
  const bool segments = next.text == "path";
  for (std::size_t size = 1; size <= rest.size(); ++size) {
    if (!segments && rest[size - 1] == '/') break;
    PlaceholderValues with = values;
    with.emplace(next.text, rest.substr(0, size));
    MatchFrom(token + 1, rest.substr(size), with, found);
  }
}

std::string RulePattern::Fill(const PlaceholderValues& values) const {
  std::string text;
  for (const Token& each : tokens_) {
    const auto known = each.placeholder ? values.find(each.text) : values.end();
    if (known != values.end()) {
      text += known->second;
    } else {
      text += each.placeholder ? fmt::format("{{{}}}", each.text) : each.text;
    }
  }
  return text;
}

Result<std::string> ParseRepositoryFolder(std::string_view text) {
  std::string folder;
  const bool absolute = text.starts_with('/');
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view segment = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), segment.size() + 1));
    if (segment == ".." || absolute || text.contains('\\')) {
      return FailInvalid(
          "\"{}\" is not a folder of the repository: write its path from the top, "
          "with \"/\" and without \"..\"",
          Printable(text));
    }
    if (segment.empty() || segment == ".") continue;
    if (!folder.empty()) folder += '/';
    folder += segment;
  }
  return folder;
}

// ---- what a tag means

// Every suffix that is a version: "a-1.0.0-1.0.0" has two.
std::vector<ModuleFinder::Reading> ModuleFinder::ReadTag(std::string_view tag) {
  std::vector<Reading> readings;
  for (std::size_t at = 0; at < tag.size(); ++at) {
    Result<Version> version = Version::ParseLookup(tag.substr(at));
    if (version) readings.push_back({std::string(tag.substr(0, at)), *std::move(version)});
  }
  return readings;
}

// Without the top, and without examples, tests, and modules within another one: they go along in
// its package.
std::vector<std::string> ModuleFinder::Outermost() const {
  std::vector<std::string> outermost;
  for (const std::string& each : repository_.folders) {
    if (each.empty() || HasTryouts(each)) continue;
    const bool inner = std::ranges::any_of(repository_.folders, [&](const std::string& other) {
      return !other.empty() && IsBelow(each, other);
    });
    if (!inner) outermost.push_back(each);
  }
  return outermost;
}

void ModuleFinder::AddByRule(const ModuleRule& rule, const Reading& reading,
                             std::vector<Meaning>& meanings,
                             std::vector<std::string>& missing) const {
  for (const PlaceholderValues& values : rule.tag.Match(reading.prefix, {})) {
    const std::size_t before = meanings.size();
    // {path} alone would find the examples of every module, too.
    const bool wide = rule.folder.Has("path") && !values.contains("path");
    std::vector<std::string> folders = wide ? Outermost() : repository_.folders;
    if (rule.folder.text().empty()) folders = {""};
    for (const std::string& folder : folders) {
      for (PlaceholderValues& all : rule.folder.Match(folder, values)) {
        meanings.push_back({folder, std::move(all), &rule, reading.version});
      }
    }
    if (meanings.size() > before) continue;
    missing.push_back(
        fmt::format("\"{}\" ({})", Printable(rule.folder.Fill(values), 400), rule.place));
  }
}

void ModuleFinder::AddByName(const Reading& reading, std::vector<Meaning>& meanings,
                             std::vector<std::string>& missing) const {
  std::string_view name = reading.prefix;
  if (name.empty()) {
    if (!NamesIn(repository_.name).system.empty()) {
      meanings.push_back({"", {}, nullptr, reading.version});
    } else {
      missing.push_back("a repository called terraform-SYSTEM-NAME");
    }
    return;
  }
  if (name.size() < 2 || !std::string_view("-/@").contains(name.back())) return;
  name.remove_suffix(1);
  const std::size_t before = meanings.size();
  const std::vector<std::string> outermost = Outermost();
  for (const std::string& folder : repository_.folders) {
    const bool by_name = LastPart(folder) == name && std::ranges::count(outermost, folder) > 0;
    if (folder != name && !by_name) continue;
    meanings.push_back({folder, {}, nullptr, reading.version});
  }
  if (meanings.size() == before) {
    missing.push_back(fmt::format("\"{0}\" and \"…/{0}\"", Printable(name, 400)));
  }
}

Result<TaggedModules> ModuleFinder::OfTag(std::string_view tag) const {
  const std::vector<Reading> readings =
      tag.size() <= kLongestTag ? ReadTag(tag) : std::vector<Reading>();
  if (readings.empty()) {
    return FailInvalid("the tag \"{}\" does not end in a semantic version such as 1.2.0",
                       Printable(tag));
  }
  std::vector<Meaning> meanings;
  std::vector<std::string> missing;
  if (rules_.rules.empty()) {
    for (const Reading& each : readings) AddByName(each, meanings, missing);
  }
  for (const ModuleRule& rule : rules_.rules) {
    for (const Reading& each : readings) AddByRule(rule, each, meanings, missing);
    if (!meanings.empty()) break;
  }
  if (!meanings.empty()) return Choose(tag, meanings);
  if (missing.empty()) {
    return FailInvalid("the tag \"{}\" means no module here: {}", Printable(tag),
                       rules_.rules.empty() ? "write a rule for it in koya.toml"
                                            : "no rule of koya.toml has such a tag");
  }
  return FailInvalid(
      "the tag \"{}\" means no module here; looked for {}: rename the tag, or write a rule in "
      "koya.toml",
      Printable(tag), fmt::join(missing, ", "));
}

Result<TaggedModules> ModuleFinder::Choose(std::string_view tag,
                                           const std::vector<Meaning>& meanings) const {
  const ModuleRule* rule = meanings.front().rule;
  const bool names_one = rule == nullptr || rule->tag.Has("name") || rule->tag.Has("path");
  const Meaning& first = meanings.front();
  TaggedModules found{first.version, {}};
  for (const Meaning& each : meanings) {
    const bool same_version = each.version == first.version;
    if (!same_version || (names_one && each.folder != first.folder)) {
      return FailInvalid(
          "the tag \"{}\" can mean two modules: {} at {}, and {} at {}; rename one, or use \"koya "
          "publish module\"",
          Printable(tag), FolderShown(first.folder), first.version.ToString(),
          FolderShown(each.folder), each.version.ToString());
    }
  }
  for (const Meaning& each : meanings) {
    ASSIGN_OR_RETURN(RepositoryModule module, Address(each.folder, each.values, each.rule));
    if (std::ranges::count(found.modules, module) == 0) found.modules.push_back(std::move(module));
  }
  RETURN_IF_ERROR(RefuseTwins(found.modules));
  return found;
}

// What the tag and the folder say comes first, then --system, then the folder's name.
Result<RepositoryModule> ModuleFinder::Address(const std::string& folder, PlaceholderValues values,
                                               const ModuleRule* rule) const {
  const NameAndSystem names = NamesIn(folder.empty() ? repository_.name : LastPart(folder));
  values.try_emplace("name", names.name);
  const std::string& system = system_.empty() ? names.system : system_;
  if (!system.empty()) values.try_emplace("system", system);
  if (!values.contains("system") && (rule == nullptr || rule->module.Has("system"))) {
    return FailInvalid(
        "the system of the module in {} is not known: pass --system, for example --system aws, or "
        "write a rule in koya.toml",
        FolderShown(folder));
  }
  const std::string module =
      rule != nullptr ? rule->module.Fill(values) : values["name"] + "/" + values["system"];
  Result<ModuleAddress> address = ModuleAddress::Parse(ns_ + "/" + module);
  if (!address) return FailInvalid("{}: {}", FolderShown(folder), address.error().message);
  if (const std::string reserved = ReservedReason(*address); !reserved.empty()) {
    return FailInvalid("{}: {}", FolderShown(folder), reserved);
  }
  return RepositoryModule{folder, *std::move(address),
                          rule != nullptr ? rule->with : std::vector<std::string>()};
}

Result<std::vector<RepositoryModule>> ModuleFinder::All() const {
  std::vector<RepositoryModule> found;
  const std::vector<std::string> outermost = Outermost();
  if (rules_.rules.empty()) {
    const bool whole = !NamesIn(repository_.name).system.empty();
    for (const std::string& folder : whole ? std::vector<std::string>{""} : outermost) {
      ASSIGN_OR_RETURN(RepositoryModule module, Address(folder, {}, nullptr));
      found.push_back(std::move(module));
    }
  }
  std::set<std::string> folders(repository_.folders.begin(), repository_.folders.end());
  if (!rules_.rules.empty()) folders.insert("");
  for (const std::string& folder : folders) {
    for (const ModuleRule& rule : rules_.rules) {
      if (rule.folder.Has("path") && std::ranges::count(outermost, folder) == 0) continue;
      std::vector<PlaceholderValues> ways = rule.folder.Match(folder, {});
      if (ways.empty()) continue;
      ASSIGN_OR_RETURN(RepositoryModule module, Address(folder, std::move(ways.front()), &rule));
      found.push_back(std::move(module));
      break;
    }
  }
  if (found.empty()) {
    return FailInvalid("there is no module folder{}", rules_.rules.empty()
                                                          ? ": none has .tf or .tofu files"
                                                          : " that a rule of koya.toml names");
  }
  RETURN_IF_ERROR(RefuseTwins(found));
  return found;
}

}  // namespace koya::cli
