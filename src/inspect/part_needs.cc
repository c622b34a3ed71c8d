// What a folder needs: providers, clients, other modules.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "domain/version_constraint.h"
#include "hcl/source_address.h"
#include "inspect/file_names.h"
#include "inspect/part_reader.h"

namespace koya::inspect {
namespace {

using hcl::Value;

// Splits "SOURCE//SUBFOLDER?QUERY", as clients do: not at the "//" of a URL.
std::pair<std::string, std::string> SplitSubfolder(const std::string& source) {
  std::size_t scheme = source.find("://");
  std::size_t at = source.find("//", scheme == std::string::npos ? 0 : scheme + 3);
  if (at == std::string::npos) return {source, {}};
  std::string folder = source.substr(at + 2);
  return {source.substr(0, at), folder.substr(0, folder.find('?'))};
}

std::string KindOfSource(std::string_view source) {
  if (source.starts_with("git::") || source.starts_with("git@") || source.starts_with("hg::") ||
      source.starts_with("github.com/") || source.starts_with("bitbucket.org/")) {
    return "git";
  }
  bool url = source.find("://") != source.npos || source.find("::") != source.npos;
  return url ? "url" : "other";
}

}  // namespace

void PartReader::SetSource(ModuleCall& call) {
  if (hcl::IsLocalModule(call.source)) {
    call.kind = "local";
    std::optional<std::string> folder = JoinFolders(part_.path, call.source);
    if (folder) {
      call.address = *std::move(folder);
    } else {
      Warn(call.place, fmt::format("the module \"{}\" lies outside of the archive: \"{}\"",
                                   Printable(call.name, 80), Printable(call.source, 120)));
    }
    return;
  }
  call.subfolder = SplitSubfolder(call.source).second;
  std::optional<hcl::ModuleSource> address = hcl::ParseModuleSource(call.source, default_host_);
  call.kind = address ? "registry" : KindOfSource(call.source);
  if (address) call.address = address->ToString();
}

void PartReader::ReadCall(const PlacedBlock& each) {
  if (!HasLabels(each, 1)) return;
  const hcl::Body& body = each.block.body;
  ModuleCall call{.name = each.block.labels.front(),
                  .source = TextOf(body, "source"),
                  .constraint = TextOf(body, "version"),
                  .repetition = RepetitionOf(body),
                  .place = each.place()};
  if (!IsNew("module " + call.name, call.place)) return;
  call.hidden = each.block.comment.find("terraform-docs-ignore") != std::string::npos;
  const Value* source = body.FindAttribute("source");
  if (source == nullptr) {
    Warn(call.place, fmt::format("the module \"{}\" has no source", Printable(call.name, 80)));
  } else if (source->kind == Value::Kind::kText) {
    SetSource(call);
  }
  if (const Value* providers = body.FindAttribute("providers")) {
    for (const hcl::Member& member : providers->members) {
      call.providers[member.name] = ExpressionOf(member.value);
    }
  }
  part_.calls.push_back(std::move(call));
}

void PartReader::ReadProvider(const PlacedBlock& each) {
  if (!HasLabels(each, 1)) return;
  const hcl::Body& body = each.block.body;
  ProviderConfig config{.name = each.block.labels.front(),
                        .alias = TextOf(body, "alias"),
                        .for_each = ExpressionOf(body, "for_each"),
                        .place = each.place()};
  std::string address = config.alias.empty() ? config.name : config.name + "." + config.alias;
  if (!IsNew("provider " + address, config.place)) return;
  used_.emplace(config.name, config.place);
  std::string version = TextOf(body, "version");
  if (!version.empty()) provider_versions_.emplace(config.name, std::move(version));
  // Clients take an empty block, or one of an alias alone, for the older way to name what callers
  // pass. An alias may have instances.
  const bool no_block = std::ranges::all_of(body.blocks, [](const hcl::Block& each) {
    return each.type == "_" && each.body.attributes.empty() && each.body.blocks.empty();
  });
  const bool names_only = no_block && std::ranges::all_of(body.attributes, [](auto& each) {
                            return each.name == "alias" || each.name == "for_each";
                          });
  if (!names_only) configured_.push_back(config);
  part_.providers.push_back(std::move(config));
}

void PartReader::ReadClients(const hcl::Body& body, std::string_view name, const std::string& file,
                             std::string& versions, Place& place) {
  std::string version = TextOf(body, name);
  if (version.empty()) return;
  if (!versions.empty()) versions += ", ";
  versions += version;
  place = {file, body.FindAttribute(name)->range.line};
  auto constraint = VersionConstraint::Parse(version, ConstraintStyle::kModule);
  if (!constraint) Warn(place, constraint.error().message);
}

void PartReader::ReadTerraform(const PlacedBlock& each) {
  const hcl::Body& body = each.block.body;
  ReadClients(body, "required_version", each.file, part_.required_version, part_.version_place);
  if (body.FindAttribute("language") != nullptr) part_.language = ExpressionOf(body, "language");
  for (std::string& name : ItemsOf(body, "experiments")) {
    part_.experiments.push_back(std::move(name));
  }
  for (const hcl::Block& inner : body.blocks) {
    if (inner.type == "required_providers") ReadRequirements(inner, each.file);
    // Of other products nothing is said to these clients.
    if (inner.type == "compatible_with" && each.block.type == "language") {
      ReadClients(inner.body, "opentofu", each.file, part_.required_opentofu, part_.opentofu_place);
    }
    if (inner.type == "state_store") ReadStateStore(inner, each.file);
    bool backend = inner.type == "backend" && !inner.labels.empty();
    if (!backend && inner.type != "cloud") continue;
    part_.backend = backend ? inner.labels.front() : "cloud";
    if (!part_.path.starts_with("examples")) {
      Warn({each.file, inner.range.line},
           "a backend in a module: clients ignore it unless the module is the root");
    }
  }
}

// The provider of a state store is required as any other. Source: Terraform, state_store.go.
void PartReader::ReadStateStore(const hcl::Block& block, const std::string& file) {
  if (!block.labels.empty()) part_.backend = block.labels.front();
  for (const hcl::Block& inner : block.body.blocks) {
    if (inner.type != "provider" || inner.labels.empty()) continue;
    used_.emplace(inner.labels.front(), Place{file, inner.range.line});
  }
}

void PartReader::ReadRequirements(const hcl::Block& block, const std::string& file) {
  for (const hcl::Member& member : block.body.attributes) {
    Place place{file, member.range.line};
    if (!IsNew("required provider " + member.name, place)) continue;
    part_.requirements.push_back(ReadRequirement(member, std::move(place)));
  }
}

// { source = "…", version = "…", configuration_aliases = […] }, or only the version, as older
// configurations have it.
Requirement PartReader::ReadRequirement(const hcl::Member& member, Place place) {
  Requirement out{.name = member.name, .place = std::move(place)};
  if (member.value.kind == Value::Kind::kText) {
    out.constraint = member.value.text;
    return out;
  }
  bool sound = member.value.kind == Value::Kind::kObject;
  for (const hcl::Member& each : member.value.members) {
    if (each.name == "configuration_aliases") {
      for (const hcl::Value& alias : each.value.items) out.aliases.push_back(ExpressionOf(alias));
      continue;
    }
    if (each.name != "source" && each.name != "version") continue;
    sound = sound && each.value.kind == Value::Kind::kText;
    (each.name == "source" ? out.source : out.constraint) = TextOf(each.value);
  }
  if (!sound) {
    Warn(out.place,
         fmt::format("the required provider \"{}\" is not a literal", Printable(out.name, 80)));
  }
  return out;
}

// Providers that are only used are required by their names; addresses are filled in.
void PartReader::CompleteRequirements() {
  for (const auto& [name, place] : used_) {
    // A type "_x" names no provider. "terraform" is built into the clients unless another provider
    // is required by that name.
    if (name.empty()) continue;
    if (name == "terraform" || seen_.contains("required provider " + name)) continue;
    part_.requirements.push_back({.name = name, .implied = true, .place = place});
  }
  for (Requirement& each : part_.requirements) {
    if (auto version = provider_versions_.find(each.name); version != provider_versions_.end()) {
      each.constraint += each.constraint.empty() ? version->second : ", " + version->second;
    }
    if (auto read = VersionConstraint::Parse(each.constraint); !read) {
      Warn(each.place, read.error().message);
    }
    if (each.name == "terraform" && each.source.empty()) continue;  // a part of the clients
    auto source =
        hcl::ParseProviderSource(each.source.empty() ? each.name : each.source, default_host_);
    if (!source) {
      Warn(each.place, source.error().message);
    } else if (*source) {
      each.address = (*source)->ToString();
    }
  }
}

}  // namespace koya::inspect
