#include "api/common/browser_fake.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace koya::api {
namespace {

std::string EncodeFormText(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// What stands in an attribute, without its entities.
std::string Unescaped(std::string_view text) {
  const std::pair<std::string_view, std::string_view> kEntities[] = {
      {"&quot;", "\""}, {"&lt;", "<"},   {"&gt;", ">"},  {"&#39;", "'"},
      {"&#x27;", "'"},  {"&#x2F;", "/"}, {"&#47;", "/"}, {"&amp;", "&"}};
  std::string out;
  while (!text.empty()) {
    auto entity = std::ranges::find_if(
        kEntities, [text](const auto& each) { return text.starts_with(each.first); });
    bool found = entity != std::end(kEntities);
    out += found ? entity->second : text.substr(0, 1);
    text.remove_prefix(found ? entity->first.size() : 1);
  }
  return out;
}

std::string AttributeOf(std::string_view tag, std::string_view name) {
  std::string mark = fmt::format(" {}=\"", name);
  std::size_t begin = tag.find(mark);
  if (begin == tag.npos) return {};
  begin += mark.size();
  return Unescaped(tag.substr(begin, tag.find('"', begin) - begin));
}

}  // namespace

std::string EncodeForm(const FormFields& fields) {
  std::string out;
  for (const auto& [name, value] : fields) {
    if (!out.empty()) out += '&';
    out += EncodeFormText(name) + "=" + EncodeFormText(value);
  }
  return out;
}

Reply FakeBrowser::Ask(Question question) {
  question.remote = remote;
  question.fields = fields;
  question.fields.emplace_back("Accept", "text/html");
  std::string sent;
  for (const auto& [name, value] : cookies) {
    sent += fmt::format("{}{}={}", sent.empty() ? "" : "; ", name, value);
  }
  if (!sent.empty()) question.fields.emplace_back("Cookie", sent);
  Reply reply = api_->Ask(question);
  Keep(reply);
  return reply;
}

void FakeBrowser::Keep(const Reply& reply) {
  for (const auto& [name, value] : reply.fields) {
    if (name != "Set-Cookie") continue;
    std::string pair = value.substr(0, value.find(';'));
    std::string cookie = pair.substr(0, pair.find('='));
    cookies[cookie] = pair.substr(pair.find('=') + 1);
    if (value.contains("Max-Age=0")) cookies.erase(cookie);
  }
  if (!reply.Get("Content-Type").starts_with("text/html")) return;
  page_ = reply.body;
  std::size_t found = page_.find("name=\"csrf\"");
  if (found == page_.npos) return;
  std::size_t begin = page_.rfind('<', found);
  csrf = AttributeOf(page_.substr(begin, page_.find('>', begin) - begin), "value");
}

Reply FakeBrowser::Open(std::string_view target) {
  std::size_t mark = std::min(target.find('?'), target.size());
  Question question{.path = std::string(target.substr(0, mark))};
  question.query = target.substr(std::min(mark + 1, target.size()));
  return Ask(std::move(question));
}

Reply FakeBrowser::Submit(std::string_view path, FormFields form) {
  bool has = std::ranges::any_of(form, [](const auto& field) { return field.first == "csrf"; });
  if (!has) form.emplace_back("csrf", csrf);
  Question question{.method = http::Method::kPost, .path = std::string(path)};
  question.body = EncodeForm(form);
  bool typed = std::ranges::any_of(fields, [](const auto& f) { return f.first == "Content-Type"; });
  if (!typed) fields.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  Reply reply = Ask(std::move(question));
  if (!typed) fields.pop_back();
  return reply;
}

Reply FakeBrowser::SignIn(std::string_view user, std::string_view password, std::string_view to) {
  Open("/login?" + EncodeForm({{"to", std::string(to)}}));
  return Submit("/login", {{"username", std::string(user)},
                           {"password", std::string(password)},
                           {"to", std::string(to)}});
}

FormFields FakeBrowser::HiddenFields() const {
  FormFields hidden;
  std::string_view rest(page_);
  std::size_t begin = std::min(rest.find("<form class=\"card"), rest.size());
  rest.remove_prefix(begin);
  rest = rest.substr(0, rest.find("</form>"));
  for (std::size_t at = rest.find("<input"); at != rest.npos; at = rest.find("<input", at + 1)) {
    std::string_view tag = rest.substr(at, rest.find('>', at) - at);
    if (AttributeOf(tag, "type") != "hidden") continue;
    hidden.emplace_back(AttributeOf(tag, "name"), AttributeOf(tag, "value"));
  }
  return hidden;
}

}  // namespace koya::api
