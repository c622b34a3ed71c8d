// Names, parameters and fields with line ends in them, on every route: none gets out of the header
// field that it stands in, nor makes the server fail.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/browser_fake.h"
#include "api/common/route.h"
#include "api/routes.h"

namespace koya::api {
namespace {

constexpr std::array<std::string_view, 5> kHostileNames{"a\r\nSet-Cookie: evil=1", "a\nX-Evil: 1",
                                                        "a\rX-Evil: 1", "a%0D%0AX-Evil: 1",
                                                        "a\xE2\x80\xA8; evil"};

// Every parameter that a route or a page reads, and some that none does.
constexpr std::array<std::string_view, 27> kParameters{
    "to",       "lang",      "theme",    "state",  "code",          "iss",
    "error",    "client_id", "scope",    "token",  "redirect_uri",  "username",
    "password", "user",      "decision", "csrf",   "response_type", "q",
    "offset",   "limit",     "after",    "format", "namespace",     "provider",
    "source",   "expires",   "sig"};

FormFields Everywhere(std::string_view text) {
  FormFields fields;
  for (std::string_view name : kParameters) fields.emplace_back(name, text);
  return fields;
}

// The pattern with the text in place of every {name}.
std::string HostilePath(const Route& route, std::string_view text) {
  std::string path;
  std::string_view rest = route.pattern;
  for (std::size_t at = rest.find('{'); at != rest.npos; at = rest.find('{')) {
    path += fmt::format("{}{}", rest.substr(0, at), text);
    rest.remove_prefix(rest.find('}') + 1);
  }
  return path += rest;
}

class HostileNamesTest : public ::testing::Test {
 protected:
  // As a caller that may do everything; with a token, and as a browser.
  std::vector<Question> QuestionsFor(const Route& route, std::string_view text) {
    const std::string form = EncodeForm(Everywhere(text));
    const bool reads = route.method == http::Method::kGet;
    Question plain{.method = route.method, .path = HostilePath(route, text)};
    plain.query = form;
    plain.fields = {{"User-Agent", std::string(text)}};
    Question people = plain;
    people.fields.emplace_back("Accept", "text/html");
    people.fields.emplace_back("Cookie", fmt::format("lang={0}; theme={0}; __Host-koya={0}", text));
    if (!reads) {
      plain.body = fmt::format(R"({{"name":"a\r\nX-Evil: 1","reason":"a\nX-Evil: 1"}})");
      people.query.clear();
      people.body = form;
      people.fields.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    }
    return {plain, people};
  }

  ApiFixture api_;
};

TEST_F(HostileNamesTest, GetOutOfNoHeaderField) {
  const std::string admin = api_.Token(Scope::kAdmin);
  std::size_t asked = 0;
  for (const Route& route : Routes()) {
    for (std::string_view text : kHostileNames) {
      for (const Question& question : QuestionsFor(route, text)) {
        for (const std::string& token : {std::string(), admin}) {
          api_.token = token;
          const Reply reply = api_.Ask(question);
          ++asked;
          EXPECT_LT(reply.status, 500U) << route.pattern << " " << reply.body;
          for (const auto& [name, value] : reply.fields) {
            EXPECT_EQ(value.find_first_of(std::string_view("\r\n\0", 3)), value.npos)
                << route.pattern << " " << name << ": " << value;
            EXPECT_FALSE(name == "X-Evil" || value.contains("evil=1\"")) << route.pattern;
          }
        }
      }
    }
  }
  EXPECT_EQ(asked, Routes().size() * kHostileNames.size() * 4);
}

}  // namespace
}  // namespace koya::api
