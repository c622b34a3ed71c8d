#include "inspect/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "inspect/change_list.h"

namespace koya::inspect {
namespace {

void CompareParts(const ModulePart& from, const ModulePart& to, std::vector<Change>& out) {
  ChangeList list(to.path, out);
  CompareInputs(from, to, list);
  CompareOutputs(from, to, list);
  CompareResources(from, to, list);
  CompareRequirements(from, to, list);
}

// Where the first thing in `file` is that could not be read.
Place FirstMistake(const ModuleContents& contents, const std::string& file) {
  auto known = std::ranges::find_if(
      contents.warnings, [&file](const Warning& each) { return each.place.file == file; });
  return known == contents.warnings.end() ? Place{file, 0} : known->place;
}

void TellUnread(const ModulePart& from, const ModulePart& to, const ModuleContents& old_contents,
                const ModuleContents& new_contents, std::vector<Change>& out) {
  auto add = [&out](const std::string& file, Place place, Sentence sentence) {
    out.push_back(MakeChange(ChangeSection::kFiles, ChangeSign::kChanged, ChangeKind::kReadThis,
                             Printable(file, 160), std::move(place), std::move(sentence)));
    out.back().unknown = true;
  };
  for (const std::string& each : to.unread) {
    add(each, FirstMistake(new_contents, each),
        Say("unread",
            "It could not be read: its declarations are unknown and not compared; names that do "
            "not "
            "occur in it were removed."));
  }
  for (const std::string& each : from.unread) {
    if (std::ranges::find(to.unread, each) != to.unread.end()) continue;
    add(each, FirstMistake(old_contents, each),
        Say("unread_before",
            "Before, it could not be read: its declarations are unknown and not compared."));
  }
}

Place FirstPlace(const ModulePart& part) {
  if (part.files.empty()) return {part.path, 0};
  return {part.files.front(), 1};
}

bool HasConfiguration(const ModulePart& part) {
  return !part.files.empty() || !part.unread.empty();
}

// By the standard module structure a submodule without a README is only for the module itself. Of
// a module that is used by its submodules alone, all of them are for callers.
bool IsInternal(const ModuleContents& contents, const ModulePart& submodule) {
  return submodule.readme.file.empty() && HasConfiguration(contents.root);
}

// The changes from `begin` on concern no caller.
void TellAsInternal(std::vector<Change>& out, std::size_t begin) {
  for (std::size_t i = begin; i < out.size(); ++i) {
    out[i].section = ChangeSection::kInternal;
    out[i].kind = ChangeKind::kSafe;
  }
}

void CompareFolders(const ModuleContents& from, const ModuleContents& to,
                    std::vector<Change>& out) {
  auto path = [](const ModulePart& each) -> const std::string& { return each.path; };
  Paired modules(from.submodules, to.submodules, path);
  auto forget = [&](auto& pairs) {
    if (to.folders_left_out) pairs.removed.clear();
    if (from.folders_left_out) pairs.added.clear();
  };
  forget(modules);
  auto add = [&](ChangeSign sign, ChangeKind kind, const ModulePart& part, Sentence sentence) {
    out.push_back(MakeChange(ChangeSection::kSubmodules, sign, kind, Printable(part.path, 160),
                             FirstPlace(part), std::move(sentence)));
  };
  for (const ModulePart* each : modules.removed) {
    add(ChangeSign::kRemoved, ChangeKind::kBreaking, *each,
        Say("submodule_gone", "The submodule is gone: callers that use it are refused."));
    if (IsInternal(from, *each)) TellAsInternal(out, out.size() - 1);
  }
  for (const ModulePart* each : modules.added) {
    add(ChangeSign::kAdded, ChangeKind::kCompatible, *each,
        Say("submodule_new", "The submodule is new."));
    if (IsInternal(to, *each)) TellAsInternal(out, out.size() - 1);
  }
  for (const auto& [before, after] : modules.both) {
    const std::size_t begin = out.size();
    CompareParts(*before, *after, out);
    if (IsInternal(from, *before)) TellAsInternal(out, begin);
    TellUnread(*before, *after, from, to, out);
  }
  Paired examples(from.examples, to.examples, path);
  forget(examples);
  for (const ModulePart* each : examples.removed) {
    add(ChangeSign::kRemoved, ChangeKind::kSafe, *each,
        Say("example_gone", "The example is gone."));
  }
  for (const ModulePart* each : examples.added) {
    add(ChangeSign::kAdded, ChangeKind::kSafe, *each, Say("example_new", "The example is new."));
  }
}

// Of a module that is used by its submodules, the root has none.
void CompareRoots(const ModulePart& from, const ModulePart& to, std::vector<Change>& out) {
  const bool gone = HasConfiguration(from) && !HasConfiguration(to);
  if (!gone && HasConfiguration(from) == HasConfiguration(to)) return;
  out.push_back(MakeChange(
      ChangeSection::kSubmodules, gone ? ChangeSign::kRemoved : ChangeSign::kAdded,
      gone ? ChangeKind::kBreaking : ChangeKind::kCompatible, Subject("root"),
      gone ? FirstPlace(from) : FirstPlace(to),
      gone ? Say("root_gone", "It has no configuration any more: callers get nothing from it.")
           : Say("root_new", "It has configuration now, and can be used by itself.")));
}

Subject CountedFiles(std::size_t count) {
  return {count == 1 ? "file" : "files", fmt::to_string(count)};
}

// One line for each sign: the other sections report changes of the files' contents.
void CompareFiles(const ModuleContents& from, const ModuleContents& to, std::vector<Change>& out) {
  auto listed = [](const ModuleContents& each) { return each.files.size() == each.file_count; };
  if (!listed(from) || !listed(to)) return;
  auto path = [](const FileSize& each) -> const std::string& { return each.path; };
  Paired files(from.files, to.files, path);
  auto add = [&](ChangeSign sign, Subject subject, Place place, Sentence sentence) {
    out.push_back(MakeChange(ChangeSection::kFiles, sign, ChangeKind::kSafe, std::move(subject),
                             std::move(place), std::move(sentence)));
  };
  if (!files.added.empty()) {
    add(ChangeSign::kAdded, CountedFiles(files.added.size()), {files.added.front()->path, 0},
        Say("files_new", "New, from {} on.", Printable(files.added.front()->path, 120)));
  }
  if (!files.removed.empty()) {
    add(ChangeSign::kRemoved, CountedFiles(files.removed.size()), {files.removed.front()->path, 0},
        Say("files_gone", "Gone, from {} on.", Printable(files.removed.front()->path, 120)));
  }
  if (from.root.readme.text != to.root.readme.text) {
    add(ChangeSign::kChanged, Subject("README"), {to.root.readme.file, 0},
        Say("changed", "It changed."));
  }
  if (from.licence.spdx != to.licence.spdx) {
    auto named = [](const Licence& each) { return each.spdx.empty() ? "not known" : each.spdx; };
    add(ChangeSign::kChanged, {"licence", ""}, {to.licence.file, 0},
        Say("was_and_is", "It was {}, and is {}.", named(from.licence), named(to.licence)));
  }
}

Step NeededBy(const std::vector<Change>& changes) {
  Step needed = Step::kPatch;
  for (const Change& each : changes) {
    if (each.unknown) continue;
    switch (each.kind) {
      case ChangeKind::kSafe:
        break;
      case ChangeKind::kCompatible:
      case ChangeKind::kReadThis:
        needed = std::max(needed, Step::kMinor);
        break;
      case ChangeKind::kBreaking:
        needed = Step::kMajor;
        break;
    }
  }
  return needed;
}

// The place in which the numbers differ. A prerelease and its release make one step together.
Step StepBetween(const Version& from, const Version& to) {
  if (from.major() != to.major()) return Step::kMajor;
  if (from.minor() != to.minor()) return Step::kMinor;
  if (from.patch() != to.patch() || from == to || to.patch() != 0) return Step::kPatch;
  return to.minor() == 0 ? Step::kMajor : Step::kMinor;
}

// What that step allows. Anything may change up to the release that a prerelease was made for.
Step AllowedBy(const Version& from, const Version& to) {
  if (from.major() != to.major()) return Step::kMajor;
  if (from.minor() != to.minor()) return to.major() == 0 ? Step::kMajor : Step::kMinor;
  if (from.patch() != to.patch()) return to.major() == 0 ? Step::kMinor : Step::kPatch;
  return from.is_prerelease() ? Step::kMajor : Step::kPatch;
}

// The least number above `from` for that step. Below 1.0.0 the numbers move one place to the right.
std::string NumberFor(const Version& from, Step step) {
  bool early = from.major() == 0;
  if (step == Step::kMajor && !early) return fmt::format("{}.0.0", from.major() + 1);
  if (step == Step::kPatch || (early && step == Step::kMinor)) {
    return fmt::format("{}.{}.{}", from.major(), from.minor(), from.patch() + 1);
  }
  return fmt::format("{}.{}.0", from.major(), from.minor() + 1);
}

std::string_view Reason(Step needed) {
  switch (needed) {
    case Step::kPatch:
      return "no declarations changed";
    case Step::kMinor:
      return "there are additions, or changes to read";
    case Step::kMajor:
      return "users have to change something";
  }
  return {};
}

}  // namespace

std::string Subject::Text() const {
  if (item.empty()) return name;
  if (item == "file" || item == "files") return fmt::format("{} {}", name, item);
  if (item == "provider") return fmt::format("{} {}", item, name);
  return name.empty() ? std::string(item) : fmt::format("{} \"{}\"", item, name);
}

Change MakeChange(ChangeSection section, ChangeSign sign, ChangeKind kind, Subject subject,
                  Place place, Sentence sentence, const std::string& folder) {
  return {.section = section,
          .sign = sign,
          .kind = kind,
          .what = folder.empty() ? subject.Text() : fmt::format("{}: {}", folder, subject.Text()),
          .place = std::move(place),
          .sentence = std::move(sentence.text),
          .folder = folder,
          .item = std::string(subject.item),
          .name = std::move(subject.name),
          .code = std::string(sentence.code),
          .arguments = std::move(sentence.arguments)};
}

DifferingTexts::DifferingTexts(std::string_view a, std::string_view b, std::size_t most)
    : first(Printable(a, most)), second(Printable(b, most)) {
  if (a == b || first != second) return;
  constexpr std::size_t kBefore = 20;
  auto at = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  at -= std::min(at, kBefore);
  while (at > 0 && IsContinuation(a[at])) --at;
  if (at == 0) return;
  first = "…" + Printable(a.substr(at), most);
  second = "…" + Printable(b.substr(at), most);
}

std::vector<Change> FindChanges(const ModuleContents& from, const ModuleContents& to) {
  std::vector<Change> out;
  CompareRoots(from.root, to.root, out);
  CompareParts(from.root, to.root, out);
  TellUnread(from.root, to.root, from, to, out);
  CompareFolders(from, to, out);
  CompareFiles(from, to, out);
  std::ranges::sort(out, [](const Change& a, const Change& b) {
    return std::tie(a.section, b.kind, a.what, a.sentence) <
           std::tie(b.section, a.kind, b.what, b.sentence);
  });
  return out;
}

Verdict Judge(std::vector<Change> changes, const Version& from, const Version& to) {
  Verdict verdict{.changes = std::move(changes), .wanted = {}, .sentence = {}};
  verdict.needed = NeededBy(verdict.changes);
  verdict.given = StepBetween(from, to);
  const bool unknown = std::ranges::any_of(verdict.changes, &Change::unknown);
  const std::string_view limit = unknown ? " Unreadable parts are left out." : "";
  if (!(from < to)) {
    verdict.agreement = Agreement::kNotJudged;
    verdict.sentence = fmt::format("{} is not newer than {}: the number is not checked.",
                                   to.ToString(), from.ToString());
    return verdict;
  }
  if (verdict.needed <= AllowedBy(from, to)) {
    verdict.sentence = fmt::format("{} matches the changes since {}: {}.{}", to.ToString(),
                                   from.ToString(), Reason(verdict.needed), limit);
    return verdict;
  }
  verdict.agreement =
      verdict.needed == Step::kMajor ? Agreement::kShouldBeMajor : Agreement::kShouldBeMinor;
  verdict.wanted = NumberFor(from, verdict.needed);
  verdict.sentence = fmt::format("{} should be {} at least: {}.{}", to.ToString(), verdict.wanted,
                                 Reason(verdict.needed), limit);
  return verdict;
}

std::string_view Name(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kSafe:
      return "safe";
    case ChangeKind::kCompatible:
      return "compatible";
    case ChangeKind::kReadThis:
      return "read";
    case ChangeKind::kBreaking:
      return "breaking";
  }
  return {};
}

std::string_view Name(ChangeSection section) {
  switch (section) {
    case ChangeSection::kInputs:
      return "inputs";
    case ChangeSection::kOutputs:
      return "outputs";
    case ChangeSection::kResources:
      return "resources";
    case ChangeSection::kSubmodules:
      return "submodules";
    case ChangeSection::kInternal:
      return "internal";
    case ChangeSection::kFiles:
      return "files";
    case ChangeSection::kPlatforms:
      return "platforms";
    case ChangeSection::kProtocols:
      return "protocols";
    case ChangeSection::kKeys:
      return "keys";
    case ChangeSection::kSchema:
      return "schema";
    case ChangeSection::kDocs:
      return "docs";
  }
  return {};
}

std::string_view Name(ChangeSign sign) {
  switch (sign) {
    case ChangeSign::kAdded:
      return "added";
    case ChangeSign::kChanged:
      return "changed";
    case ChangeSign::kRemoved:
      return "removed";
    case ChangeSign::kMoved:
      return "moved";
  }
  return {};
}

std::string_view Name(Step step) {
  switch (step) {
    case Step::kPatch:
      return "patch";
    case Step::kMinor:
      return "minor";
    case Step::kMajor:
      return "major";
  }
  return {};
}

std::string_view Name(Agreement agreement) {
  switch (agreement) {
    case Agreement::kAgrees:
      return "agrees";
    case Agreement::kShouldBeMinor:
      return "should-be-minor";
    case Agreement::kShouldBeMajor:
      return "should-be-major";
    case Agreement::kNotJudged:
      return "not-judged";
  }
  return {};
}

}  // namespace koya::inspect
