// For tests: a browser that keeps cookies, and fills in the forms of the pages that it was shown.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/common/api_fixture_fake.h"

namespace koya::api {

using FormFields = std::vector<std::pair<std::string, std::string>>;

// As a form's body, or a query.
std::string EncodeForm(const FormFields& fields);

class FakeBrowser {
 public:
  explicit FakeBrowser(ApiFixture& api) : api_(&api) {}

  // A GET of a path with its query.
  Reply Open(std::string_view target);
  // A POST of the fields with the csrf of the page that was shown last, unless they have one.
  Reply Submit(std::string_view path, FormFields fields);
  // Both, of /login.
  Reply SignIn(std::string_view user, std::string_view password, std::string_view to = "/");
  // The form that a page has besides those of header and footer: its hidden fields.
  FormFields HiddenFields() const;

  // From now on it is another server that answers.
  void MoveTo(ApiFixture& api) { api_ = &api; }

  std::map<std::string, std::string> cookies;
  std::vector<std::pair<std::string, std::string>> fields;  // sent with every request
  std::string csrf;                                         // of the page that was shown last
  std::string remote = "192.0.2.1";

 private:
  Reply Ask(Question question);
  void Keep(const Reply& reply);

  ApiFixture* api_;
  std::string page_;
};

}  // namespace koya::api
