#include "upstream/git_server_fake.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <fstream>

#include "upstream/child_program.h"

namespace koya::upstream {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kQuiet =
    "GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_HTTP_EXPORT_ALL=1";

std::string Data(std::string_view data) { return fmt::format("data {}\n{}\n", data.size(), data); }

std::string Field(const http::ScriptedRequest& request, const std::string& name) {
  auto found = request.fields.find(name);
  return found == request.fields.end() ? std::string() : found->second;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "koya-git-XXXXXX").string();
  path_ = ::mkdtemp(name.data());
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path ScratchFolder::Write(std::string_view name, std::string_view text) const {
  fs::path path = path_ / name;
  std::ofstream(path) << text;
  return path;
}

std::string Output(const std::string& shell_command) {
  auto said = RunChild({.command = {"/bin/sh", "-c", shell_command},
                        .timeout = std::chrono::seconds(60),
                        .max_output = 64 << 20,
                        .max_errors = 4096});
  if (said) return *std::move(said);
  ADD_FAILURE() << shell_command << ": " << said.error().message << said.error().detail;
  return {};
}

FakeRepository::FakeRepository() {
  Output(fmt::format("{} git init -q --bare -b main {}", kQuiet, path().string()));
  Output(
      fmt::format("git --git-dir={} config uploadpack.allowAnySHA1InWant true", path().string()));
}

FakeRepository& FakeRepository::File(std::string_view path, std::string_view data,
                                     std::string_view mode) {
  stream_ += fmt::format("M {} inline {}\n", mode, path) + Data(data);
  return *this;
}

FakeRepository& FakeRepository::Submodule(std::string_view path) {
  stream_ += fmt::format("M 160000 {} {}\n", std::string(40, '5'), path);
  return *this;
}

std::string FakeRepository::Commit(std::string_view ref) {
  std::string text = "commit refs/heads/main\ncommitter A <a@a.test> 1767322984 +0000\n" +
                     Data("A change") + "deleteall\n" + std::exchange(stream_, {});
  std::string git = fmt::format("{} git --git-dir={}", kQuiet, path().string());
  fs::path stream = folder_.Write("stream", text);
  Output(fmt::format("{} fast-import --quiet --force <{}", git, stream.string()));
  Output(fmt::format("{} update-ref {} refs/heads/main", git, ref));
  std::string id = Output(git + " rev-parse refs/heads/main");
  return id.substr(0, id.size() - 1);
}

http::ScriptedAnswer FakeRepository::Answer(const http::ScriptedRequest& request) const {
  std::size_t question = request.target.find('?');
  std::string query =
      question == std::string::npos ? std::string() : request.target.substr(question + 1);
  fs::path body = folder_.Write("body", request.body);
  // It ends with a failure after answers of failure, which are answers all the same: their Status
  // line is handed on, and tests look at it.
  std::string said = Output(fmt::format(
      "{} GIT_PROJECT_ROOT='{}' PATH_INFO='{}' QUERY_STRING='{}' REQUEST_METHOD={} "
      "CONTENT_TYPE='{}' CONTENT_LENGTH={} HTTP_CONTENT_ENCODING='{}' GIT_PROTOCOL='{}' "
      "git http-backend <{} 2>/dev/null || true",
      kQuiet, folder_.path().string(), request.target.substr(0, question), query, request.method,
      Field(request, "content-type"), request.body.size(), Field(request, "content-encoding"),
      Field(request, "git-protocol"), body.string()));
  http::ScriptedAnswer answer;
  std::size_t end = said.find("\r\n\r\n");
  for (std::size_t at = 0; end != std::string::npos && at < end;) {
    std::string line = said.substr(at, said.find("\r\n", at) - at);
    at += line.size() + 2;
    std::size_t colon = line.find(": ");
    std::string name = line.substr(0, colon);
    std::string value = line.substr(colon + 2);
    if (name == "Status") {
      std::from_chars(value.data(), value.data() + value.size(), answer.status);
    } else {
      answer.fields.emplace_back(name, value);
    }
  }
  if (end != std::string::npos) answer.body = said.substr(end + 4);
  return answer;
}

}  // namespace koya::upstream
