#include "upstream/credentials.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_folder_fake.h"
#include "upstream/child_program.h"
#include "upstream/upstream_fixture_fake.h"

namespace koya::upstream {
namespace {

// A helper that runs `script` under sh.
CredentialsHelper Helper(const std::string& script) {
  // Of "get HOST" the first becomes $1 of the script.
  // On a busy machine a shell takes long to start.
  CredentialsHelper helper{.program = "/bin/sh", .arguments = {"-c", script, "helper"}};
  helper.timeout = std::chrono::minutes(1);
  return helper;
}

HostName Host(std::string_view text) { return *HostName::Parse(text); }

TEST(CredentialsHelperTest, AsksForTheHostAsPeopleWriteIt) {
  auto token = AskCredentialsHelper(Helper(R"(printf '{"token":"%s-%s","x":1}' "$1" "$2")"),
                                    Host("münchen.example:8443"));
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_EQ(*token, "get-münchen.example:8443");
  EXPECT_EQ(AskCredentialsHelper(Helper("echo '{}'"), Host("a.test")).value_or("x"), "");
}

struct BadHelper {
  std::string_view name;
  CredentialsHelper helper;
  ErrorKind kind;
  std::string_view words;
};

TEST(CredentialsHelperTest, SaysWhatWasWrongAndNeverWhatItWrote) {
  CredentialsHelper slow = Helper("sleep 30 & wait");
  slow.timeout = std::chrono::milliseconds(100);
  const std::vector<BadHelper> kRows = {
      {"absent", {.program = "/nonexistent/helper"}, ErrorKind::kNotFound, "cannot be started"},
      {"absent in PATH",
       {.program = "koya-none"},
       ErrorKind::kNotFound,
       "\"terraform-credentials-koya-none\" cannot be started"},
      {"fails", Helper("echo secret; exit 3"), ErrorKind::kRefused, "ended with status 3"},
      {"killed", Helper("kill -9 $$"), ErrorKind::kRefused, "ended by signal 9"},
      {"slow", slow, ErrorKind::kTimeout, "did not end within 100 milliseconds"},
      {"endless", Helper("yes secret"), ErrorKind::kTooLarge, "wrote more than 65536 bytes"},
      {"silent", Helper("true"), ErrorKind::kInvalid, "wrote no object"},
      {"bare", Helper("echo secret"), ErrorKind::kInvalid, "wrote no object"},
      {"array", Helper("echo '[\"secret\"]'"), ErrorKind::kInvalid, "wrote no object"},
      {"number", Helper("echo '{\"token\":5}'"), ErrorKind::kInvalid, "for a.test"},
  };
  for (const BadHelper& row : kRows) {
    auto token = AskCredentialsHelper(row.helper, Host("a.test"));
    ASSERT_FALSE(token) << row.name;
    EXPECT_EQ(token.error().kind, row.kind) << row.name << ": " << token.error().message;
    EXPECT_NE(token.error().message.find(row.words), std::string::npos) << token.error().message;
    EXPECT_EQ(token.error().message.find("secret"), std::string::npos) << token.error().message;
  }
}

TEST(CredentialsOrderTest, SettingsThenWhatIsKeptThenTheHelper) {
  FakeExchangeClock clock;
  Credentials credentials({{"a.test", "of settings"}, {"s.test", "setting"}},
                          {{"s.test", "kept", "file"}, {"k.test", "kept", "file"}},
                          Helper(R"(printf '{"token":"helped-%s"}' "$2")"), clock);
  EXPECT_EQ(credentials.FindToken(Host("s.test")).value_or(""), "setting");
  EXPECT_EQ(credentials.FindToken(Host("k.test")).value_or(""), "kept");
  EXPECT_EQ(credentials.FindToken(Host("h.test")).value_or(""), "helped-h.test");
  // What no field can hold is never sent.
  auto bad = credentials.FindToken(Host("a.test"));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message.find("of settings"), std::string::npos);
  Credentials none({}, {}, std::nullopt, clock);
  EXPECT_EQ(none.FindToken(Host("a.test")).value_or("x"), "");
}

TEST(CredentialsOrderTest, RemembersWhatTheHelperSaid) {
  TempFolder folder;
  std::string count = folder / "count";
  FakeExchangeClock clock;
  std::vector<std::string> told;
  Credentials credentials({}, {}, Helper("echo >> " + count + "; exit 1"), clock);
  auto source = credentials.Source([&](const Error& error) { told.push_back(error.message); });
  auto runs = [&] { return std::filesystem::file_size(count); };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(source(Host("a.test")), "");
  EXPECT_EQ(runs(), 1u);
  EXPECT_EQ(told.size(), 3u);
  clock.Advance(Credentials::kHelperFailureTtl);
  EXPECT_EQ(source(Host("a.test")), "");
  EXPECT_EQ(runs(), 2u);
}

}  // namespace
}  // namespace koya::upstream
