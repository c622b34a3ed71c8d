// The tabs of inputs and outputs.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "web/common/template_engine.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_parts.h"

namespace koya::web {
namespace {

using Order = ModuleFilterForm::Order;

constexpr std::size_t kLongestFilter = 200;
constexpr std::size_t kMostWantedWords = 16;
// The page ends there: of more, the names lead to the file.
constexpr std::size_t kMostShownThings = 1000;

std::vector<std::string> WantedWords(std::string_view query) {
  const std::string folded = AsciiLower(query.substr(0, kLongestFilter));
  std::vector<std::string> words;
  std::string_view rest = folded;
  while (!rest.empty() && words.size() < kMostWantedWords) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t,"), rest.size()));
    std::string_view word = rest.substr(0, rest.find_first_of(" \t,"));
    rest.remove_prefix(word.size());
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

// Keeps those whose name or description has all the words, in the order that is wanted.
template <class Thing>
void Arrange(const ModuleFilterForm& form, std::vector<const Thing*>& things) {
  const std::vector<std::string> words = WantedWords(form.query);
  std::erase_if(things, [&words](const Thing* each) {
    const std::string text = AsciiLower(each->name + "\n" + each->description);
    return !std::ranges::all_of(words, [&text](const auto& word) { return text.contains(word); });
  });
  if (form.order == Order::kName) std::ranges::sort(things, {}, &Thing::name);
  if (things.size() > kMostShownThings) things.resize(kMostShownThings);
}

void AddFilterForm(const ModuleFilterForm& form, std::size_t all, std::size_t shown, View& view) {
  view.Set("filter_query", form.query.substr(0, kLongestFilter))
      .Set("order", form.order)
      .Set("is_filtered", shown < all)
      .Set("has_filter", all > 3)
      .Set("shown_count", shown)
      .Set("all_count", all);
}

// As it is written; of the same type in the order of the source, in which a part has its inputs.
void OrderByType(std::vector<const inspect::Input*>& inputs) {
  std::ranges::sort(inputs, {}, [](const inspect::Input* input) {
    const std::string_view type = input->type.empty() ? "any" : std::string_view(input->type);
    return std::pair(type, input);
  });
}

}  // namespace

Order ParseModuleOrder(std::string_view name) {
  if (name == "source") return Order::kSource;
  if (name == "type") return Order::kType;
  return name == "name" ? Order::kName : Order::kRequiredFirst;
}

std::string RenderModuleInputs(const PageFrame& frame, const ModulePage& page,
                               const ModuleFilterForm& form) {
  View view = ModuleView(frame, page, ModuleTab::kInputs);
  std::vector<const inspect::Input*> inputs = Shown(page.root().inputs);
  const std::size_t all = inputs.size();
  if (form.order == Order::kType) OrderByType(inputs);
  Arrange(form, inputs);
  AddFilterForm(form, all, inputs.size(), view);
  std::vector<const inspect::Input*> required;
  if (form.order == Order::kRequiredFirst) {
    std::ranges::copy_if(inputs, std::back_inserter(required), &inspect::Input::required);
    std::erase_if(inputs, [](const inspect::Input* each) { return each->required; });
  }
  const auto make = [&page](const inspect::Input* each) { return InputView(page, *each); };
  view.Set("filtered_tab", "inputs")
      .Set("required_inputs_count", required.size())
      .Set("other_inputs_count", inputs.size())
      .List("required_inputs", required, make)
      .List("other_inputs", inputs, make);
  return RenderTemplate("module_inputs", frame.language, view);
}

std::string RenderModuleOutputs(const PageFrame& frame, const ModulePage& page,
                                const ModuleFilterForm& form) {
  View view = ModuleView(frame, page, ModuleTab::kOutputs);
  std::vector<const inspect::Output*> outputs = Shown(page.root().outputs);
  const std::size_t all = outputs.size();
  Arrange(form, outputs);
  AddFilterForm(form, all, outputs.size(), view);
  view.Set("filtered_tab", "outputs").List("outputs", outputs, [&page](const auto* each) {
    return OutputView(page, *each);
  });
  return RenderTemplate("module_outputs", frame.language, view);
}

}  // namespace koya::web
