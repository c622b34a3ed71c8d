#include "web/common/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "markup/markdown.h"
#include "web/common/text_safety.h"

namespace koya::web {

std::string SnakeName(std::string_view enumerator) {
  std::string name;
  for (char c : enumerator.substr(enumerator.empty() ? 0 : 1)) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper && !name.empty()) name += '_';
    name += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name;
}

View::Value View::ValueOf(std::string_view text) { return ShownText(text); }

View::Value View::ValueOf(const markup::Rendered& text) { return markup::Fragment::Of(text); }

const View::Value* View::Find(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &Field::name);
  return found == fields_.end() ? nullptr : &found->value;
}

// Two values of one name would hide each other: a page's from its frame, or the reverse.
View& View::Add(std::string name, Value value) {
  if (Find(name) != nullptr) {
    throw std::logic_error(fmt::format("the view already has \"{}\"", name));
  }
  fields_.push_back({std::move(name), std::move(value)});
  return *this;
}

View& View::List(std::string name, std::vector<View> items) {
  return Add(std::move(name), std::move(items));
}

}  // namespace koya::web
