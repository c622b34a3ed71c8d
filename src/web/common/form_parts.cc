#include "web/common/form_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "markup/fragment.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/common/view.h"
#include "web/common/words.h"

namespace koya::web {
namespace {

RefusalText ProblemText(Language language, const FormProblem& problem) {
  if (problem.word.empty()) return RefusalTextOf(language, problem.refusal);
  return {.told = FilledWord(language, "form." + problem.word, {}), .english = {}};
}

std::string ConfirmText(Language language, const ConfirmPage& page, std::string_view end) {
  const std::array<Filling, 1> fillings{{{"what", page.what}}};
  return FilledWord(language, fmt::format("confirm.{}{}", page.key, end), fillings);
}

}  // namespace

std::string WithPlainLines(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!text.substr(at).starts_with("\r\n")) plain += text[at];
  }
  return plain;
}

FormErrors& FormErrors::Add(std::string field, std::string word) {
  problems_.push_back({.field = std::move(field), .word = std::move(word), .refusal = {}});
  return *this;
}

FormErrors& FormErrors::AddError(std::string field, Refusal refusal) {
  problems_.push_back({.field = std::move(field), .word = {}, .refusal = std::move(refusal)});
  return *this;
}

bool FormErrors::Has(std::string_view field) const {
  return std::ranges::find(problems_, field, &FormProblem::field) != problems_.end();
}

void AddFormErrors(View& view, Language language, const FormErrors& errors) {
  view.List("form_errors", errors.problems(), [language](const FormProblem& problem) {
    const RefusalText text = ProblemText(language, problem);
    return View()
        .Set("problem_field", problem.field)
        .Set("problem_text", text.told)
        .Set("problem_english", text.english);
  });
}

View FieldView(Language language, const FormErrors& errors, const FormField& field) {
  auto problem = std::ranges::find(errors.problems(), field.name, &FormProblem::field);
  const bool wrong = problem != errors.problems().end();
  const RefusalText text = wrong ? ProblemText(language, *problem) : RefusalText{};
  std::string described;
  if (wrong) described = fmt::format("{}_problem", field.name);
  if (field.has_hint) described += fmt::format("{}{}_hint", wrong ? " " : "", field.name);
  return View()
      .Set("field_name", field.name)
      .Set("field_value", WithPlainLines(field.value))
      .Set("field_type", field.type)
      .Set("field_auto", field.autocomplete)
      .Set("field_most", field.most)
      .Set("is_required", field.is_required)
      .Set("is_wrong", wrong)
      .Set("field_problem", text.told)
      .Set("field_english", text.english)
      .Set("described", described);
}

void AddCommand(View& view, std::string_view command) {
  std::optional<View> shown;
  if (!command.empty()) {
    shown = CodeView("command", "shell", markup::Fragment::Code(ShownText(command)));
  }
  view.Set("command", shown);
}

std::string ShellWord(std::string_view text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-/@:=,+").contains(c);
  });
  if (plain) return std::string(text);
  std::string word = "'";
  for (char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string RenderConfirm(const PageFrame& frame, const ConfirmPage& page) {
  const Language language = frame.language;
  std::optional<View> typed;
  if (page.must_type) {
    typed =
        FieldView(language, page.errors,
                  {.name = "typed", .value = page.typed, .is_required = true, .has_hint = false});
  }
  View view = FrameView(frame);
  view.Set("question", ConfirmText(language, page, ""))
      .Set("consequence", ConfirmText(language, page, "_do"))
      .Set("yes", ConfirmText(language, page, "_yes"))
      .Set("what", page.what)
      .Set("action", LocalPath(page.action))
      .Set("back", LocalPath(page.back))
      .Set("hidden", page.hidden)
      .Set("f_typed", typed);
  AddFormErrors(view, language, page.errors);
  AddCommand(view, page.command);
  return RenderTemplate("confirm", language, view);
}

}  // namespace koya::web
