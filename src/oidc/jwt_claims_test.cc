// Tokens by what they say.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "oidc/jwt_rows_fake.h"

namespace koya::oidc {
namespace {

// A token's claims in parts, each as JSON; "" leaves one out.
struct Told {
  std::string iss = R"("https://id.example.com")";
  std::string aud = R"("https://koya.example.com")";
  std::string sub = R"("u-1")";
  std::string exp = "1733011500";
  std::string more;

  std::string Json() const {
    std::string out = "{\"x\":1";
    if (!iss.empty()) out += ",\"iss\":" + iss;
    if (!aud.empty()) out += ",\"aud\":" + aud;
    if (!sub.empty()) out += ",\"sub\":" + sub;
    if (!exp.empty()) out += ",\"exp\":" + exp;
    return out + more + "}";
  }
};

JwtOutcome Verified(std::string_view claims, const Expectations& expected = TestExpectations()) {
  return VerifyJwt(TokenOf(claims), TestIssuer::Get().keys, expected);
}

struct LineRow {
  Told told;
  std::string_view why;
};

TEST(JwtClaimsTest, RefusesOtherIssuersAudiencesAndSubjects) {
  for (const LineRow& row : {
           LineRow{{.iss = ""}, "\"iss\" must be present"},
           LineRow{{.iss = "null"}, "\"iss\" must be present"},
           LineRow{{.iss = "\"\""}, "\"iss\" must be present"},
           LineRow{{.iss = R"(["https://id.example.com"])"}, "\"iss\" must be present"},
           LineRow{{.iss = R"("https://id.example.com/")"}, "its issuer is"},
           LineRow{{.iss = R"("https://ID.example.com")"}, "its issuer is"},
           LineRow{{.iss = R"("http://id.example.com")"}, "its issuer is"},
           LineRow{{.iss = R"("https://id.example.com\u0000")"}, "its issuer is"},
           LineRow{{.iss = R"("https://evil.example.com")"}, "not \"https://id.example.com\""},
           LineRow{{.aud = ""}, "\"aud\" must be present"},
           LineRow{{.aud = "null"}, "\"aud\" must be present"},
           LineRow{{.aud = "\"\""}, "\"aud\" must be present"},
           LineRow{{.aud = "[]"}, "\"aud\" must be present"},
           LineRow{{.aud = R"([""])"}, "\"aud\" must be present"},
           LineRow{{.aud = R"(["https://koya.example.com",1])"}, "\"aud\" must be present"},
           LineRow{{.aud = R"([["https://koya.example.com"]])"}, "\"aud\" must be present"},
           LineRow{{.aud = R"({"https://koya.example.com":true})"}, "\"aud\" must be present"},
           LineRow{{.aud = R"("https://other.example.com")"}, "it is for"},
           LineRow{{.aud = R"("https://koya.example.com/")"}, "it is for"},
           LineRow{{.aud = R"("https://koya.example.com.evil")"}, "it is for"},
           LineRow{{.aud = R"("https://koya.example.co")"}, "it is for"},
           LineRow{{.aud = R"(["a","b"])"}, "it is for \"a\", not for"},
           LineRow{{.aud = R"(["https://koya.example.com","b"])", .more = R"(,"azp":"b")"}, "azp"},
           LineRow{{.aud = R"(["https://koya.example.com","b"])", .more = R"(,"azp":"")"}, "azp"},
           LineRow{{.more = R"(,"azp":["b"])"}, "\"azp\" must be text"},
           LineRow{{.sub = ""}, "\"sub\" must be present"},
           LineRow{{.sub = "\"\""}, "\"sub\" must be present"},
           LineRow{{.sub = "17"}, "\"sub\" must be present"},
           LineRow{{.sub = R"(["u-1"])"}, "\"sub\" must be present"},
           LineRow{{.sub = R"("u-1\u0000admin")"}, "without control characters"},
           LineRow{{.sub = R"("u-1\n")"}, "without control characters"},
           LineRow{{.sub = R"("\u007f")"}, "without control characters"},
           LineRow{{.sub = '"' + std::string(1025, 'u') + '"'}, "at most 1024 bytes"},
       }) {
    ExpectRefused(TokenOf(row.told.Json()), row.why);
  }
}

TEST(JwtClaimsTest, RefusesWrongTimes) {
  for (const LineRow& row : {
           LineRow{{.exp = ""}, "never expires"},
           LineRow{{.exp = "null"}, "\"exp\" must be a time"},
           LineRow{{.exp = R"("1733011500")"}, "\"exp\" must be a time"},
           LineRow{{.exp = "true"}, "\"exp\" must be a time"},
           LineRow{{.exp = "[1733011500]"}, "\"exp\" must be a time"},
           LineRow{{.exp = "-1"}, "\"exp\" must be a time"},
           LineRow{{.exp = "1e300"}, "\"exp\" must be a time"},
           LineRow{{.exp = "9223372036854775807"}, "\"exp\" must be a time"},
           LineRow{{.exp = "18446744073709551615"}, "\"exp\" must be a time"},
           LineRow{{.exp = "253402300800"}, "\"exp\" must be a time"},
           LineRow{{.exp = "1733011500000"}, "\"exp\" must be a time"},  // in milliseconds
           LineRow{{.exp = "0"}, "it expired at 1970-01-01T00:00:00Z"},
           LineRow{{.exp = "1733011140"}, "it expired at 2024-11-30T23:59:00Z"},
           LineRow{{.exp = "1733011140.9"}, "it expired at"},
           LineRow{{.more = R"(,"nbf":1733011261)"}, "not valid before"},
           LineRow{{.more = R"(,"nbf":"soon")"}, "\"nbf\" must be a time"},
           LineRow{{.more = R"(,"nbf":null)"}, "\"nbf\" must be a time"},
           LineRow{{.more = R"(,"iat":1733011261)"}, "issued in the future"},
           LineRow{{.more = R"(,"iat":253402300799)"}, "issued in the future"},
           LineRow{{.more = R"(,"iat":"now")"}, "\"iat\" must be a time"},
           LineRow{{.more = R"(,"auth_time":"now")"}, "\"auth_time\" must be a time"},
       }) {
    ExpectRefused(TokenOf(row.told.Json()), row.why);
  }
}

TEST(JwtClaimsTest, RefusesWhatIsNoObjectOfClaims) {
  struct Row {
    std::string claims;
    std::string_view why;
  };
  const std::string good = Told{}.Json();
  for (const Row& row : {
           Row{"x", "not valid JSON"},
           Row{"[]", "must be a JSON object"},
           Row{"[" + good + "]", "must be a JSON object"},
           Row{"\"" + InBase64Url(good) + "\"", "must be a JSON object"},
           Row{TokenOf(good), "not valid JSON"},  // a token in a token
           Row{good + good, "not valid JSON"},
           Row{good.substr(0, good.size() - 1), "not valid JSON"},
           Row{"\xef\xbb\xbf" + good, "not valid JSON"},
           Row{Told{.more = R"(,"sub":"u-2")"}.Json(), "has a member twice"},
           Row{Told{.more = R"(,"sub":"u-1")"}.Json(), "has a member twice"},
           Row{Told{.more = R"(,"a\u0075d":"x")"}.Json(), "has a member twice"},
           Row{Told{.more = R"(,"y":{"z":[{"a":1,"a":1}]})"}.Json(), "has a member twice"},
           Row{Told{.more = ",\"y\":\"\xc0\x80\""}.Json(), "not valid JSON"},
           Row{Told{.more = R"(,"y":"\ud800")"}.Json(), "not valid JSON"},
           Row{Told{.more = ",\"y\":" + std::string(40, '[') + std::string(40, ']')}.Json(),
               "not valid JSON"},
           Row{Told{.more = R"(,"y":NaN)"}.Json(), "not valid JSON"},
       }) {
    ExpectRefused(TokenOf(row.claims), row.why);
  }
}

TEST(JwtClaimsTest, TakesWhatIssuersWrite) {
  for (const Told& told : {
           Told{},
           Told{.aud = R"(["https://koya.example.com"])"},
           Told{.aud = R"(["a","https://koya.example.com"])"},
           Told{.aud = R"(["a","https://koya.example.com"])",
                .more = R"(,"azp":"https://koya.example.com")"},
           Told{.more = R"(,"azp":"another")"},  // for a single audience, azp adds nothing
           Told{.sub = R"("日本")"},
           Told{.sub = '"' + std::string(1024, 'u') + '"'},
           Told{.exp = "1733011141"},  // the clocks may differ by a minute
           Told{.exp = "1733011500.5"},
           Told{.exp = "1.7330115e9"},
           Told{.exp = "253402300799"},
           Told{.more = R"(,"nbf":1733011260,"iat":1733011260)"},
           Told{.more = R"(,"nbf":0,"iat":0,"nonce":"not asked for")"},
           Told{.more = R"(,"y":{"deep":[{"er":null}]})"},
       }) {
    const auto outcome = Verified(told.Json());
    EXPECT_EQ(outcome.verdict, JwtVerdict::kAccepted);
    EXPECT_TRUE(outcome.claims) << told.Json() << outcome.claims.error().message;
  }
}

TEST(JwtClaimsTest, TheNonceBelongsToTheSignIn) {
  Expectations expected = TestExpectations();
  expected.nonce = "n-1";
  EXPECT_TRUE(Verified(Told{.more = R"(,"nonce":"n-1")"}.Json(), expected).claims);
  for (std::string_view more :
       {"", R"(,"nonce":"")", R"(,"nonce":"n-")", R"(,"nonce":"n-2")", R"(,"nonce":"N-1")",
        R"(,"nonce":"n-1 ")", R"(,"nonce":"n-1\u0000")", R"(,"Nonce":"n-1")"}) {
    const std::string token = TokenOf(Told{.more = std::string(more)}.Json());
    ExpectRefused(VerifyJwt(token, TestIssuer::Get().keys, expected), token, "(nonce)");
  }
  const std::string list = TokenOf(Told{.more = R"(,"nonce":["n-1"])"}.Json());
  ExpectRefused(VerifyJwt(list, TestIssuer::Get().keys, expected), list, "\"nonce\" must be text");
  expected.nonce = "";
  const std::string empty = TokenOf(Told{.more = R"(,"nonce":"")"}.Json());
  ExpectRefused(VerifyJwt(empty, TestIssuer::Get().keys, expected), empty, "(nonce)");
}

TEST(JwtClaimsTest, ASignInMayBeTooOld) {
  Expectations expected = TestExpectations();
  expected.max_age = std::chrono::seconds(600);
  for (std::string_view good :
       {"1733010540", "1733011200", "1733011250"}) {  // 660 s ago, now, soon
    EXPECT_TRUE(
        Verified(Told{.more = ",\"auth_time\":" + std::string(good)}.Json(), expected).claims);
  }
  for (std::string_view bad : {"", ",\"auth_time\":1733010539", ",\"auth_time\":0"}) {
    const std::string token = TokenOf(Told{.more = std::string(bad)}.Json());
    ExpectRefused(VerifyJwt(token, TestIssuer::Get().keys, expected), token, "(auth_time)");
  }
}

TEST(JwtClaimsTest, NothingIsExpectedOfNobody) {
  for (Expectations expected : {Expectations{.issuer = "", .audience = "a", .now = kTestNow},
                                Expectations{.issuer = "i", .audience = "", .now = kTestNow}}) {
    for (std::string_view claims : {R"({"iss":"","aud":"a","sub":"s","exp":1733011500})",
                                    R"({"iss":"i","aud":"","sub":"s","exp":1733011500})",
                                    R"({"iss":"i","aud":"a","sub":"s","exp":1733011500})"}) {
      EXPECT_FALSE(Verified(claims, expected).claims) << claims;
    }
  }
}

TEST(JwtClaimsTest, ClocksMayDifferByTheSkewThatIsGiven) {
  Expectations expected = TestExpectations();
  expected.skew = std::chrono::seconds(0);
  EXPECT_TRUE(Verified(Told{.exp = "1733011201"}.Json(), expected).claims);
  EXPECT_FALSE(Verified(Told{.exp = "1733011200"}.Json(), expected).claims);
  EXPECT_FALSE(Verified(Told{.more = R"(,"nbf":1733011201)"}.Json(), expected).claims);
}

}  // namespace
}  // namespace koya::oidc
