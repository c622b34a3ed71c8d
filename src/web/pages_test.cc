#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "base/text.h"
#include "web/access/sign_in_pages.h"
#include "web/common/html_page_fake.h"
#include "web/sample_pages_fake.h"
#include "web/site/message_page.h"
#include "web/site/search_page.h"

namespace koya::web {
namespace {

std::string Listing(const std::vector<std::string>& problems) {
  std::string listing;
  for (const std::string& problem : problems) listing += problem + "\n";
  return listing;
}

TEST(PagesTest, AreWholeInEveryLanguage) {
  for (Language language : kLanguages) {
    for (const SamplePage& page : SamplePages(SampleFrame(language))) {
      SCOPED_TRACE(fmt::format("{} {}", page.name, LanguageCode(language)));
      HtmlPage read = ReadHtml(page.html);
      EXPECT_EQ(Listing(PageProblems(read)), "");
      // GitHub's workflows have marks of their own.
      std::string html = page.html;
      constexpr std::string_view kGitHubMark = "${{ secrets.KOYA_TOKEN }}";
      const std::size_t mark = html.find(kGitHubMark);
      if (mark != html.npos) html.erase(mark, kGitHubMark.size());
      EXPECT_EQ(html.find("{{"), html.npos);
      EXPECT_EQ(page.html.find("[["), page.html.npos);
      EXPECT_EQ(read.All("html")[0].Value("lang"), LanguageTag(language));
      EXPECT_LT(page.html.size(), 20000U);
    }
  }
}

TEST(PagesTest, SayWhatTheirLanguageSays) {
  // Nothing of another language's words: the same key differs wherever the words do.
  auto english = SamplePages(SampleFrame(Language::kEnglish));
  auto chinese = SamplePages(SampleFrame(Language::kChinese));
  ASSERT_EQ(english.size(), chinese.size());
  for (std::size_t i = 0; i < english.size(); ++i) {
    // Titles may be names, which no language changes.
    EXPECT_NE(ReadHtml(english[i].html).text, ReadHtml(chinese[i].html).text) << english[i].name;
  }
}

// Each would break out of a text, an attribute, an address or the direction of its line.
constexpr std::string_view kHostile[] = {
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onfocus='alert(1)",
    "\" autofocus onfocus=\"alert(1)",
    "</title><svg onload=alert(1)>",
    "</form><form action=//evil.example method=post>",
    "javascript:alert(1)",
    "//evil.example/login",
    "/\\evil.example",
    "https://evil.example/",
    "{{csrf}}{{{csrf}}}{{>_foot}}{{#sections}}",
    "[[frame.skip]][[@koya.css]]",
    "&lt;b&gt; &#60; &amp",
    "a\nb\r\nSet-Cookie: x=y",
    "--><!-- <![CDATA[",
    "\xE2\x80\xAE"
    "desrever \xE2\x81\xA9\xE2\x81\xA9 out",
    "\xFF\xFE\xC0\xAF broken \xED\xA0\x80",
    "\x01\x1B[31m\x7F\xC2\x9B",
};

TEST(PagesTest, HoldHostileTextInEveryField) {
  std::vector<std::size_t> forms;
  for (const SamplePage& plain : SamplePages(SampleFrame(Language::kEnglish))) {
    forms.push_back(ReadHtml(plain.html).All("form").size());
  }
  for (std::string_view hostile : kHostile) {
    auto filled = PagesFilledWith(std::string(hostile), Language::kEnglish);
    ASSERT_EQ(forms.size(), filled.size());
    for (std::size_t i = 0; i < filled.size(); ++i) {
      SCOPED_TRACE(fmt::format("{}: {}", filled[i].name, Printable(hostile)));
      HtmlPage page = ReadHtml(filled[i].html);
      // The text may hold what looks like a mark of a template; no page may be changed by it.
      std::erase_if(page.problems, [](const std::string& p) { return p.starts_with("a mark"); });
      EXPECT_EQ(Listing(PageProblems(page)), "");
      EXPECT_TRUE(IsUtf8(filled[i].html));
      EXPECT_EQ(page.All("script").size(), 1U);
      EXPECT_EQ(page.All("img").size() + page.All("iframe").size(), 0U);
      EXPECT_EQ(page.All("form").size(), forms[i]);
    }
  }
}

TEST(PagesTest, AreNotTemplatesAfterwards) {
  PageFrame frame = SampleFrame(Language::kEnglish);
  frame.site_name = "{{csrf}} [[frame.skip]]";
  HtmlPage page = ReadHtml(RenderSignedOut(frame));
  EXPECT_NE(page.text.find("{{csrf}} [[frame.skip]]"), page.text.npos);
}

TEST(PagesTest, IsolateTextsOfOthersAndKeepThemOutOfTitles) {
  PageFrame frame = SampleFrame(Language::kJapanese);
  frame.site_name = "\u202Eevil\u202C \u2067x\u2069\u2069 site";
  std::string html = RenderSignedOut(frame);
  EXPECT_TRUE(ReadHtml(html).title.ends_with("· evil x site")) << ReadHtml(html).title;
  EXPECT_NE(html.find("<bdi>\u202Eevil\u202C \u2067x\u2069 site</bdi>"), html.npos) << html;
}

// What an author or an administrator wrote may be in another language than the page, and in another
// direction.
TEST(PagesTest, AuthorsTextsAreIsolatedAndSayTheirLanguage) {
  struct Row {
    std::string_view page;
    std::string_view text;  // what stands around it
  };
  constexpr Row kRows[] = {
      {"provider", "<p class=\"lede\" lang=\"ja\"><bdi>"},
      {"provider_missing-withdrawn", "<p lang=\"ja\"><bdi>"},
      {"provider_versions", "<td lang=\"ja\"><bdi>"},
      {"provider_versions", "<small lang=\"ja\"><bdi>"},
      {"provider_docs-schema", "<p lang=\"ja\"><bdi>"},
      {"provider_docs-schema", "<bdi lang=\"ja\">"},
      {"provider_docs", "<article class=\"prose\" dir=\"auto\""},
      {"search", "<p lang=\"ja\"><bdi>"},
  };
  const std::string words = "ことば";
  for (const SamplePage& page : PagesFilledWith(words, Language::kEnglish)) {
    for (const Row& row : kRows) {
      if (page.name != row.page) continue;
      std::string wanted(row.text);
      if (!wanted.contains("article")) wanted += words;
      EXPECT_TRUE(page.html.contains(wanted)) << page.name << " lacks " << wanted;
    }
  }
}

TEST(PagesTest, TellBrowsersOfTheSearchWhereverThereIsOne) {
  for (const SamplePage& page : SamplePages(SampleFrame(Language::kEnglish))) {
    const bool has_pages = page.html.contains("class=\"top\"") && page.html.contains("<nav aria");
    const bool is_told = page.html.contains("<link rel=\"search\"");
    EXPECT_EQ(is_told, has_pages && page.html.contains("href=\"/modules\"")) << page.name;
  }
}

HtmlElement InputNamed(const HtmlPage& page, std::string_view name) {
  for (const HtmlElement& input : page.All("input")) {
    if (input.Value("name") == name) return input;
  }
  ADD_FAILURE() << "no input " << name;
  return {};
}

TEST(SignInTest, HasTheFieldsOfTheContract) {
  SignInPage page;
  page.username = "mika";
  page.to = "/modules/a/b/c?x=1&y=2";
  HtmlPage read = ReadHtml(RenderSignIn(SampleFrame(Language::kEnglish), page));
  EXPECT_EQ(InputNamed(read, "username").Value("value"), "mika");
  EXPECT_EQ(InputNamed(read, "password").Value("type"), "password");
  EXPECT_EQ(InputNamed(read, "username").Value("autocomplete"), "username webauthn");
  EXPECT_EQ(InputNamed(read, "password").Value("autocomplete"), "current-password");
  EXPECT_FALSE(InputNamed(read, "password").Has("value"));
  EXPECT_EQ(InputNamed(read, "to").Value("value"), "/modules/a/b/c?x=1&amp;y=2");
  EXPECT_EQ(read.All("form")[0].Value("action"), "/login");
}

TEST(SignInTest, LeadsNowhereElse) {
  for (std::string_view to : {"//evil.example", "/\\evil.example", "https://evil.example", "evil",
                              "", "/a b", "/\tb", "javascript:alert(1)"}) {
    SignInPage page;
    page.to = to;
    page.providers = {{"Evil", std::string(to)}};
    HtmlPage read = ReadHtml(RenderSignIn(SampleFrame(Language::kEnglish), page));
    EXPECT_EQ(InputNamed(read, "to").Value("value"), "/") << to;
    EXPECT_EQ(Listing(PageProblems(read)), "") << to;
  }
}

TEST(SignInTest, SaysTheSameWhateverIsWrongWithAnAccount) {
  SignInPage page;
  page.problem = SignInProblem::kRefused;
  HtmlPage read = ReadHtml(RenderSignIn(SampleFrame(Language::kEnglish), page));
  EXPECT_NE(read.text.find("user name or the password is incorrect"), read.text.npos);
  for (std::string_view told : {"disabled", "exist", "unknown", "no such"}) {
    EXPECT_EQ(read.text.find(told), read.text.npos) << told;
  }
}

TEST(SignInTest, ShowsOnlyWhatThereIs) {
  SignInPage page;
  page.has_local_accounts = false;
  page.providers = {{"Kumo", "/-/oidc/kumo/start"}};
  HtmlPage read = ReadHtml(RenderSignIn(SampleFrame(Language::kEnglish), page));
  EXPECT_EQ(read.text.find("Password"), read.text.npos);
  EXPECT_NE(read.text.find("Sign in with Kumo"), read.text.npos);
}

TEST(ConsentTest, NamesWhoAsksForWhat) {
  PageFrame frame = SampleFrame(Language::kEnglish);
  frame.account = "mika";
  ConsentPage page;
  page.host = "registry.kumo.example";
  page.client_id = "terraform-cli";
  page.redirect_uri = "http://localhost:10005/login";
  page.life = std::chrono::seconds(90 * 86400);
  page.ends = 1803124800;
  page.hidden = {{"state", "a&b"}};
  HtmlPage read = ReadHtml(RenderConsent(frame, page));
  for (std::string_view told : {"registry.kumo.example", "mika", "terraform-cli", "90 days",
                                "20 Feb 2027", "http://localhost:10005/login", "download"}) {
    EXPECT_NE(read.text.find(told), read.text.npos) << told;
  }
  EXPECT_EQ(read.text.find("publish where"), read.text.npos);
  EXPECT_EQ(InputNamed(read, "state").Value("value"), "a&amp;b");
  std::vector<std::string> decisions;
  for (const HtmlElement& button : read.All("button")) {
    if (button.Value("name") == "decision") decisions.push_back(button.Value("value"));
  }
  EXPECT_EQ(decisions, (std::vector<std::string>{"allow", "deny"}));
}

TEST(ConsentTest, TellsWhatGreaterScopesAdd) {
  PageFrame frame = SampleFrame(Language::kEnglish);
  frame.account = "mika";
  ConsentPage page;
  page.scope = Scope::kPublish;
  std::string publish = RenderConsent(frame, page);
  EXPECT_NE(publish.find("publish where"), publish.npos);
  EXPECT_EQ(publish.find("change settings"), publish.npos);
  page.scope = Scope::kAdmin;
  std::string admin = RenderConsent(frame, page);
  EXPECT_NE(admin.find("change settings"), admin.npos);
}

TEST(DeniedTest, SaysThatTheTerminalWaits) {
  for (Language language : kLanguages) {
    HtmlPage read = ReadHtml(RenderDenied(SampleFrame(language), "registry.kumo.example"));
    EXPECT_NE(read.text.find("Ctrl+C"), read.text.npos);
    EXPECT_NE(read.text.find("tofu login registry.kumo.example"), read.text.npos);
  }
}

TEST(FirstRunTest, PointsAtWhatIsWrong) {
  FirstRunPage page;
  page.password_min = 12;
  page.problems = {FirstRunProblem::kPasswordShort};
  HtmlPage read = ReadHtml(RenderFirstRun(SampleFrame(Language::kEnglish), page));
  EXPECT_EQ(InputNamed(read, "password").Value("aria-invalid"), "true");
  EXPECT_EQ(InputNamed(read, "password").Value("minlength"), "12");
  EXPECT_EQ(InputNamed(read, "username").Value("aria-invalid"), "");
  for (std::string_view name : {"token", "password", "password_again"}) {
    EXPECT_FALSE(InputNamed(read, name).Has("value")) << name;
  }
}

TEST(MessageTest, OffersToSignInWhereThatMayHelp) {
  struct Row {
    unsigned status;
    std::string account;
    bool offered;
  };
  for (const Row& row : {Row{404, "", true}, Row{401, "", true}, Row{403, "", true},
                         Row{404, "mika", false}, Row{400, "", false}, Row{500, "", false}}) {
    PageFrame frame = SampleFrame(Language::kEnglish);
    frame.path = "/modules/a/b/c";
    frame.account = row.account;
    std::string html = RenderMessage(frame, {.status = row.status});
    std::string main = html.substr(html.find("<main"));
    EXPECT_EQ(main.contains("/login?to=/modules/a/b/c"), row.offered) << row.status;
  }
}

TEST(MessageTest, LeadsToWhereTheStateIsWhenTheServerIsAtFault) {
  constexpr std::string_view kStatus = "https://status.example.com/koya?of=registry";
  const PageFrame frame = SampleFrame(Language::kEnglish);
  auto links = [&frame](unsigned status, std::string_view url, bool health) {
    MessagePage page{.status = status};
    page.status_url = url;
    page.offers_health = health;
    std::vector<std::string> found;
    for (const HtmlElement& link : ReadHtml(RenderMessage(frame, page)).All("a")) {
      const std::string to = link.Value("href");
      if (link.Value("rel") == "external" || to == "/-/admin/health") found.push_back(to);
    }
    return found;
  };
  using Links = std::vector<std::string>;
  for (unsigned status : {500U, 502U, 503U, 507U}) {
    EXPECT_EQ(links(status, kStatus, true), (Links{std::string(kStatus), "/-/admin/health"}));
    EXPECT_EQ(links(status, kStatus, false), Links{std::string(kStatus)}) << status;
    EXPECT_EQ(links(status, "", false), Links{}) << status;
  }
  for (unsigned status : {400U, 403U, 404U, 429U}) {
    EXPECT_EQ(links(status, kStatus, true), Links{}) << status;
  }
  for (std::string_view bad : {"javascript:alert(1)", "//status.example.com", "/status",
                               "https://status.example.com/a b", "https://st\u00E4tus.example"}) {
    EXPECT_EQ(links(500, bad, false), Links{}) << bad;
  }
}

TEST(MessageTest, WithoutCsrfHasNoFormAtAll) {
  PageFrame frame = SampleFrame(Language::kEnglish);
  frame.csrf.clear();
  frame.account = "mika";
  HtmlPage read = ReadHtml(RenderMessage(frame, {}));
  ASSERT_EQ(read.All("form").size(), 1U);
  EXPECT_EQ(read.All("form")[0].Value("action"), "/-/prefs") << "which takes the browser's word";
  EXPECT_EQ(Listing(PageProblems(read)), "");
}

TEST(FrameTest, LeadsBackInEveryLanguage) {
  PageFrame frame = SampleFrame(Language::kJapanese, Theme::kDark);
  frame.path = "/search?q=a%26b&lang=ja";
  HtmlPage read = ReadHtml(RenderMessage(frame, {.status = 404}));
  std::vector<std::string> languages;
  for (const HtmlElement& button : read.All("button")) {
    if (button.Value("name") != "lang") continue;
    languages.push_back(button.Value("value") + " " + button.Value("aria-pressed"));
  }
  EXPECT_EQ(languages, (std::vector<std::string>{"en false", "ja true", "zh false"}));
  EXPECT_EQ(InputNamed(read, "to").Value("value"), "/search?q=a%26b");
  EXPECT_EQ(read.All("html")[0].Value("data-theme"), "dark");
}

// What chats and search engines make of a page that they may show.
TEST(FrameTest, TellsOthersWhatAListedPageIs) {
  PageFrame frame = SampleFrame(Language::kJapanese);
  frame.site_url = "https://registry.kumo.example";
  frame.path = "/search?q=a&lang=ja";
  frame.canonical = "/modules";
  const std::string html = RenderMessage(frame, {.status = 404});
  const HtmlPage read = ReadHtml(html);
  std::vector<std::string> titles;
  for (const HtmlElement& meta : read.All("meta")) {
    if (meta.Value("property") == "og:title") titles.push_back(meta.Value("content"));
  }
  EXPECT_EQ(titles, std::vector<std::string>{read.title});
  std::vector<std::string> alternates;
  for (const HtmlElement& link : read.All("link")) {
    if (link.Has("hreflang"))
      alternates.push_back(link.Value("hreflang") + " " + link.Value("href"));
  }
  EXPECT_EQ(alternates,
            (std::vector<std::string>{std::string(LanguageTag(Language::kEnglish)) +
                                          " https://registry.kumo.example/modules?lang=en",
                                      std::string(LanguageTag(Language::kJapanese)) +
                                          " https://registry.kumo.example/modules?lang=ja",
                                      std::string(LanguageTag(Language::kChinese)) +
                                          " https://registry.kumo.example/modules?lang=zh",
                                      "x-default https://registry.kumo.example/modules"}));
  frame.canonical.clear();
  const std::string hidden = RenderMessage(frame, {.status = 404});
  EXPECT_FALSE(hidden.contains("og:title"));
  EXPECT_FALSE(hidden.contains("x-default"));
}

// Keyboard and screen-reader users read the result of a form first.
TEST(FrameTest, ANoticeHasTheFocus) {
  PageFrame frame = SampleFrame(Language::kEnglish);
  const auto focused = [&frame] {
    std::vector<HtmlElement> found;
    for (const HtmlElement& element : ReadHtml(RenderMessage(frame, {})).elements) {
      if (element.Has("autofocus")) found.push_back(element);
    }
    return found;
  };
  EXPECT_TRUE(focused().empty());
  frame.notice = Notice{.key = "saved", .what = ""};
  const std::vector<HtmlElement> found = focused();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].Value("role"), "status");
  EXPECT_EQ(found[0].Value("tabindex"), "-1");
  frame.notice = Notice{.key = "nobody_wrote_this", .what = ""};
  EXPECT_TRUE(focused().empty());
}

TEST(PagesTest, AreRenderedByManyThreadsAtOnce) {
  PageFrame frame = SampleFrame(Language::kChinese);
  std::string expected = RenderSignedOut(frame);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j) EXPECT_EQ(RenderSignedOut(frame), expected);
    });
  }
}

FoundPage Found() {
  FoundPage page;
  page.asked.text = "instance";
  page.found.items = {{.address = "acme/vm/aws", .version = "1.0.0", .name = "vm"}};
  page.found.counts = {{SearchKind::kModule, 1}, {SearchKind::kDoc, 400}};
  page.total = 401;
  return page;
}

// A count that was cut off says so; one cut off at 0 shows no number.
TEST(SearchPageTest, KindsSayWhetherTheirCountIsAll) {
  FoundPage page = Found();
  const auto html = [&page] { return RenderSearch(SampleFrame(Language::kEnglish), page); };
  EXPECT_TRUE(html().contains("Modules <span class=\"n\">1</span>")) << html();
  EXPECT_TRUE(html().contains("<span class=\"n\">401</span>"));
  EXPECT_FALSE(html().contains("kind=input"));
  EXPECT_FALSE(html().contains(" results or more"));
  page.found.cut = true;
  page.found.cut_kinds = {SearchKind::kInput, SearchKind::kDoc};
  EXPECT_TRUE(html().contains("Modules <span class=\"n\">1</span>"));
  EXPECT_TRUE(html().contains("<span class=\"n\">400+</span>"));
  EXPECT_TRUE(html().contains("<span class=\"n\">401+</span>"));
  EXPECT_TRUE(html().contains("Inputs</a>")) << html();
  EXPECT_TRUE(html().contains(" results or more"));
}

}  // namespace

}  // namespace koya::web
