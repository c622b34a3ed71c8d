// The tab of changes.
#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "web/common/form_parts.h"
#include "web/common/page_paths.h"
#include "web/common/template_engine.h"
#include "web/common/view.h"
#include "web/common/words.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_parts.h"

namespace koya::web {
namespace {

constexpr std::array<std::string_view, 6> kShownSections{"inputs",     "outputs",  "resources",
                                                         "submodules", "internal", "files"};
constexpr std::size_t kMostShownChanges = 500;  // of a section
// In the menus of versions: so the page does not grow with their number.
constexpr std::size_t kChoices = 60;
// Of differences between files, on the page: the command line shows all that there are.
constexpr std::size_t kMostShownLines = 3000;
constexpr std::size_t kMostShownFiles = 300;

struct Translation {
  std::string text;
  Language language = Language::kEnglish;  // of `text`
};

// The word say.CODE with the arguments in place of {a}, {b} and so on; else the English text.
Translation Translate(Language language, std::string_view code,
                      std::span<const std::string> arguments, const std::string& english) {
  const auto word = WordsOf(language).find(fmt::format("say.{}", code));
  if (language == Language::kEnglish || word == WordsOf(language).end()) return {english};
  std::string text;
  for (const WordPiece& piece : WordPieces(word->second)) {
    if (!piece.placeholder) {
      text += piece.text;
      continue;
    }
    const std::size_t at = piece.text.front() - 'a';
    if (at >= arguments.size()) return {english};
    text += arguments[at];
  }
  return {std::move(text), language};
}

Translation TranslateSubject(Language language, const wire::ComparedChange& change) {
  Translation out =
      Translate(language, "what_" + change.item, std::span(&change.name, 1), change.what);
  if (out.language != Language::kEnglish && !change.folder.empty()) {
    out.text.insert(0, change.folder + ": ");
  }
  return out;
}

// The page of a file of one of the two versions; "": `where` is none.
std::string PlacePath(const ModulePage& page, const std::string& version,
                      const std::string& where) {
  const std::size_t colon = where.rfind(':');
  if (colon == where.npos) return {};
  return ModulePath(page.record->address.ToString(), version, "files/" + where.substr(0, colon)) +
         "#L" + where.substr(colon + 1);
}

View ModuleChangeView(const PageFrame& frame, const ModulePage& page, const ModuleChangesForm& form,
                      const wire::ComparedChange& change) {
  const Translation what = TranslateSubject(frame.language, change);
  const Translation text = Translate(frame.language, change.code, change.arguments, change.text);
  const std::string& where_version = change.kind == "removed" ? form.from : form.to;
  return View()
      .Set("kind", change.kind)
      .Set("severity", change.severity)
      .Set("where", change.where)
      .Set("where_version", where_version)
      .Set("was", change.was)
      .Set("was_path", PlacePath(page, form.from, change.was))
      .Set("change_what", what.text)
      .Set("what_lang", LanguageTag(what.language))
      .Set("change_text", text.text)
      .Set("text_lang", LanguageTag(text.language))
      .Set("change_path", PlacePath(page, where_version, change.where));
}

std::vector<View> SectionChanges(const PageFrame& frame, const ModulePage& page,
                                 const ModuleChangesForm& form) {
  std::vector<View> sections;
  for (std::string_view name : kShownSections) {
    std::vector<View> changes;
    std::size_t all = 0;
    for (const wire::ComparedChange& each : form.changes) {
      if (each.section != name) continue;
      if (++all <= kMostShownChanges) changes.push_back(ModuleChangeView(frame, page, form, each));
    }
    if (changes.empty()) continue;
    sections.push_back(View()
                           .Set("section", name)
                           .Set("section_count", all)
                           .Set("section_cut", all > kMostShownChanges)
                           .List("changes", std::move(changes)));
  }
  return sections;
}

// The newest versions, and the chosen one.
std::vector<View> VersionChoices(const ModulePage& page, const std::string& chosen) {
  std::vector<View> choices;
  bool has_chosen = chosen.empty();
  for (const ModuleVersionRecord& each : page.versions) {
    const std::string version = each.version.ToString();
    const bool is_chosen = version == chosen;
    has_chosen = has_chosen || is_chosen;
    if (choices.size() >= kChoices && !is_chosen) continue;
    choices.push_back(View().Set("version", version).Set("is_chosen", is_chosen));
  }
  if (!has_chosen) {
    choices.insert(choices.begin(), View().Set("version", chosen).Set("is_chosen", true));
  }
  return choices;
}

// The fields of the piece _compare_form. `end`: of the path of its page.
void AddCompareForm(View& view, const ModulePage& page, const ModuleChangesForm& form,
                    std::string_view end) {
  view.Set("change_from", form.from)
      .Set("change_to", form.to)
      .Set("changes_problem", form.problem)
      .Set("is_first_version", form.from.empty() && form.problem.empty())
      .Set("form_path", ModuleTabPath(page, end))
      .List("from_choices", VersionChoices(page, form.from))
      .List("to_choices", VersionChoices(page, form.to));
}

// "changes" or "changes/source" of these versions.
std::string ComparedPath(const ModulePage& page, const ModuleChangesForm& form,
                         std::string_view end) {
  return PathWith(PathWith(ModuleTabPath(page, end), "from", form.from), "to", form.to);
}

View HunkView(const wire::DiffHunk& hunk, std::size_t& lines_left) {
  std::vector<View> lines;
  for (const wire::DiffLine& each : hunk.lines) {
    if (lines_left == 0) break;
    --lines_left;
    lines.push_back(View()
                        .Set("class", each.op == "+"   ? "ad"
                                      : each.op == "-" ? "rm"
                                                       : "")
                        .Set("sign", each.op)
                        .Set("text", markup::Fragment::Code(each.text)));
  }
  return View()
      .Set("range", fmt::format("@@ -{} +{} @@", hunk.from_line, hunk.to_line))
      .List("lines", std::move(lines));
}

View FileDiffView(const ModulePage& page, const ModuleChangesForm& form, const wire::FileDiff& file,
                  std::size_t number, std::size_t& lines_left) {
  const auto path_in = [&](const std::string& version) {
    return ModulePath(page.record->address.ToString(), version, "files/" + file.path);
  };
  std::vector<View> hunks;
  for (const wire::DiffHunk& each : file.hunks) {
    if (lines_left > 0) hunks.push_back(HunkView(each, lines_left));
  }
  const bool is_cut = file.cut || (lines_left == 0 && !file.hunks.empty());
  return View()
      .Set("file_id", fmt::format("file-{}", number))
      .Set("path", file.path)
      .Set("status", file.status)
      .Set("added", file.added)
      .Set("removed", file.removed)
      .Set("from_path", file.status == "added" ? "" : path_in(form.from))
      .Set("to_path", file.status == "removed" ? "" : path_in(form.to))
      .Set("binary", file.binary)
      .Set("cut", is_cut)
      .List("hunks", std::move(hunks));
}

View SourceView(const ModulePage& page, const ModuleChangesForm& form) {
  std::size_t lines_left = kMostShownLines;
  std::vector<View> files;
  for (const wire::FileDiff& each : form.source->files) {
    if (files.size() == kMostShownFiles) break;
    files.push_back(FileDiffView(page, form, each, files.size() + 1, lines_left));
  }
  const bool is_cut =
      form.source->cut || lines_left == 0 || files.size() < form.source->files.size();
  return View()
      .Set("interface_path", ComparedPath(page, form, "changes"))
      .Set("source_cut", is_cut)
      .List("files", std::move(files));
}

}  // namespace

std::string RenderModuleChanges(const PageFrame& frame, const ModulePage& page,
                                const ModuleChangesForm& form) {
  View view = ModuleView(frame, page, ModuleTab::kChanges);
  std::optional<View> outcome;
  if (form.compared) {
    outcome = StepView(form.step)
                  .Set("source_path", ComparedPath(page, form, "changes/source"))
                  .List("sections", SectionChanges(frame, page, form));
  }
  AddCompareForm(view, page, form, "changes");
  view.Set("outcome", std::move(outcome));
  return RenderTemplate("module_changes", frame.language, view);
}

std::string RenderModuleSource(const PageFrame& frame, const ModulePage& page,
                               const ModuleChangesForm& form) {
  View view = ModuleView(frame, page, ModuleTab::kChanges);
  std::optional<View> outcome;
  if (form.source) outcome = SourceView(page, form);
  AddCompareForm(view, page, form, "changes/source");
  view.Set("outcome", std::move(outcome));
  AddCommand(view, form.source == nullptr
                       ? ""
                       : fmt::format("koya diff {} {} {} --source", page.record->address.ToString(),
                                     form.from, form.to));
  return RenderTemplate("module_source", frame.language, view);
}

}  // namespace koya::web
