// The tab of changes.
#include <fmt/format.h>

#include <array>
#include <ranges>
#include <span>
#include <utility>

#include "web/common/template_engine.h"
#include "web/common/words.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_parts.h"

namespace koya::web {
namespace {

constexpr std::array<std::string_view, 6> kShownSections{"inputs",     "outputs",  "resources",
                                                         "submodules", "internal", "files"};
constexpr std::size_t kMostShownChanges = 500;  // of a section
// In the menus that suggest versions: so the page does not grow with their number.
constexpr std::size_t kSuggestedVersions = 30;

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

View ModuleChangeView(const PageFrame& frame, const ModulePage& page,
                      const wire::ComparedChange& change) {
  const Translation what = TranslateSubject(frame.language, change);
  const Translation text = Translate(frame.language, change.code, change.arguments, change.text);
  const std::size_t colon = change.where.rfind(':');
  std::string path;
  // The place of a removed item is in the version before.
  if (colon != change.where.npos && change.kind != "removed") {
    path =
        ModuleFilePath(page, change.where.substr(0, colon)) + "#L" + change.where.substr(colon + 1);
  }
  return View()
      .Set("kind", change.kind)
      .Set("severity", change.severity)
      .Set("where", change.where)
      .Set("change_what", what.text)
      .Set("what_lang", LanguageTag(what.language))
      .Set("change_text", text.text)
      .Set("text_lang", LanguageTag(text.language))
      .Set("change_path", path);
}

std::vector<View> SectionChanges(const PageFrame& frame, const ModulePage& page,
                                 const ModuleChangesForm& form) {
  std::vector<View> sections;
  for (std::string_view name : kShownSections) {
    std::vector<View> changes;
    std::size_t all = 0;
    for (const wire::ComparedChange& each : form.changes) {
      if (each.section != name) continue;
      if (++all <= kMostShownChanges) changes.push_back(ModuleChangeView(frame, page, each));
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

}  // namespace

std::string RenderModuleChanges(const PageFrame& frame, const ModulePage& page,
                                const ModuleChangesForm& form) {
  View view = ModuleView(frame, page, ModuleTab::kChanges);
  std::optional<View> outcome;
  if (form.compared) {
    outcome = StepView(form.step).List("sections", SectionChanges(frame, page, form));
  }
  view.Set("change_from", form.from)
      .Set("change_to", form.to)
      .Set("changes_problem", form.problem)
      .Set("is_first_version", !form.compared && form.problem.empty())
      .List("suggestions", page.versions | std::views::take(kSuggestedVersions),
            [](const ModuleVersionRecord& each) { return View().Set(".", each.version); })
      .Set("outcome", std::move(outcome));
  return RenderTemplate("module_changes", frame.language, view);
}

}  // namespace koya::web
