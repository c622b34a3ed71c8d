// The values for a template: named texts, flags and lists of nested views. Built for one rendering
// of a page.
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

  // Adds a text, shown as ShownText and escaped. In {{#name}} an empty text counts as false.
  View& Text(std::string name, std::string_view text);
  View& Flag(std::string name, bool value);
  // Adds a list: {{#name}} is repeated for each item; a name that an item lacks is looked up
  // outside it.
  View& List(std::string name, std::vector<View> items);

  // Adds sanitized HTML; only the mark [[*name]] writes it.
  View& Html(std::string name, markup::Fragment fragment);
  // Adds a List of one item or none: an optional section.
  View& Maybe(std::string name, std::optional<View> item);

  const std::vector<Field>& fields() const { return fields_; }

 private:
  std::vector<Field> fields_;
};

}  // namespace koya::web
