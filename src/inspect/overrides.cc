#include "inspect/overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/text.h"

namespace koya::inspect {
namespace {

using hcl::Block;
using hcl::Body;
using hcl::Member;

void SetAttribute(Member member, Body& body) {
  auto known = std::ranges::find(body.attributes, member.name, &Member::name);
  if (known == body.attributes.end()) {
    body.attributes.push_back(std::move(member));
  } else {
    known->value = std::move(member.value);
  }
}

Block* FindInner(Body& body, std::string_view type) {
  auto known = std::ranges::find(body.blocks, type, &Block::type);
  return known == body.blocks.end() ? nullptr : &*known;
}

void MergeBody(Body change, Body& body) {
  for (Member& each : change.attributes) SetAttribute(std::move(each), body);
  // Where the state is kept is said once: each way to say it stands for the others.
  const std::set<std::string> kState{"backend", "cloud", "state_store"};
  std::set<std::string> replaced;
  for (const Block& each : change.blocks) {
    if (each.type == "required_providers") continue;
    replaced.insert(each.type);
    if (kState.contains(each.type)) replaced.insert(kState.begin(), kState.end());
  }
  std::erase_if(body.blocks, [&](const Block& each) { return replaced.contains(each.type); });
  for (Block& each : change.blocks) {
    Block* known = each.type == "required_providers" ? FindInner(body, each.type) : nullptr;
    if (known == nullptr) {
      body.blocks.push_back(std::move(each));
    } else {
      for (Member& member : each.body.attributes) SetAttribute(std::move(member), known->body);
    }
  }
}

// The alias identifies a provider block.
std::string AliasOf(const Block& block) {
  const hcl::Value* alias = block.type == "provider" ? block.body.FindAttribute("alias") : nullptr;
  return alias == nullptr ? std::string() : alias->text;
}

bool SameThing(const Block& a, const Block& b) {
  return a.type == b.type && a.labels == b.labels && AliasOf(a) == AliasOf(b);
}

// Each local is changed where it stands.
void OverrideLocals(PlacedBlock change, std::vector<PlacedBlock>& blocks) {
  for (Member& member : change.block.body.attributes) {
    auto has = [&](PlacedBlock& each) {
      return each.block.type == "locals" && each.block.body.FindAttribute(member.name) != nullptr;
    };
    auto known = std::ranges::find_if(blocks, has);
    if (known != blocks.end()) SetAttribute(std::move(member), known->block.body);
  }
}

}  // namespace

void ApplyOverride(PlacedBlock change, std::vector<PlacedBlock>& blocks, WarningList& warnings) {
  if (change.block.type == "locals") return OverrideLocals(std::move(change), blocks);
  auto known = std::ranges::find_if(
      blocks, [&](const PlacedBlock& each) { return SameThing(each.block, change.block); });
  if (known != blocks.end()) {
    MergeBody(std::move(change.block.body), known->block.body);
    return;
  }
  // These need not be there already.
  bool free = change.block.type == "terraform" || change.block.type == "language" ||
              change.block.type == "provider";
  if (free) {
    blocks.push_back(std::move(change));
    return;
  }
  std::string name = change.block.type;
  for (const std::string& label : change.block.labels) name += fmt::format(" \"{}\"", label);
  warnings.push_back(
      {fmt::format("there is no {} that this file could override", Printable(name, 120)),
       change.place()});
}

}  // namespace koya::inspect
