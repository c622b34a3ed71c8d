#include "upstream/modules/git_package.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/temp_folder_fake.h"
#include "upstream/modules/git_server_fake.h"
#include "upstream/upstream_fixture_fake.h"

namespace koya::upstream {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;

std::string Noise(std::size_t size, unsigned seed = 1) {
  std::string noise(size, '\0');
  std::ranges::generate(noise, [engine = std::minstd_rand(seed)]() mutable {
    return static_cast<char>(engine() >> 8);
  });
  return noise;
}

class GitPackageTest : public UpstreamTest {
 protected:
  GitPackageTest() {
    server_ = Serve(Respond([this](const ScriptedRequest& request) {
      if (auto answer = InsteadFor(request.target)) return *std::move(answer);
      if (!plain_web_server_) return repository_.Answer(request);
      ScriptedRequest of_a_file = request;
      of_a_file.target.resize(std::min(request.target.find('?'), request.target.size()));
      return repository_.Answer(of_a_file);
    }));
  }

  // Responses for targets that contain these texts. A git that was ended may still be served.
  using Instead = std::vector<std::pair<std::string, ScriptedAnswer>>;
  void Answer(Instead instead) {
    std::lock_guard lock(mutex_);
    instead_ = std::move(instead);
  }
  std::optional<ScriptedAnswer> InsteadFor(const std::string& target) {
    std::lock_guard lock(mutex_);
    for (const auto& [part, answer] : instead_) {
      if (target.contains(part)) return answer;
    }
    return std::nullopt;
  }

  GitLocation At(const std::string& ref) const {
    return {.url = *http::ParseUrl(server_->url() + "/r.git"), .ref = ref};
  }

  Result<GitPackage> Fetch(const GitLocation& location, const GitPrograms& programs = {},
                           std::optional<UpstreamOptions> options = std::nullopt) {
    auto fetcher = MakeFetcher(options.value_or(Options()));
    UniqueFd file(::open(archive().c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    auto package = GitPackages(*fetcher, programs)
                       .Fetch({.location = location,
                               .file = file.get(),
                               .scratch = scratch_.path(),
                               .max_bytes = max_bytes_,
                               .patience = {.deadline = clock_.Now() + time_}});
    EXPECT_TRUE(std::filesystem::is_empty(scratch_.path()));
    return package;
  }

  void ExpectFailure(const Result<GitPackage>& package, ErrorKind kind, std::string_view words) {
    ASSERT_FALSE(package) << words;
    EXPECT_EQ(package.error().kind, kind) << package.error().message;
    EXPECT_NE(package.error().message.find(words), std::string::npos)
        << package.error().message << "\n"
        << package.error().detail;
  }

  std::string archive() const { return (folder_.path() / "archive").string(); }
  std::string Names() const { return Output("tar -tzf " + archive()); }
  std::string Text(const std::string& name) const {
    return Output(fmt::format("tar -xzOf {} {}", archive(), name));
  }

  TempFolder folder_;
  TempFolder scratch_;
  FakeRepository repository_;
  std::mutex mutex_;
  Instead instead_;
  std::atomic<bool> plain_web_server_ = false;  // knows nothing of git: its "dumb" protocol
  std::unique_ptr<http::ScriptedServer> server_;
  std::uint64_t max_bytes_ = 64 << 20;
  std::chrono::milliseconds time_{60'000};
};

TEST_F(GitPackageTest, BringsTagsBranchesAndCommits) {
  std::string first = repository_.File("main.tf", "# 1\n").Commit("refs/tags/v1.0.0");
  repository_.File("main.tf", "# 2\n").File("modules/x/main.tf", "").Commit("refs/heads/feature/x");
  repository_.File("main.tf", "# 3\n").Commit("refs/heads/v1.0");
  for (auto [ref, text] :
       std::vector<std::pair<std::string, std::string>>{{"v1.0.0", "# 1\n"},
                                                        {"refs/tags/v1.0.0", "# 1\n"},
                                                        {first, "# 1\n"},
                                                        {"feature/x", "# 2\n"},
                                                        {"", "# 3\n"}}) {
    auto package = Fetch(At(ref));
    ASSERT_TRUE(package) << ref << package.error().message << package.error().detail;
    EXPECT_EQ(package->size, std::filesystem::file_size(archive()));
    EXPECT_TRUE(package->warnings.empty());
    EXPECT_EQ(Text("main.tf"), text) << ref;
  }
  ASSERT_TRUE(Fetch(At("feature/x")));
  EXPECT_EQ(Names(), "main.tf\nmodules/\nmodules/x/\nmodules/x/main.tf\n");
}

TEST_F(GitPackageTest, TheBytesAreTheRepositorysWhateverItsAttributesSay) {
  constexpr std::string_view kAttributes =
      "* export-subst ident text eol=crlf filter=lfs working-tree-encoding=UTF-16\n"
      "hidden.tf export-ignore\nsecret/ export-ignore\n";
  repository_.File(".gitattributes", kAttributes)
      .File("main.tf", "# $Format:%H$ $Id$\r\n#\n")
      .File("hidden.tf", "a")
      .File("secret/b.tf", "b")
      .File("run", "#!/bin/sh\n", "100755")
      .File("link", "main.tf", "120000")
      .Commit("refs/tags/v1");
  auto package = Fetch(At("v1"));
  ASSERT_TRUE(package) << package.error().message << package.error().detail;
  EXPECT_EQ(Text("main.tf"), "# $Format:%H$ $Id$\r\n#\n");
  EXPECT_EQ(Text(".gitattributes"), kAttributes);
  EXPECT_EQ(Text("hidden.tf") + Text("secret/b.tf"), "ab");
  EXPECT_NE(Output("tar -tvzf " + archive()).find("link -> main.tf"), std::string::npos);
}

TEST_F(GitPackageTest, SubmodulesStayAway) {
  repository_.File("main.tf", "")
      .File(".gitmodules", "[submodule \"s\"]\npath = s\nurl = https://127.0.0.1:1/s\n")
      .Submodule("s")
      .Commit("refs/tags/v1");
  auto package = Fetch(At("v1"));
  ASSERT_TRUE(package) << package.error().message;
  ASSERT_EQ(package->warnings.size(), 1u);
  EXPECT_NE(package->warnings[0].find("submodules, which are not fetched: s"), std::string::npos);
  EXPECT_EQ(Names(), ".gitmodules\nmain.tf\ns/\n");
}

TEST_F(GitPackageTest, SaysWhatIsNotThere) {
  repository_.File("main.tf", "").Commit("refs/tags/v1");
  ExpectFailure(Fetch(At("v2")), ErrorKind::kNotFound, "no branch, tag or commit \"v2\"");
  ExpectFailure(Fetch(At(std::string(40, 'a'))), ErrorKind::kNotFound, "no branch, tag or commit");
  GitLocation elsewhere = At("v1");
  elsewhere.url.path = "/other.git";
  instead_.emplace_back("/other.git", ScriptedAnswer{.status = 404});
  ExpectFailure(Fetch(elsewhere), ErrorKind::kNotFound, "answered 404");
}

TEST_F(GitPackageTest, SaysWhatIsNoRepository) {
  repository_.File("main.tf", "").Commit("refs/tags/v1");
  struct Case {
    ScriptedAnswer answer;
    std::string_view words;
  };
  for (const Case& each : {
           Case{{.status = 401}, "without credentials"},
           Case{{.status = 403}, "answered 403"},
           Case{{.status = 500}, "answered 500"},
           Case{{.fields = {{"Content-Type", "text/html"}}, .body = "<html>"}, "text/html"},
           Case{{.fields = {{"Content-Type", "text/plain"}}, .body = "a\trefs/tags/v1\n"},
                "text/plain"},
           Case{{.status = 302, .fields = {{"Location", "/login?from=x"}}}, "Content-Type"},
           Case{{.status = 302, .fields = {{"Location", "http://127.0.0.1/r.git/info/refs"}}},
                "not https"},
           Case{{.status = 302, .fields = {{"Location", "https://10.0.0.1/r.git/info/refs"}}},
                "private address"},
       }) {
    Answer({{"/info/refs", each.answer},
            {"/login", {.fields = {{"Content-Type", "text/html"}}, .body = "<html>"}}});
    ExpectFailure(Fetch(At("v1")), ErrorKind::kBadUpstream, each.words);
  }
}

TEST_F(GitPackageTest, FollowsARedirectOfTheRepositoryAlone) {
  repository_.File("main.tf", "").Commit("refs/tags/v1");
  GitLocation old = At("v1");
  old.url.path = "/old";
  Answer({{"/old/info/refs",
           {.status = 301, .fields = {{"Location", "/r.git/info/refs?service=git-upload-pack"}}}}});
  auto package = Fetch(old);
  EXPECT_TRUE(package) << package.error().message << package.error().detail;

  auto other = Serve(ScriptedAnswer{.status = 500});
  Answer({{"/git-upload-pack",
           {.status = 307, .fields = {{"Location", other->url() + "/r.git/git-upload-pack"}}}}});
  ExpectFailure(Fetch(At("v1")), ErrorKind::kBadUpstream, "cannot be fetched");
  EXPECT_TRUE(other->requests().empty());
}

TEST_F(GitPackageTest, ConnectsToAllowedAddressesOnly) {
  repository_.File("main.tf", "").Commit("refs/tags/v1");
  UpstreamOptions options = Options();
  options.allow_private_addresses = {};
  ExpectFailure(Fetch(At("v1"), {}, options), ErrorKind::kBadUpstream, "loopback address");
  GitLocation ssh{.url = *http::ParseUrl("ssh://localhost/r.git"), .user = "git", .ref = "v1"};
  ExpectFailure(Fetch(ssh, {}, options), ErrorKind::kBadUpstream, "loopback address");
  ssh.url.host = "nothing.invalid";
  ExpectFailure(Fetch(ssh), ErrorKind::kBadUpstream, "cannot be found");
  EXPECT_TRUE(server_->requests().empty());
}

TEST_F(GitPackageTest, StopsAtItsBounds) {
  std::string noise = Noise(2 << 20);
  repository_.File("main.tf", "").File("noise", noise).Commit("refs/tags/v1");
  ASSERT_TRUE(Fetch(At("v1")));
  max_bytes_ = 1 << 20;
  ExpectFailure(Fetch(At("v1")), ErrorKind::kTooLarge, "1048576 bytes");

  max_bytes_ = 64 << 20;
  time_ = std::chrono::milliseconds(1'500);
  Answer({{"/git-upload-pack", {.silent = true, .held = true}}});
  ExpectFailure(Fetch(At("v1")), ErrorKind::kUpstreamTimeout, "not fetched in time");
}

TEST_F(GitPackageTest, APackThatExplodesInMemoryIsRefused) {
  repository_.CommitExploding("refs/tags/v1", 24);
  UpstreamOptions options = Options();
  options.git_memory = 256 << 20;
  ExpectFailure(Fetch(At("v1"), {}, options), ErrorKind::kTooLarge, "limits.git_memory");
  repository_.File("main.tf", "").Commit("refs/tags/v2");
  auto package = Fetch(At("v2"), {}, options);
  EXPECT_TRUE(package) << package.error().message << package.error().detail;
}

TEST_F(GitPackageTest, TakesRepositoriesFromPlainWebServers) {
  plain_web_server_ = true;
  std::string first = repository_.File("main.tf", "# 1\n").Commit("refs/tags/v1");
  repository_.File("main.tf", "# 2\n").File("noise", Noise(3 << 19)).Commit("refs/heads/next");
  for (auto [ref, text] : std::vector<std::pair<std::string, std::string>>{
           {"v1", "# 1\n"}, {first, "# 1\n"}, {"next", "# 2\n"}, {"", "# 2\n"}}) {
    auto package = Fetch(At(ref));
    ASSERT_TRUE(package) << ref << package.error().message << package.error().detail;
    EXPECT_EQ(Text("main.tf"), text) << ref;
  }
  ExpectFailure(Fetch(At("v2")), ErrorKind::kNotFound, "no branch, tag or commit \"v2\"");
  // Each object on its own is small enough.
  for (unsigned seed : {2U, 3U, 4U}) {
    repository_.File("noise", Noise(3 << 19, seed))
        .Commit("refs/heads/next", FakeRepository::History::kKept);
  }
  max_bytes_ = 2 << 20;
  ExpectFailure(Fetch(At("next")), ErrorKind::kTooLarge, "2097152 bytes");
}

TEST_F(GitPackageTest, NoMoreThanTwoAreFetchedAtOnce) {
  // Says that it has begun, and stays until it is ended.
  std::filesystem::path git = folder_.Write(
      "git", fmt::format("#!/bin/sh\necho >{}/$$.begun\nsleep 600\n", folder_.path().string()));
  std::filesystem::permissions(git, std::filesystem::perms::owner_all);
  auto begun = [this] {
    return std::ranges::count_if(
        std::filesystem::directory_iterator(folder_.path()),
        [](const auto& each) { return each.path().extension() == ".begun"; });
  };
  UpstreamOptions options = Options();
  options.allow_private_addresses.push_back("::1/128");
  auto fetcher = MakeFetcher(options);
  GitPackages packages(*fetcher, {.git = git.string()});
  GitLocation location{.url = *http::ParseUrl("ssh://localhost/r.git"), .user = "git", .ref = "v1"};
  std::stop_source stop;
  auto fetch = [&](std::chrono::milliseconds time) {
    return packages.Fetch({.location = location,
                           .file = -1,
                           .scratch = scratch_.path(),
                           .max_bytes = max_bytes_,
                           .patience = {clock_.Now() + time, stop.get_token()}});
  };
  std::vector<std::jthread> two;
  for (int i = 0; i < 2; ++i) {
    two.emplace_back([&] { EXPECT_EQ(fetch(time_).error().kind, ErrorKind::kUnavailable); });
  }
  while (begun() < 2) std::this_thread::yield();
  ExpectFailure(fetch(std::chrono::milliseconds(50)), ErrorKind::kUnavailable,
                "2 git repositories are being fetched");
  EXPECT_EQ(begun(), 2);
  stop.request_stop();  // ends the two
  ExpectFailure(fetch(time_), ErrorKind::kUnavailable, "is stopping");
}

TEST_F(GitPackageTest, SaysThatGitIsMissing) {
  repository_.File("main.tf", "").Commit("refs/tags/v1");
  ExpectFailure(Fetch(At("v1"), {.git = "/no/such/git"}), ErrorKind::kUnavailable, "install git");
}

TEST_F(GitPackageTest, SaysThatDescriptorsAreUsedUpAndNotThatGitIsMissing) {
  repository_.File("main.tf", "").Commit("refs/tags/v1");
  // A sanitizer that meets the class of a system's error for the first time needs a descriptor to
  // look at it, and there will be none: it meets the class now.
  ASSERT_EQ(ErrnoError("warm", EMFILE).limit.text(), "fixed.file_descriptors");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  // Once the repository is here, its caller gets no descriptor for the next command.
  std::filesystem::path git =
      folder_.Write("git",
                    "#!/bin/sh\ngit \"$@\" || exit\ncase \" $* \" in\n"
                    "*\" fetch \"*) prlimit --pid $PPID --nofile=3: ;;\nesac\n");
  std::filesystem::permissions(git, std::filesystem::perms::owner_all);
  auto fetcher = MakeFetcher();
  UniqueFd file(::open(archive().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  auto package = GitPackages(*fetcher, {.git = git.string()})
                     .Fetch({.location = At("v1"),
                             .file = file.get(),
                             .scratch = scratch_.path(),
                             .max_bytes = max_bytes_,
                             .patience = {.deadline = clock_.Now() + time_}});
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ExpectFailure(package, ErrorKind::kUnavailable, "too many files");
  EXPECT_EQ(package.error().message.find("install git"), std::string::npos);
  EXPECT_EQ(package.error().limit.text(), "fixed.file_descriptors");
  EXPECT_GT(package.error().retry_after, 0U);
}

TEST_F(GitPackageTest, AsksOverSshByTheAddressThatWasChecked) {
  repository_.File("main.tf", "# ssh\n").Commit("refs/tags/v1");
  // As ssh is called: options, the host, then the command for the shell there.
  std::filesystem::path ssh =
      folder_.Write("it's ssh", fmt::format("#!/bin/sh\nprintf '%s\\n' \"$@\" >{}/seen\n"
                                            "for last; do :; done\ncd {}/.. && eval \"$last\"\n",
                                            folder_.path().string(), repository_.path().string()));
  std::filesystem::permissions(ssh, std::filesystem::perms::owner_all);
  GitLocation location{.url = *http::ParseUrl("ssh://localhost:2222" + repository_.path().string()),
                       .user = "git",
                       .ref = "v1"};
  UpstreamOptions options = Options();
  options.allow_private_addresses.push_back("::1/128");
  auto package = Fetch(location, {.ssh = ssh.string()}, options);
  ASSERT_TRUE(package) << package.error().message << package.error().detail;
  EXPECT_EQ(Text("main.tf"), "# ssh\n");
  std::string seen = Output("cat " + (folder_.path() / "seen").string());
  for (std::string_view word : {"\nBatchMode=yes\n", "\nStrictHostKeyChecking=yes\n",
                                "\nHostKeyAlias=[localhost]:2222\n", "\ngit@localhost\n"}) {
    EXPECT_NE(seen.find(word), std::string::npos) << word << seen;
  }
  bool pinned = seen.find("\nHostName=127.0.0.1\n") != std::string::npos ||
                seen.find("\nHostName=::1\n") != std::string::npos;
  EXPECT_TRUE(pinned) << seen;
}

}  // namespace
}  // namespace koya::upstream
