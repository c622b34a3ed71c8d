#include "app/set_up.h"

#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/temp_folder_fake.h"
#include "catalog/catalog_parts_fake.h"
#include "service/common/leases.h"
#include "service/sign_in/sign_in_fixture_fake.h"

namespace koya {
namespace {

constexpr const char* kSetUpPassword = "correct horse battery";

// A server that shares its catalog with others.
class StartedServer {
 public:
  StartedServer(const CatalogParts& catalog, const Clock& clock, SetUpPlace place)
      : throttle_(clock),
        first_run_(catalog, catalog, work_, throttle_, clock),
        leases_(catalog, place.url),
        set_up_(first_run_, leases_, clock, log_, std::move(place),
                [this](std::string_view line) { said_.emplace_back(line); }) {}

  bool Look() { return RunTask(set_up_.CheckOnce()); }
  // As at the end of the process.
  void Stop() {
    boost::asio::io_context loop;
    boost::asio::steady_timer timer(loop);
    const std::atomic<bool> stopping = true;
    RunTask(set_up_.Run(timer, stopping));
  }
  Result<AccountRecord> MakeRoot(std::string token) {
    const service::Browser browser{"192.0.2.1", "Test/1"};
    return RunTask(first_run_.SetUp(browser, std::move(token), "root", kSetUpPassword,
                                    {Visibility::kPrivate, {}}));
  }

  const std::vector<std::string>& said() const { return said_; }
  LogCapture& log() { return captured_; }

 private:
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  service::PasswordWork work_{{.memory_kib = 64, .passes = 1}};
  service::SignInThrottle throttle_;
  service::FirstRun first_run_;
  service::Leases leases_;
  std::vector<std::string> said_;
  SetUp set_up_;
};

class SetUpTest : public ::testing::Test {
 protected:
  std::unique_ptr<StartedServer> Start(const std::string& name, bool on_terminal = false) {
    SetUpPlace place{.file = FileOf(name),
                     .url = "https://" + name + ".example.com",
                     .on_terminal = on_terminal};
    return std::make_unique<StartedServer>(catalog_, clock_, std::move(place));
  }
  std::filesystem::path FileOf(const std::string& name) const {
    return folder_ / (name + ".token");
  }
  // "" without a file.
  std::string TokenIn(const std::string& name) const {
    std::ifstream stream(FileOf(name), std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(stream), {});
    if (!text.empty()) {
      EXPECT_EQ(text.back(), '\n');
      text.pop_back();
    }
    return text;
  }
  // The token in `line`; "" if it holds none.
  static std::string TokenSaid(const std::string& line) {
    std::size_t begin = line.find("koya_");
    return begin == line.npos ? "" : line.substr(begin, line.find(' ', begin) - begin);
  }

  TempFolder folder_;
  ManualClock clock_;
  TestCatalog catalog_;
};

TEST_F(SetUpTest, ATerminalIsToldTheTokenAndNoFileHoldsIt) {
  auto server = Start("a", true);
  EXPECT_FALSE(server->Look());
  ASSERT_EQ(server->said().size(), 1U);
  const std::string line = server->said().front();
  EXPECT_TRUE(line.starts_with("koya: set-up token koya_")) << line;
  EXPECT_TRUE(line.contains("https://a.example.com/-/first-run")) << line;
  EXPECT_TRUE(line.contains("koya setup --server https://a.example.com")) << line;
  EXPECT_FALSE(std::filesystem::exists(FileOf("a")));
  const std::string token = TokenSaid(line);
  EXPECT_FALSE(server->log().Text().contains(token)) << "the log never holds it";
  EXPECT_TRUE(server->log().Text().contains("set-up token created"));
  EXPECT_TRUE(server->MakeRoot(token));
}

TEST_F(SetUpTest, WhereOutputGoesToALogTheTokenIsInAFileForTheOwnerAlone) {
  const mode_t before = ::umask(0);
  auto server = Start("a");
  EXPECT_FALSE(server->Look());
  ::umask(before);
  const std::string token = TokenIn("a");
  ASSERT_TRUE(token.starts_with("koya_")) << token;
  struct stat status = {};
  ASSERT_EQ(::stat(FileOf("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  ASSERT_EQ(server->said().size(), 1U);
  const std::string line = server->said().front();
  EXPECT_TRUE(line.starts_with("koya: set-up token is in " + FileOf("a").string())) << line;
  EXPECT_EQ(TokenSaid(line), "");
  EXPECT_FALSE(server->log().Text().contains(token));
  EXPECT_TRUE(server->MakeRoot(token));
}

TEST_F(SetUpTest, ItIsToldOnce) {
  auto server = Start("a");
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(server->Look());
  EXPECT_EQ(server->said().size(), 1U);
  EXPECT_TRUE(server->MakeRoot(TokenIn("a"))) << "and no later one took its place";
}

TEST_F(SetUpTest, WhenItsHourIsOverThereIsAnother) {
  auto one = Start("a");
  auto other = Start("b");
  one->Look();
  other->Look();
  const std::string before = TokenIn("a");
  clock_.now += 3599;
  one->Look();
  EXPECT_EQ(TokenIn("a"), before) << "it is good for a second more";
  clock_.now += 1;
  Result<AccountRecord> late = one->MakeRoot(before);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::kUnauthenticated);
  other->Look();
  EXPECT_TRUE(other->said().empty()) << "it is for whoever made the one before";
  EXPECT_FALSE(one->Look());
  EXPECT_EQ(one->said().size(), 2U);
  const std::string now = TokenIn("a");
  EXPECT_NE(now, before);
  ASSERT_FALSE(one->MakeRoot(before));
  EXPECT_TRUE(other->MakeRoot(now));
  clock_.now += 3600;
  EXPECT_TRUE(one->Look());
  EXPECT_EQ(one->said().size(), 2U) << "there is nothing to set up any more";
}

TEST_F(SetUpTest, WhereThereIsAnAdministratorNothingIsToldAndAnOldFileGoes) {
  auto first = Start("a", true);
  first->Look();
  ASSERT_TRUE(first->MakeRoot(TokenSaid(first->said().front())));
  folder_.Write("b.token", "koya_of_an_earlier_start\n");
  auto second = Start("b");
  EXPECT_TRUE(second->Look());
  EXPECT_TRUE(second->said().empty());
  EXPECT_FALSE(std::filesystem::exists(FileOf("b")));
}

TEST_F(SetUpTest, TheFileGoesWhenAnotherServerMakesTheAdministrator) {
  auto one = Start("a");
  auto other = Start("b");
  EXPECT_FALSE(one->Look());
  EXPECT_FALSE(other->Look());
  EXPECT_TRUE(other->said().empty()) << "one token between them";
  EXPECT_EQ(TokenIn("b"), "");
  ASSERT_TRUE(other->MakeRoot(TokenIn("a"))) << "which each of them takes";
  EXPECT_TRUE(one->Look());
  EXPECT_FALSE(std::filesystem::exists(FileOf("a")));
  EXPECT_TRUE(other->Look());
}

TEST_F(SetUpTest, AServerThatStopsLeavesItToTheOthers) {
  auto one = Start("a");
  auto other = Start("b");
  one->Look();
  other->Look();
  const std::string before = TokenIn("a");
  one->Stop();
  EXPECT_FALSE(other->Look());
  ASSERT_EQ(other->said().size(), 1U);
  const std::string now = TokenIn("b");
  EXPECT_NE(now, before);
  Result<AccountRecord> refused = other->MakeRoot(before);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnauthenticated) << "the new one took its place";
  EXPECT_TRUE(other->MakeRoot(now));
}

TEST_F(SetUpTest, AServerThatStopsWithoutHavingToldLeavesTheLease) {
  auto one = Start("a");
  auto other = Start("b");
  one->Look();
  other->Look();
  other->Stop();
  auto third = Start("c");
  EXPECT_FALSE(third->Look());
  EXPECT_TRUE(third->said().empty());
  EXPECT_TRUE(third->MakeRoot(TokenIn("a")));
}

TEST_F(SetUpTest, ATokenThatCannotBeToldIsTriedAgain) {
  auto server = Start("later/a");
  EXPECT_FALSE(server->Look());
  EXPECT_FALSE(server->Look());
  EXPECT_TRUE(server->said().empty());
  EXPECT_EQ(server->log().Lines().size(), 1U) << "it is said once: " << server->log().Text();
  std::filesystem::create_directories(folder_ / "later");
  EXPECT_FALSE(server->Look());
  EXPECT_EQ(server->said().size(), 1U);
  EXPECT_TRUE(server->MakeRoot(TokenIn("later/a")));
}

}  // namespace
}  // namespace koya
