#include "web/sample_parts_fake.h"

#include "web/site/manual.h"

namespace koya::web {
namespace {

// Texts of the documentation are part of the program: no user input fills them.
ShownApiOperation SampleOperation(const FillText& texts) {
  ShownApiOperation operation{.id = "createToken",
                              .method = texts("POST"),
                              .path = texts("/api/v1/tokens"),
                              .summary = texts("Create a token"),
                              .who = texts("a token with the scope admin"),
                              .text = RenderManual("It is never shown again.")};
  operation.parameters = {{.name = texts("name"),
                           .in_path = true,
                           .is_needed = true,
                           .shape = texts("text"),
                           .text = RenderManual("a name")},
                          {.name = texts("limit"),
                           .is_needed = true,
                           .shape = texts("1..100"),
                           .fallback = texts("15"),
                           .text = RenderManual("how many")}};
  operation.body_kind = texts("application/json");
  operation.body_shape = texts("{\n  name: text\n}");
  operation.may_lack_body = true;
  operation.answers = {{.status = 201,
                        .kind = texts("application/json"),
                        .shape = texts("{\n  name: text\n  token?: text\n}"),
                        .text = RenderManual("created"),
                        .codes = {}},
                       {.status = 404, .text = {}, .codes = {texts("not_found")}}};
  operation.command = texts("curl https://registry.kumo.example/api/v1/tokens");
  return operation;
}

void AddApiSamples(const PageFrame& frame, const FillText& texts, std::vector<SamplePage>& pages) {
  const ShownApiGroup group{.name = "tokens",
                            .title = texts("Tokens"),
                            .text = texts("Creating, listing, rotating and revoking tokens."),
                            .operations = 7};
  pages.push_back({"api", RenderApiIndex(frame, {.url = texts("https://registry.kumo.example"),
                                                 .preface = RenderManual("- A token."),
                                                 .groups = {group}})});
  pages.push_back({"api-group", RenderApiGroup(frame, {.group = group,
                                                       .operations = {SampleOperation(texts)}})});
}

}  // namespace

void AddManualSamples(const PageFrame& frame, const FillText& texts,
                      std::vector<SamplePage>& pages) {
  PageFrame browsing = frame;
  browsing.csrf.clear();
  browsing.sections = {Section::kModules, Section::kProviders, Section::kMirror, Section::kDocs};
  browsing.current = Section::kDocs;
  browsing.has_search = true;
  pages.push_back({"manual", RenderManualIndex(browsing, {})});
  const SearchHit setting{.kind = SearchKind::kSetting,
                          .name = texts("server.url"),
                          .title = texts("The URL of this server."),
                          .snippet = texts("server.url"),
                          .marks = {{0, 6}},
                          .url = "/-/docs/config#user-server"};
  pages.push_back({"manual-found", RenderManualIndex(browsing, {.query = texts("url"),
                                                                .hits = {setting, setting},
                                                                .total = 2,
                                                                .problem = {}})});
  pages.push_back(
      {"manual-none",
       RenderManualIndex(browsing, {.query = texts("nothing"), .hits = {}, .problem = {}})});
  browsing.crumbs = {{.name = texts("docs"), .path = "/-/docs"}};
  pages.push_back({"manual-text",
                   RenderManualPage(browsing, {.title = texts("Publishing"),
                                               .text = RenderManual(
                                                   "What is published never changes.\n\n"
                                                   "## A module\n\n```console\n$ koya publish "
                                                   "module ./vpc acme/vpc/aws 1.0.0\n```\n\n"
                                                   "## A provider\n\nSee [keys](keys.md).\n")})});
  pages.push_back(
      {"error_codes",
       RenderErrorCodes(browsing, {.preface = RenderManual("Each error is of a kind."),
                                   .codes = {{.code = texts("not_found"),
                                              .status = 404,
                                              .sentence = texts("It is not there.")},
                                             {.code = texts("too_large"),
                                              .status = 413,
                                              .sentence = texts("It is larger than a limit.")}}})});
  pages.push_back(
      {"error_code",
       RenderErrorCode(browsing, {.code = texts("not_found"),
                                  .status = 404,
                                  .text = RenderManual("It is not there.\n\nCheck it.")})});
  AddApiSamples(browsing, texts, pages);
  pages.push_back({"accessibility", RenderAccessibility(frame)});
}

}  // namespace koya::web
