// For tests: the docs API of another registry, with docs of acme/demo.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "domain/host_name.h"
#include "upstream/docs_source.h"

namespace koya::service {

// registry.example.org is asked at docs.example.org; no other registry has docs. It can be made to
// fail.
class FakeDocs final : public upstream::DocsSource {
 public:
  static wire::ForeignDoc Doc(std::string kind, std::string name, std::string language = "") {
    std::string place = language + "/" + kind + "/" + name;
    return {.kind = std::move(kind),
            .name = std::move(name),
            .language = std::move(language),
            .title = "a title",
            .subcategory = "Things",
            .description = "a description",
            .place = std::move(place)};
  }

  std::optional<HostName> HostOf(const HostName& registry) const override {
    if (registry.ascii() != "registry.example.org") return std::nullopt;
    return *HostName::Parse("docs.example.org");
  }

  Result<upstream::FetchedDocs> List(const HostName&, const ProviderAddress&, const Version&,
                                     const upstream::Validators& held,
                                     const upstream::Deadline&) override {
    ++asked_lists;
    if (failure) return std::unexpected(*failure);
    upstream::FetchedDocs fetched{.list = {}, .validators = {.etag = "\"d\"", .last_modified = ""}};
    if (held.etag == "\"d\"" && unchanged) {
      fetched.unchanged = true;
      return fetched;
    }
    fetched.list.docs = docs;
    return fetched;
  }

  Result<std::string> Page(const HostName&, const ProviderAddress&, const Version&,
                           const wire::ForeignDoc& page, const upstream::Deadline&) override {
    ++asked_pages;
    if (before_page) before_page();
    if (failure) return std::unexpected(*failure);
    const auto text = texts.find(page.place);
    if (text == texts.end()) return Fail(ErrorKind::kNotFound, "the page is not there any more");
    return text->second;
  }

  // By language, kind and name, as sources give them.
  std::vector<wire::ForeignDoc> docs = {Doc("overview", "index"), Doc("resources", "gone"),
                                        Doc("resources", "thing"),
                                        Doc("resources", "thing", "python")};
  std::map<std::string, std::string> texts = {
      {"/overview/index", "# Demo\n[thing](resources/thing.md) [gone](resources/other.md)\n"},
      {"/resources/thing", "---\nsubcategory: Clouds\n---\n# demo_thing\n<script>x</script>\n"},
      {"python/resources/thing", "# In Python\n"}};
  std::optional<Error> failure;
  bool unchanged = false;
  std::function<void()> before_page;
  std::atomic<int> asked_lists = 0;
  std::atomic<int> asked_pages = 0;
};

}  // namespace koya::service
