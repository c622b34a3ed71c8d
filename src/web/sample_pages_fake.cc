#include "web/sample_pages_fake.h"

#include <fmt/format.h>

#include "web/access_pages.h"
#include "web/home_page.h"
#include "web/message_page.h"

namespace koya::web {
namespace {

using std::chrono::seconds;

// The texts of a page: those that people will see, or one for all of them.
struct SampleTexts {
  std::string all;  // "": each has its own
  std::string operator()(std::string own) const { return all.empty() ? own : all; }
};

PageFrame FrameWith(const SampleTexts& texts, Language language, Theme theme) {
  PageFrame frame;
  frame.language = language;
  frame.theme = theme;
  frame.site_name = texts("registry.kumo.example");
  frame.path = texts("/login?to=%2Foauth%2Fauthorize%3Fclient_id%3Dterraform-cli");
  frame.csrf = texts("c5rfT0ken");
  return frame;
}

PageFrame SignedIn(PageFrame frame, const SampleTexts& texts) {
  frame.account = texts("mika.tanaka");
  frame.sections = {Section::kModules, Section::kProviders, Section::kMirror, Section::kDocs};
  frame.current = Section::kProviders;
  return frame;
}

void AddSignIn(const PageFrame& frame, const SampleTexts& texts, std::vector<SamplePage>& pages) {
  SignInPage page;
  page.to = texts("/oauth/authorize?client_id=terraform-cli&state=x");
  pages.push_back({"sign_in", RenderSignIn(frame, page)});
  page.reason = SignInReason::kClientLogin;
  page.providers = {{texts("Kumo Works"), texts("/-/oidc/kumo/start")},
                    {texts("GitLab"), texts("/-/oidc/gitlab/start")}};
  pages.push_back({"sign_in-providers", RenderSignIn(frame, page)});
  page.has_local_accounts = false;
  page.problem = SignInProblem::kProviderFailed;
  page.failed_provider = texts("Kumo Works");
  page.request_id = texts("7f3a9c2e51d04b68");
  pages.push_back({"sign_in-provider_failed", RenderSignIn(frame, page)});
  page.has_local_accounts = true;
  page.reason = SignInReason::kPage;
  page.wanted = texts("platform/network/aws");
  page.username = texts("mika.tanaka");
  page.problem = SignInProblem::kRefused;
  pages.push_back({"sign_in-refused", RenderSignIn(frame, page)});
  page.problem = SignInProblem::kThrottled;
  page.retry_after = seconds(90);
  pages.push_back({"sign_in-throttled", RenderSignIn(frame, page)});
  page.problem = SignInProblem::kStaleForm;
  page.reason = SignInReason::kFirstRunDone;
  pages.push_back({"sign_in-stale", RenderSignIn(frame, page)});
}

void AddConsent(const PageFrame& frame, const SampleTexts& texts, std::vector<SamplePage>& pages) {
  PageFrame signed_in = SignedIn(frame, texts);
  ConsentPage page;
  page.host = texts("registry.kumo.example");
  page.client_id = texts("terraform-cli");
  page.redirect_uri = texts("http://localhost:10005/login");
  page.life = seconds(90 * 86400);
  page.ends = 1803124800;  // 2027-02-20
  page.hidden = {{texts("state"), texts("5e1f")}};
  pages.push_back({"consent", RenderConsent(signed_in, page)});
  page.scope = Scope::kAdmin;
  pages.push_back({"consent-admin", RenderConsent(signed_in, page)});
  pages.push_back({"denied", RenderDenied(signed_in, {texts("registry.kumo.example")})});
}

void AddFirstRun(const PageFrame& frame, const SampleTexts& texts, std::vector<SamplePage>& pages) {
  FirstRunPage page;
  page.password_min = 12;
  pages.push_back({"first_run", RenderFirstRun(frame, page)});
  page.username = texts("root!");
  page.retry_after = seconds(30);
  page.problems = {FirstRunProblem::kToken,         FirstRunProblem::kUsername,
                   FirstRunProblem::kPasswordShort, FirstRunProblem::kPasswordsDiffer,
                   FirstRunProblem::kThrottled,     FirstRunProblem::kStaleForm};
  pages.push_back({"first_run-problems", RenderFirstRun(frame, page)});
}

void AddMessages(const PageFrame& frame, const SampleTexts& texts, std::vector<SamplePage>& pages) {
  MessagePage page;
  for (unsigned status : {400, 401, 403, 404, 405, 410, 413, 418, 429, 500, 502, 503, 507}) {
    page.status = status;
    page.request_id = texts("7f3a9c2e51d04b68");
    page.text = texts(status == 400 ? "redirect_uri is not http://localhost:PORT/login: a client "
                                      "that may sign in here uses that"
                                    : "");
    page.retry_after = seconds(status == 429 || status == 503 ? 45 : 0);
    pages.push_back({fmt::format("message-{}", status), RenderMessage(frame, page)});
  }
  page.status = 403;
  page.is_stale_form = true;
  pages.push_back({"message-stale", RenderMessage(SignedIn(frame, texts), page)});
  PageFrame bare = frame;
  bare.csrf.clear();
  bare.account = texts("mika.tanaka");
  pages.push_back({"message-bare", RenderMessage(bare, {})});
}

void AddHome(const PageFrame& frame, const SampleTexts& texts, std::vector<SamplePage>& pages) {
  HomePage page{.host = texts("registry.kumo.example")};
  pages.push_back({"home", RenderHome(frame, page)});
  pages.push_back({"home-signed_in", RenderHome(SignedIn(frame, texts), page)});
  page.is_closed = true;
  pages.push_back({"home-closed", RenderHome(frame, page)});
  page.is_new = true;
  pages.push_back({"home-new", RenderHome(frame, page)});
}

std::vector<SamplePage> AllPages(const PageFrame& frame, const SampleTexts& texts) {
  std::vector<SamplePage> pages;
  AddHome(frame, texts, pages);
  AddSignIn(frame, texts, pages);
  AddConsent(frame, texts, pages);
  AddFirstRun(frame, texts, pages);
  AddMessages(frame, texts, pages);
  pages.push_back({"signed_out", RenderSignedOut(frame, {})});
  return pages;
}

}  // namespace

PageFrame SampleFrame(Language language, Theme theme) { return FrameWith({}, language, theme); }

std::vector<SamplePage> SamplePages(const PageFrame& frame) { return AllPages(frame, {}); }

std::vector<SamplePage> PagesFilledWith(const std::string& text, Language language) {
  SampleTexts texts{text};
  return AllPages(FrameWith(texts, language, Theme::kAuto), texts);
}

}  // namespace koya::web
