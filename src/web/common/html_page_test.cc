#include <gtest/gtest.h>

#include "web/common/html_page_fake.h"

namespace koya::web {
namespace {

constexpr std::string_view kBefore =
    "<!doctype html>\n<html lang=\"en\" data-theme=\"auto\"><head><title>t</title></head><body>"
    "<header></header><nav aria-label=\"n\"></nav><main><h1>h</h1>";
constexpr std::string_view kAfter = "</main><footer></footer></body></html>";

std::vector<std::string> ProblemsWith(std::string_view body) {
  return PageProblems(ReadHtml(std::string(kBefore) + std::string(body) + std::string(kAfter)));
}

TEST(HtmlPageTest, TakesWholePages) {
  for (std::string_view body :
       {"", "<p>a &amp; b</p>", "<br><p class=\"x y\" hidden>a</p>", "<svg viewBox=\"0 0 1 1\"/>",
        "<form method=\"post\" action=\"/a\"><input type=\"hidden\" name=\"csrf\" "
        "value=\"x\"></form>",
        "<form method=\"post\" action=\"/-/prefs\"></form>",
        "<script src=\"/-/assets/koya.js\" defer></script>",
        "<label for=\"a\">A</label><input id=\"a\" name=\"a\">", "<a href=\"#a\" id=\"a\">a</a>",
        "<a href=\"https://status.example.com/\" rel=\"external\">a</a>"}) {
    EXPECT_TRUE(ProblemsWith(body).empty()) << body << ": " << ProblemsWith(body)[0];
  }
}

TEST(HtmlPageTest, FindsWhatIsWrong) {
  for (std::string_view body : {"<p>a",
                                "a</p>",
                                "<b><i></b></i>",
                                "<p class=x></p>",
                                "<p class='x'></p>",
                                "<p id=\"a\" id=\"b\"></p>",
                                "a & b",
                                "a > b",
                                "a < b",
                                "&nbsp;",
                                "<h1>again</h1>",
                                "<main></main>",
                                "<p style=\"color:red\"></p>",
                                "<p onclick=\"x()\"></p>",
                                "<script>x</script>",
                                "<script src=\"/evil.js\" defer></script>",
                                "<style>x</style>",
                                "<a href=\"//evil.example\">a</a>",
                                "<a href=\"javascript:x\">a</a>",
                                "<a href=\"https://status.example.com/\">a</a>",
                                "<a href=\"javascript:x\" rel=\"external\">a</a>",
                                "<form action=\"https://evil.example/\" rel=\"external\"></form>",
                                "<form method=\"post\" action=\"/a\"></form>",
                                "<form method=\"post\" action=\"/a\"><input type=\"hidden\" "
                                "name=\"csrf\" value=\"\"></form>",
                                "<form method=\"post\" action=\"/a\"></form><input type=\"hidden\" "
                                "name=\"csrf\" value=\"x\">",
                                "<input name=\"a\">",
                                "<label for=\"a\">A</label>",
                                "<a href=\"#nowhere\">a</a>",
                                "<p id=\"a\"></p><p id=\"a\"></p>",
                                "<p aria-describedby=\"x\"></p>",
                                "<nav></nav>",
                                "[[left]]",
                                "<p title=\"a<b\"></p>",
                                "<p title=\"a",
                                "<form action=\"/\"><form action=\"/\">"}) {
    EXPECT_FALSE(ProblemsWith(body).empty()) << body;
  }
}

}  // namespace
}  // namespace koya::web
