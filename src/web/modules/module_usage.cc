// The form that writes a block, and the page that says who uses the module.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "hcl/hcl.h"
#include "hcl/one_line.h"
#include "inspect/module_block.h"
#include "markup/plain_text.h"
#include "web/common/template_engine.h"
#include "web/common/view.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_parts.h"

namespace koya::web {

enum class FormSection { kRequired, kOptional, kSecret };

namespace {

using hcl::Type;

constexpr std::size_t kMostFields = 300;
constexpr std::size_t kMostOpenFields = 8;

bool IsSecret(const inspect::Input& input) { return input.sensitive || input.ephemeral; }

// Whether a literal can be a value of that type; an expression that must be evaluated can be of any
// type.
bool MayBe(const Type& type, const hcl::Value& value) {
  using Kind = hcl::Value::Kind;
  switch (value.kind) {
    case Kind::kText:
    case Kind::kTemplate:
      return type.kind == Type::Kind::kString || type.kind == Type::Kind::kAny;
    case Kind::kNumber:
      return type.kind == Type::Kind::kNumber || type.kind == Type::Kind::kString ||
             type.kind == Type::Kind::kAny;
    case Kind::kBool:
      return type.kind == Type::Kind::kBool || type.kind == Type::Kind::kString ||
             type.kind == Type::Kind::kAny;
    case Kind::kList:
      return type.kind == Type::Kind::kList || type.kind == Type::Kind::kSet ||
             type.kind == Type::Kind::kTuple || type.kind == Type::Kind::kAny;
    case Kind::kObject:
      return type.kind == Type::Kind::kMap || type.kind == Type::Kind::kObject ||
             type.kind == Type::Kind::kAny;
    case Kind::kNull:
    case Kind::kOther:
      return true;
  }
  return true;
}

// The typed value of an input in the form of the block, or its problem.
struct TypedValue {
  std::string value;       // "": none is written
  std::string problem;     // in English; "": none
  bool is_misfit = false;  // it is an expression, but none of that type
};

TypedValue ReadTyped(const Type& type, const std::string& text) {
  if (!IsPlainText(text)) return {.problem = "it contains characters that files cannot have"};
  if (type.kind == Type::Kind::kString) return {.value = hcl::QuotedText(text)};
  Result<std::string> line = hcl::FormatExpression(text);
  if (!line) return {.problem = std::move(line).error().message};
  Result<hcl::Value> value = hcl::ParseExpression(*line);
  if (value && !MayBe(type, *value)) return {.is_misfit = true};
  return {.value = *std::move(line)};
}

class UsageBuilder {
 public:
  UsageBuilder(const ModulePage& page, const ModuleUsageForm& form)
      : page_(page), form_(form), block_(ModuleBlockOf(page, nullptr)) {}

  void AddTo(View& view) {
    for (const inspect::Input* each : Shown(page_.root().inputs)) AddInput(*each);
    view.Set("problems", problems_).List("field_groups", FieldGroups());
    std::optional<View> snippet;
    if (!AddPartSnippets(page_, view)) {
      snippet =
          CodeView("use-code", "main.tf", markup::Fragment::Hcl(inspect::WriteModuleBlock(block_)));
    }
    view.Set("snippet", std::move(snippet));
  }

 private:
  void AddInput(const inspect::Input& input) {
    const Type type = hcl::ParseType(input.type).value_or(Type());
    if (IsSecret(input) || required_.size() + optional_.size() == kMostFields) {
      if (input.required) block_.settings.push_back(inspect::Placeholder(input));
      if (IsSecret(input)) secret_.push_back(FieldView(input, type, "", {}));
      return;
    }
    auto typed = form_.values.find(input.name);
    const bool is_given = typed != form_.values.end() && !typed->second.empty();
    const std::string text = is_given ? typed->second : "";
    TypedValue value;
    if (is_given) value = ReadTyped(type, text);
    if (!value.value.empty()) {
      block_.settings.push_back({.name = input.name, .value = value.value});
    } else if (input.required) {
      block_.settings.push_back(inspect::Placeholder(input));
    }
    if (!value.problem.empty() || value.is_misfit) {
      problems_.push_back(input.name);
    }
    std::vector<View>& fields = input.required ? required_ : optional_;
    if (!input.required && is_given) opens_optional_ = true;
    fields.push_back(FieldView(input, type, text, value));
  }

  // Those that have fields. Many optional inputs are folded until one has a value.
  std::vector<View> FieldGroups() {
    const bool opens = opens_optional_ || required_.empty() || optional_.size() <= kMostOpenFields;
    std::vector<View> sections;
    const auto add = [&sections](FormSection section, std::vector<View> fields, bool is_open) {
      if (fields.empty()) return;
      sections.push_back(View().Set("section", section).Set("is_open", is_open));
      sections.back().Set("count", fields.size()).List("fields", std::move(fields));
    };
    add(FormSection::kRequired, std::move(required_), true);
    add(FormSection::kOptional, std::move(optional_), opens);
    add(FormSection::kSecret, std::move(secret_), true);
    return sections;
  }

  static View FieldView(const inspect::Input& input, const Type& type, const std::string& text,
                        const TypedValue& value) {
    return View()
        .Set("field_name", input.name)
        .Set("field_type", ShortType(type))
        .Set("field_value", text)
        .Set("field_text", AuthorSummary(input.description, 300))
        .Set("field_description", input.description)
        .Set("field_default", input.required ? "" : markup::OneLine(input.default_text, 80))
        .Set("field_problem", value.problem)
        .Set("is_misfit", value.is_misfit)
        .Set("is_wrong", value.is_misfit || !value.problem.empty())
        .Set("is_secret", IsSecret(input))
        .Set("kind", type.kind)
        .List("choices", {View().Set("choice", "true").Set("is_chosen", text == "true"),
                          View().Set("choice", "false").Set("is_chosen", text == "false")});
  }

  const ModulePage& page_;
  const ModuleUsageForm& form_;
  inspect::ModuleBlock block_;
  std::vector<View> required_;
  std::vector<View> optional_;
  std::vector<View> secret_;  // they have no field: the block reads a variable
  bool opens_optional_ = false;
  std::vector<std::string> problems_;  // names of inputs
};

}  // namespace

std::vector<std::string> ModuleInputNames(const ModulePage& page) {
  std::vector<std::string> names;
  for (const inspect::Input* each : Shown(page.root().inputs)) {
    if (!IsSecret(*each) && names.size() < kMostFields) names.push_back(each->name);
  }
  return names;
}

std::string RenderModuleUsage(const PageFrame& frame, const ModulePage& page,
                              const ModuleUsageForm& form) {
  View view = ModuleView(frame, page, ModuleTab::kNone);
  UsageBuilder(page, form).AddTo(view);
  return RenderTemplate("module_usage", frame.language, view);
}

std::string RenderModuleUsedBy(const PageFrame& frame, const ModulePage& page,
                               const UsedByPage& used) {
  View view = ModuleView(frame, page, ModuleTab::kUsedBy);
  AddUsedBy(view, used);
  return RenderTemplate("module_used_by", frame.language, view);
}

}  // namespace koya::web
