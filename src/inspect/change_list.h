// Changes while they are collected. One thread.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "inspect/changes.h"

namespace koya::inspect {

// Of one folder: names in it are told with the folder before them.
class ChangeList {
 public:
  ChangeList(const std::string& folder, std::vector<Change>& out)
      : prefix_(folder.empty() ? std::string() : folder + ": "), out_(out) {}

  // A side of which something could not be read may have what it seems to lack, if that stands in
  // it. `declaration`: of one of them, as declaration_scan.h names it.
  template <class Pairs, class Declaration>
  static void ForgetUnknown(const ModulePart& from, const ModulePart& to, Pairs& pairs,
                            Declaration declaration) {
    std::erase_if(pairs.removed,
                  [&](const auto* each) { return to.MayDeclare(declaration(*each)); });
    std::erase_if(pairs.added,
                  [&](const auto* each) { return from.MayDeclare(declaration(*each)); });
  }

  // `what`: without the folder.
  void Add(ChangeSection section, ChangeSign sign, ChangeKind kind, const std::string& what,
           const Place& place, std::string sentence) {
    out_.push_back({section, sign, kind, prefix_ + what, place, std::move(sentence)});
  }

 private:
  std::string prefix_;
  std::vector<Change>& out_;
};

// What both have, and what only one of them has, by `key` of each.
template <class T, class Key>
struct Paired {
  std::vector<std::pair<const T*, const T*>> both;
  std::vector<const T*> added;
  std::vector<const T*> removed;

  Paired(const std::vector<T>& from, const std::vector<T>& to, Key key) {
    std::map<std::string, const T*> before;
    for (const T& each : from) before.emplace(key(each), &each);
    for (const T& each : to) {
      auto known = before.find(key(each));
      if (known == before.end()) {
        added.push_back(&each);
      } else {
        both.emplace_back(known->second, &each);
        before.erase(known);
      }
    }
    for (const auto& [name, each] : before) removed.push_back(each);
  }
};

void CompareInputs(const ModulePart& from, const ModulePart& to, ChangeList& out);
void CompareOutputs(const ModulePart& from, const ModulePart& to, ChangeList& out);
// Resources, data and calls of modules.
void CompareResources(const ModulePart& from, const ModulePart& to, ChangeList& out);
// Providers and clients.
void CompareRequirements(const ModulePart& from, const ModulePart& to, ChangeList& out);

}  // namespace koya::inspect
