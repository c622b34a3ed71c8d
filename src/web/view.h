// What a template is filled in with: names with texts, flags and lists of further views. Built
// where a page is rendered, used once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "markup/fragment.h"

namespace koya::web {

class View {
 public:
  struct Field {
    std::string name;
    std::variant<bool, std::string, std::vector<View>, markup::Fragment> value;
  };

  // Shown as ShownText and escaped. In {{#name}} an empty text counts as false.
  View& Text(std::string name, std::string_view text);
  View& Flag(std::string name, bool value);
  // {{#name}} is repeated for each item; what an item does not name is looked up outside it.
  View& List(std::string name, std::vector<View> items);

  // HTML that was made safe; written with the mark [[*name]], and with no other.
  View& Html(std::string name, markup::Fragment fragment);
  // A List of one item, or of none: what its section shows is there or not.
  View& Maybe(std::string name, std::optional<View> item);

  const std::vector<Field>& fields() const { return fields_; }

 private:
  std::vector<Field> fields_;
};

}  // namespace koya::web
