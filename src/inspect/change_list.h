// Collects changes and pairs the elements to compare. One thread.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inspect/changes.h"

namespace koya::inspect {

// What a change concerns: an item of a kind that has a name in every language (Change::item), or
// any text.
struct Subject {
  Subject(std::string text) : name(std::move(text)) {}  // NOLINT(*-explicit-*)
  Subject(std::string_view kind, std::string text) : item(kind), name(std::move(text)) {}
  std::string Text() const;

  std::string_view item;
  std::string name;
};

// A sentence about a change. Its code stands for it in the API and in other languages
// (web/words, say.CODE): a sentence that changes its meaning gets another code.
struct Sentence {
  std::string_view code;
  std::string text;
  std::vector<std::string> arguments;
};
template <class... Arguments>
Sentence Say(std::string_view code, fmt::format_string<const Arguments&...> text,
             const Arguments&... arguments) {
  return {code, fmt::format(text, arguments...), {fmt::to_string(arguments)...}};
}

Change MakeChange(ChangeSection section, ChangeSign sign, ChangeKind kind, Subject subject,
                  Place place, Sentence sentence, const std::string& folder = {});

// Collects the changes of one folder; prefixes names in it with the folder.
class ChangeList {
 public:
  ChangeList(const std::string& folder, std::vector<Change>& out) : folder_(folder), out_(out) {}

  // Drops pairs that only seem to be added or removed because the other side has a file that could
  // not be read and may declare them. `declaration`: the name of an element's declaration, as in
  // declaration_scan.h.
  template <class Pairs, class Declaration>
  static void ForgetUnknown(const ModulePart& from, const ModulePart& to, Pairs& pairs,
                            Declaration declaration) {
    std::erase_if(pairs.removed,
                  [&](const auto* each) { return to.MayDeclare(declaration(*each)); });
    std::erase_if(pairs.added,
                  [&](const auto* each) { return from.MayDeclare(declaration(*each)); });
  }

  // Returns the change, until the next one is added.
  Change& Add(ChangeSection section, ChangeSign sign, ChangeKind kind, Subject subject,
              const Place& place, Sentence sentence) {
    return out_.emplace_back(
        MakeChange(section, sign, kind, std::move(subject), place, std::move(sentence), folder_));
  }

 private:
  std::string folder_;
  std::vector<Change>& out_;
};

// Pairs the elements of two lists by `key`, a text inside each element; of several in `from` with
// the same key, the first counts. `both` and `added` are in the order of `to`, `removed` in that of
// `from`.
template <class T, class Key>
struct Paired {
  static_assert(std::is_same_v<std::invoke_result_t<Key, const T&>, const std::string&>);
  std::vector<std::pair<const T*, const T*>> both;
  std::vector<const T*> added;
  std::vector<const T*> removed;

  Paired(const std::vector<T>& from, const std::vector<T>& to, Key key) {
    std::unordered_map<std::string_view, const T*> before(from.size());
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
    if (before.empty()) return;
    for (const T& each : from) {
      auto left = before.find(key(each));
      if (left != before.end() && left->second == &each) removed.push_back(&each);
    }
  }
};

// Two texts to show beside each other, each at most `most` bytes long. Texts that would look alike
// are shown from a little before the first difference on.
struct DifferingTexts {
  DifferingTexts(std::string_view a, std::string_view b, std::size_t most);
  std::string first;
  std::string second;
};

void CompareInputs(const ModulePart& from, const ModulePart& to, ChangeList& out);
void CompareOutputs(const ModulePart& from, const ModulePart& to, ChangeList& out);
// Compares resources, data and calls of modules.
void CompareResources(const ModulePart& from, const ModulePart& to, ChangeList& out);
// Compares requirements of providers and client versions.
void CompareRequirements(const ModulePart& from, const ModulePart& to, ChangeList& out);

}  // namespace koya::inspect
