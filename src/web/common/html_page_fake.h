// For tests: an HTML parser that accepts only the output permitted to our templates, and reports
// errors of a page.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace koya::web {

struct HtmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;  // values as they stand, entities and all
  int form = -1;  // the number of the form that it is in, from 0; -1: none

  bool Has(const std::string& attribute) const { return attributes.contains(attribute); }
  std::string Value(const std::string& attribute) const {
    auto found = attributes.find(attribute);
    return found == attributes.end() ? "" : found->second;
  }
};

struct HtmlPage {
  std::vector<HtmlElement> elements;  // in order of their start tags
  std::string text;                   // between the tags, entities decoded
  std::string title;
  // Tags that do not match, attributes without quotes or twice, bare & and <, marks of templates.
  std::vector<std::string> problems;

  std::vector<HtmlElement> All(std::string_view name) const;
};

HtmlPage ReadHtml(std::string_view html);

// What every page of ours must be: whole, one h1, landmarks, a language, labels, csrf in each form,
// nothing inline, ids that exist once and are there when referred to. Empty: nothing is wrong.
std::vector<std::string> PageProblems(const HtmlPage& page);

}  // namespace koya::web
