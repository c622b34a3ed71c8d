// Pages with which owners manage a namespace. To all other users these paths do not exist, whether
// the namespace does or not.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "api/common/page_form.h"
#include "domain/namespace_record.h"
#include "web/access/namespace_tabs.h"

namespace koya::api {

struct OwnersPage : FormPage {
  using FormPage::FormPage;

  NamespaceRecord record = {};  // {namespace} of the path, which the user owns

  web::NamespaceHead Head() const {
    return {.name = record.name,
            .visibility = record.visibility,
            .is_owner = true,
            .title = record.words.title};
  }
  // The path of the page `end` of {namespace}, such as "people". An invalid name is left unchanged.
  std::string Path(std::string_view end) const;

  // The page "people" for "/namespaces/{namespace}/people/remove": pages below a tab need more than
  // their path.
  std::string ShownAt() const;
  // Fails: kNotFound: the user does not own it; as the catalog.
  Task<std::optional<http::Response>> Admit();

  // Logs a change in the namespace.
  void Log(std::string_view what, std::string_view name) const {
    LogInNamespace(record.name, what, name);
  }
  // To the page that has the form.
  http::Response Done(std::string_view notice, std::string what = {}) {
    return FormPage::Done(ShownAt(), notice, std::move(what));
  }
  Result<Outcome> Removed(const Status& removed, RemovalNotices notices, std::string what = {}) {
    return FormPage::Removed(removed, ShownAt(), notices, std::move(what));
  }
};

}  // namespace koya::api
