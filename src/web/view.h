// What a template is filled in with: names with texts, flags and lists of further views. Built
// where a page is rendered, used once.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace koya::web {

class View {
 public:
  struct Field {
    std::string name;
    std::variant<bool, std::string, std::vector<View>> value;
  };

  // Shown as ShownText and escaped. In {{#name}} an empty text counts as false.
  View& Text(std::string name, std::string_view text);
  View& Flag(std::string name, bool value);
  // {{#name}} is repeated for each item; what an item does not name is looked up outside it.
  View& List(std::string name, std::vector<View> items);

  const std::vector<Field>& fields() const { return fields_; }

 private:
  std::vector<Field> fields_;
};

}  // namespace koya::web
