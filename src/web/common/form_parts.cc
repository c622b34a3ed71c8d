#include "web/common/form_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "markup/fragment.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/common/view_parts.h"
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
  std::vector<View> views;
  views.reserve(errors.problems().size());
  for (const FormProblem& problem : errors.problems()) {
    const RefusalText text = ProblemText(language, problem);
    views.push_back(View()
                        .Text("problem_field", problem.field)
                        .Text("problem_text", text.told)
                        .Text("problem_english", text.english));
  }
  view.Flag("has_form_errors", !views.empty()).List("form_errors", std::move(views));
}

View FieldView(Language language, const FormErrors& errors, const FormField& field) {
  auto problem = std::ranges::find(errors.problems(), field.name, &FormProblem::field);
  const bool wrong = problem != errors.problems().end();
  const RefusalText text = wrong ? ProblemText(language, *problem) : RefusalText{};
  std::string described;
  if (wrong) described = fmt::format("{}_problem", field.name);
  if (field.has_hint) described += fmt::format("{}{}_hint", wrong ? " " : "", field.name);
  return View()
      .Text("field_name", field.name)
      .Text("field_value", WithPlainLines(field.value))
      .Text("field_type", field.type)
      .Text("field_auto", field.autocomplete)
      .Text("field_most", fmt::to_string(field.most))
      .Flag("is_required", field.is_required)
      .Flag("is_wrong", wrong)
      .Text("field_problem", text.told)
      .Text("field_english", text.english)
      .Text("described", described);
}

std::vector<View> HiddenViews(const std::vector<HiddenField>& fields) {
  std::vector<View> views;
  views.reserve(fields.size());
  for (const HiddenField& field : fields) {
    views.push_back(View().Text("hidden_name", field.name).Text("hidden_value", field.value));
  }
  return views;
}

void AddCommand(View& view, std::string_view command) {
  view.Maybe("command", command.empty()
                            ? std::nullopt
                            : std::optional(CodeView("command", "shell",
                                                     markup::Fragment::Code(ShownText(command)))));
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
  View view = FrameView(frame);
  const Language language = frame.language;
  const std::string question = ConfirmText(language, page, "");
  view.Text("question", question)
      .Text("title_question", TitleText(question))
      .Text("consequence", ConfirmText(language, page, "_do"))
      .Text("yes", ConfirmText(language, page, "_yes"))
      .Text("what", page.what)
      .Text("action", LocalPath(page.action))
      .Text("back", LocalPath(page.back))
      .List("hidden", HiddenViews(page.hidden))
      .Maybe(
          "f_typed",
          page.must_type
              ? std::optional(FieldView(
                    language, page.errors,
                    {.name = "typed", .value = page.typed, .is_required = true, .has_hint = false}))
              : std::nullopt);
  AddFormErrors(view, language, page.errors);
  AddCommand(view, page.command);
  return RenderTemplate("confirm", language, view);
}

}  // namespace koya::web
