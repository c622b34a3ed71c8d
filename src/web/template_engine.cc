#include "web/template_engine.h"

#include <fmt/format.h>
#include <kainjow/mustache.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "web/shown_text.h"
#include "web/template_text.h"

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

MustacheData ToData(const View& view);

MustacheData ToData(const std::vector<View>& items) {
  MustacheData list(MustacheData::type::list);
  for (const View& item : items) list.push_back(ToData(item));
  return list;
}

struct FieldData {
  MustacheData operator()(bool flag) const { return {flag}; }
  MustacheData operator()(const std::string& text) const {
    return text.empty() ? MustacheData(false) : MustacheData(text);
  }
  MustacheData operator()(const std::vector<View>& items) const { return ToData(items); }
  MustacheData operator()(const markup::Fragment& fragment) const {
    return {fragment.is_as_written() ? ShownText(fragment.html()) : fragment.html()};
  }
};

// Under a name of their own: no other tag finds a fragment, and its tag finds nothing else.
std::string DataName(const View::Field& field) {
  bool safe = std::holds_alternative<markup::Fragment>(field.value);
  return safe ? fmt::format("{}{}", kFragmentPrefix, field.name) : field.name;
}

MustacheData ToData(const View& view) {
  MustacheData object(MustacheData::type::object);
  for (const View::Field& field : view.fields()) {
    object.set(DataName(field), std::visit(FieldData(), field.value));
  }
  return object;
}

}  // namespace

std::string RenderTemplate(std::string_view name, Language language, const View& view) {
  static TemplateShelf shelf;
  Mustache& shown = shelf.Take(name, language);
  MustacheData data = ToData(view);
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
