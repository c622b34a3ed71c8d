#include "web/access/namespace_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "markup/fragment.h"
#include "web/access/namespace_tabs.h"
#include "web/common/page_paths.h"
#include "web/common/template_engine.h"
#include "web/site/search_page.h"

namespace koya::web {
KOYA_VIEW(NamespaceContents, modules, providers, bytes, last_published_at);

namespace {

View PublishCode(std::string_view id, std::string_view caption, const std::string& text) {
  return CodeView(id, caption, markup::Fragment::Code(text));
}

std::string GitHubWorkflow(const NamespacePage& page) {
  return fmt::format(
      "on:\n  push:\n    tags: [\"v*\"]\npermissions:\n  contents: read\n  id-token: "
      "write\njobs:\n  "
      "publish:\n    runs-on: ubuntu-latest\n    env:\n      KOYA_URL: {}\n    steps:\n      - "
      "uses: "
      "actions/checkout@v4\n      - run: koya publish module . {}/network/aws "
      "\"${{GITHUB_REF_NAME#v}}\"\n",
      page.url, page.name);
}

std::string GitLabJob(const NamespacePage& page) {
  return fmt::format(
      "publish:\n  rules:\n    - if: $CI_COMMIT_TAG =~ /^v\\d/\n  variables:\n    KOYA_URL: {}\n  "
      "id_tokens:\n    KOYA_ID_TOKEN:\n      aud: {}\n  script:\n    - koya publish module . "
      "{}/network/aws \"${{CI_COMMIT_TAG#v}}\"\n",
      page.url, page.audience.empty() ? page.url : page.audience, page.name);
}

// Four ways to publish a module here, as they stand.
void AddPublishing(View& view, const NamespacePage& page) {
  view.Set("publish", PublishCode("publish", "shell",
                                  fmt::format("koya publish module ./network {}/network/aws "
                                              "1.0.0 --server {}",
                                              page.name, page.url)))
      .Set("publish_github",
           PublishCode("publish-github", ".github/workflows/publish.yml", GitHubWorkflow(page)))
      .Set("publish_gitlab", PublishCode("publish-gitlab", ".gitlab-ci.yml", GitLabJob(page)))
      .Set("publish_curl",
           PublishCode("publish-curl", "shell",
                       fmt::format("tar -C ./network -czf network.tar.gz .\ncurl --fail "
                                   "--header \"Authorization: Bearer $KOYA_TOKEN\" \\\n  "
                                   "--upload-file network.tar.gz "
                                   "{}/api/v1/modules/{}/network/aws/1.0.0",
                                   page.url, page.name)));
}

// A paragraph for each line.
std::vector<std::string> ParagraphsOf(std::string_view description) {
  std::vector<std::string> lines;
  while (!description.empty()) {
    const std::string_view line = description.substr(0, description.find('\n'));
    description.remove_prefix(std::min(line.size() + 1, description.size()));
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

}  // namespace

std::string RenderNamespaces(const PageFrame& frame, const NamespacesPage& page) {
  View view = FrameView(frame);
  view.Set("is_anonymous", page.is_anonymous)
      .Set("for_administrators", page.for_administrators)
      .List("namespaces", page.namespaces, [](const ListedNamespace& each) {
        View row;
        row.Set("name", each.record.name)
            .Set("path", NamespacePath(each.record.name))
            .Set("title", each.record.words.title)
            .Set("visibility", each.record.visibility)
            .Set("contents", each.contents);
        AddOwners(row, each.owners);
        return row;
      });
  AddPager(view, page.part, kNamespacesAddress);
  return RenderTemplate("namespaces", frame.language, view);
}

std::string RenderNamespace(const PageFrame& frame, const NamespacePage& page) {
  const auto row = [](const SearchHit& hit) { return PackageRow(hit); };
  const bool is_empty = page.modules.empty() && page.providers.empty() && page.part.offset == 0;
  View view = FrameView(frame);
  AddNamespaceHead(view,
                   {.name = page.name,
                    .visibility = page.visibility,
                    .is_owner = page.is_owner,
                    .title = page.words.title,
                    .owners = page.owners},
                   NamespaceTab::kPackages);
  AddPublishing(view, page);
  view.Set("about", page.words.description)
      .Set("paragraphs", ParagraphsOf(page.words.description))
      .Set("is_empty", is_empty)
      .List("modules", page.modules, row)
      .Set("is_beyond", page.modules.empty() && page.part.offset > 0)
      .List("providers", page.providers, row)
      .Set("has_more_providers", page.has_more_providers)
      .Set("offers_publishing", page.may_publish || is_empty);
  AddPager(view, page.part, NamespacePath(page.name));
  return RenderTemplate("namespace", frame.language, view);
}

}  // namespace koya::web
