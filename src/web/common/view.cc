#include "web/common/view.h"

#include <utility>

#include "web/common/text_safety.h"

namespace koya::web {

View& View::Text(std::string name, std::string_view text) {
  fields_.push_back({std::move(name), ShownText(text)});
  return *this;
}

View& View::Flag(std::string name, bool value) {
  fields_.push_back({std::move(name), value});
  return *this;
}

View& View::List(std::string name, std::vector<View> items) {
  fields_.push_back({std::move(name), std::move(items)});
  return *this;
}

View& View::Html(std::string name, markup::Fragment fragment) {
  fields_.push_back({std::move(name), std::move(fragment)});
  return *this;
}

View& View::Maybe(std::string name, std::optional<View> item) {
  std::vector<View> items;
  if (item) items.push_back(*std::move(item));
  return List(std::move(name), std::move(items));
}

}  // namespace koya::web
