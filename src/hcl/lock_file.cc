#include "hcl/lock_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "hcl/hcl.h"

namespace koya::hcl {
namespace {

Failure Bad(std::size_t line, std::string_view why) {
  return FailInvalid("line {}: {}", line, why);
}

// Each of the three at most once, and nothing else.
Status CheckAttributes(const Block& block) {
  constexpr std::array<std::string_view, 3> kKnown{"version", "constraints", "hashes"};
  std::set<std::string_view> seen;
  for (const Member& attribute : block.body.attributes) {
    if (std::ranges::count(kKnown, attribute.name) == 0) {
      return Bad(attribute.range.line, fmt::format("a provider's lock has no attribute \"{}\"",
                                                   Printable(attribute.name, 40)));
    }
    if (!seen.insert(attribute.name).second) {
      return Bad(attribute.range.line, fmt::format("\"{}\" stands here twice", attribute.name));
    }
  }
  if (!block.body.blocks.empty()) {
    return Bad(block.body.blocks.front().range.line, "a provider's lock has no blocks inside");
  }
  return {};
}

// Written full: with its host.
Result<ProviderSource> ReadAddress(const Block& block) {
  const std::string& text = block.labels.front();
  if (std::ranges::count(text, '/') != 2) {
    return Bad(block.range.line, fmt::format("\"{}\" is not HOST/NAMESPACE/TYPE", Printable(text)));
  }
  Result<HostName> host = HostName::Parse(text.substr(0, text.find('/')));
  if (!host) return Bad(block.range.line, host.error().message);
  Result<std::optional<ProviderSource>> source = ParseProviderSource(text, *host);
  if (!source) return Bad(block.range.line, source.error().message);
  if (!*source)
    return Bad(block.range.line, "providers that are a part of the client are never locked");
  return **std::move(source);
}

Result<std::vector<std::string>> ReadHashes(const Value& value) {
  std::vector<std::string> hashes;
  if (value.kind != Value::Kind::kList) return Bad(value.range.line, "\"hashes\" is not a list");
  for (const Value& item : value.items) {
    std::size_t colon = item.text.find(':');
    bool sound = item.kind == Value::Kind::kText && colon != std::string::npos && colon > 0 &&
                 colon + 1 < item.text.size();
    if (!sound) return Bad(item.range.line, "a hash is a string like \"h1:…\" or \"zh:…\"");
    hashes.push_back(item.text);
  }
  return hashes;
}

Result<LockedProvider> ReadProvider(const Block& block) {
  if (block.labels.size() != 1) {
    return Bad(block.range.line, "a provider's block is provider \"ADDRESS\"");
  }
  RETURN_IF_ERROR(CheckAttributes(block));
  ASSIGN_OR_RETURN(ProviderSource source, ReadAddress(block));
  const Value* text = block.body.FindAttribute("version");
  if (text == nullptr || text->kind != Value::Kind::kText) {
    return Bad(block.range.line, fmt::format("{} has no version", source.ToString()));
  }
  Result<Version> version = Version::Parse(text->text);
  if (!version) return Bad(text->range.line, version.error().message);
  LockedProvider locked{.source = std::move(source),
                        .version = *std::move(version),
                        .constraints = {},
                        .hashes = {},
                        .line = block.range.line};
  if (const Value* constraints = block.body.FindAttribute("constraints")) {
    if (constraints->kind != Value::Kind::kText) {
      return Bad(constraints->range.line, "\"constraints\" is not a string");
    }
    locked.constraints = constraints->text;
  }
  if (const Value* hashes = block.body.FindAttribute("hashes")) {
    ASSIGN_OR_RETURN(locked.hashes, ReadHashes(*hashes));
  }
  return locked;
}

// The number of the first line with a conflict mark of a merge; 0: there is none.
std::size_t FindConflictMark(std::string_view text) {
  for (std::size_t line = 1; !text.empty(); ++line) {
    if (text.starts_with("<<<<<<< ") || text.starts_with(">>>>>>> ")) return line;
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return 0;
}

}  // namespace

Result<std::vector<LockedProvider>> ParseLockFile(std::string_view text) {
  if (const std::size_t line = FindConflictMark(text); line > 0) {
    return Bad(line, "this is a conflict mark of a merge: resolve the conflict first");
  }
  ASSIGN_OR_RETURN(Body body, Parse(text));
  if (!body.attributes.empty()) {
    return Bad(body.attributes.front().range.line, "a lock file holds blocks only");
  }
  std::vector<LockedProvider> out;
  std::set<std::string> seen;
  for (const Block& block : body.blocks) {
    if (block.type != "provider") continue;
    ASSIGN_OR_RETURN(LockedProvider provider, ReadProvider(block));
    if (!seen.insert(provider.source.ToString()).second) {
      return Bad(block.range.line, fmt::format("{} is locked twice", provider.source.ToString()));
    }
    out.push_back(std::move(provider));
  }
  return out;
}

}  // namespace koya::hcl
