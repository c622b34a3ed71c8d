#include "web/common/template_engine.h"

#include <fmt/format.h>
#include <kainjow/mustache.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "web/common/template_text.h"
#include "web/common/text_safety.h"

namespace koya::web {
namespace {

using Mustache = kainjow::mustache::basic_mustache<std::string>;
using MustacheData = kainjow::mustache::basic_data<std::string>;

// Each template is read when it is first shown: the library keeps a word or a blank in 150 bytes,
// and most servers show few pages in few languages. render() of the library is not const, but
// writes to the template only for lambdas, partials and changed delimiters, which ComposeTemplate
// refuses. So one template serves all threads.
class TemplateShelf {
 public:
  TemplateShelf() {
    for (std::string_view name : TemplateNames()) {
      for (Language language : kLanguages) templates_.try_emplace({std::string(name), language});
    }
  }
  // Throws: std::logic_error, when there is none or it cannot be read.
  Mustache& Take(std::string_view name, Language language) {
    const auto found = templates_.find(std::pair(std::string(name), language));
    if (found == templates_.end()) {
      throw std::logic_error(fmt::format("there is no template \"{}\"", name));
    }
    Place& place = found->second;
    std::call_once(place.read, [&] { place.parsed = Read(name, language); });
    return *place.parsed;
  }

 private:
  struct Place {
    std::once_flag read;
    std::unique_ptr<Mustache> parsed;
  };

  static std::unique_ptr<Mustache> Read(std::string_view name, Language language) {
    auto parsed = std::make_unique<Mustache>(ComposeTemplate(name, language));
    if (!parsed->is_valid()) {
      throw std::logic_error(fmt::format("template {}: {}", name, parsed->error_message()));
    }
    return parsed;
  }

  std::map<std::pair<std::string, Language>, Place> templates_;
};

// Where the library would leave a hole, this one says so.
class StrictContext : public kainjow::mustache::context<std::string> {
 public:
  using kainjow::mustache::context<std::string>::context;
  const MustacheData* get(const std::string& name) const override {
    const MustacheData* found = kainjow::mustache::context<std::string>::get(name);
    if (found == nullptr) throw std::logic_error(fmt::format("the view has no \"{}\"", name));
    return found;
  }
};

// The library copies each value with its whole subtree: a text at the fifth level, ten times. So
// children are built in place, and only empty values are moved there.
void FillObject(MustacheData& object, const View& view);

void FillList(MustacheData& list, const std::vector<View>& items) {
  // Places first: a list that grows copies, too.
  for (std::size_t i = 0; i < items.size(); ++i) list.push_back(MustacheData(false));
  // The list is ours, and not const: the library offers no other access to its items.
  auto& places = const_cast<std::vector<MustacheData>&>(list.list_value());
  for (std::size_t i = 0; i < items.size(); ++i) {
    places[i] = MustacheData(MustacheData::type::object);
    FillObject(places[i], items[i]);
  }
}

struct FieldFiller {
  MustacheData& place;

  void operator()(bool flag) const { place = MustacheData(flag); }
  void operator()(const std::string& text) const {
    place = text.empty() ? MustacheData(false) : MustacheData(text);
  }
  void operator()(const std::vector<View>& items) const {
    place = MustacheData(MustacheData::type::list);
    FillList(place, items);
  }
  void operator()(const markup::Fragment& fragment) const {
    place = MustacheData(fragment.is_as_written() ? ShownText(fragment.html()) : fragment.html());
  }
};

// Under a name of their own: no other tag finds a fragment, and its tag finds nothing else.
std::string DataName(const View::Field& field) {
  bool safe = std::holds_alternative<markup::Fragment>(field.value);
  return safe ? fmt::format("{}{}", kFragmentPrefix, field.name) : field.name;
}

void FillObject(MustacheData& object, const View& view) {
  for (const View::Field& field : view.fields()) {
    std::visit(FieldFiller{object[DataName(field)]}, field.value);
  }
}

}  // namespace

std::string RenderTemplate(std::string_view name, Language language, const View& view) {
  static TemplateShelf shelf;
  Mustache& shown = shelf.Take(name, language);
  MustacheData data(MustacheData::type::object);
  FillObject(data, view);
  StrictContext context(&data);
  std::ostringstream out;
  try {
    shown.render(context, out);
  } catch (const std::logic_error& problem) {
    throw std::logic_error(fmt::format("template {}: {}", name, problem.what()));
  }
  return std::move(out).str();
}

}  // namespace koya::web
