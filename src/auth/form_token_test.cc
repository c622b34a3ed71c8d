#include "auth/browser_tokens.h"

#include <gtest/gtest.h>

#include <vector>

namespace koya::auth {
namespace {

constexpr std::string_view kFormSecret = "a secret of the server, 1";
constexpr std::string_view kOldFormSecret = "a secret of the server, 0";

TEST(FormTokenTest, IsTakenFromTheBrowserThatItWasMadeFor) {
  const FormTokens forms(kFormSecret);
  for (std::string_view cookie : {"a", "cookie",
                                  "a much longer cookie, of more than 64 bytes in "
                                  "all, as none is that is made here"}) {
    const std::string token = forms.For(cookie);
    EXPECT_EQ(token.size(), 43U);
    EXPECT_TRUE(forms.Check(cookie, token));
    EXPECT_TRUE(FormTokens(kFormSecret).Check(cookie, token)) << "by every server with the secret";
  }
}

TEST(FormTokenTest, IsRefusedFromEverybodyElse) {
  const FormTokens forms(kFormSecret);
  const std::string token = forms.For("cookie");
  std::string altered = token;
  altered.back() = altered.back() == 'A' ? 'B' : 'A';
  struct Row {
    std::string_view cookie;
    std::string token;
  };
  const std::vector<Row> rows = {
      {"cookie", ""},
      {"cookie", altered},
      {"cookie", token + "A"},
      {"cookie", token + "="},
      {"cookie", token.substr(1)},
      {"cookie", token.substr(0, 42)},
      {"cookie", "cookie"},
      {"cookie", forms.For("other")},
      {"cookie", FormTokens(kOldFormSecret).For("cookie")},
      {"other", token},
      {"cookie2", token},
      {"", token},
      {"", forms.For("")},
      {"", ""},
  };
  for (const Row& row : rows) {
    EXPECT_FALSE(forms.Check(row.cookie, row.token)) << row.cookie << " " << row.token;
  }
}

TEST(FormTokenTest, ThoseOfTheSecretBeforeAreTakenWhileItIsSet) {
  const std::string old = FormTokens(kOldFormSecret).For("cookie");
  const FormTokens rotated(kFormSecret, kOldFormSecret);
  EXPECT_TRUE(rotated.Check("cookie", old));
  EXPECT_TRUE(rotated.Check("cookie", rotated.For("cookie")));
  EXPECT_EQ(rotated.For("cookie"), FormTokens(kFormSecret).For("cookie"));
  EXPECT_FALSE(rotated.Check("other", old));
  EXPECT_FALSE(FormTokens(kFormSecret).Check("cookie", old));
}

}  // namespace
}  // namespace koya::auth
