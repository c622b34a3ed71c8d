#include "upstream/modules/git_server_fake.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <span>

#include "base/encoding.h"
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

// ---- objects and packs, as gitformat-pack(5) has them ----

enum ObjectType { kCommit = 1, kTree = 2, kBlob = 3, kOffsetDelta = 6 };

// The binary id of `header` ("blob 5") and what follows it: `content`, then `zeros`.
std::string ObjectId(const std::string& header, std::string_view content, std::size_t zeros = 0) {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> hash(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestInit_ex(hash.get(), EVP_sha1(), nullptr);
  EVP_DigestUpdate(hash.get(), header.c_str(), header.size() + 1);
  EVP_DigestUpdate(hash.get(), content.data(), content.size());
  const std::string block(1 << 20, '\0');
  for (; zeros > 0; zeros -= std::min(zeros, block.size())) {
    EVP_DigestUpdate(hash.get(), block.data(), std::min(zeros, block.size()));
  }
  std::string id(20, '\0');
  EVP_DigestFinal_ex(hash.get(), reinterpret_cast<unsigned char*>(id.data()), nullptr);
  return id;
}

std::string Hex(std::string_view bytes) { return HexEncode(std::as_bytes(std::span(bytes))); }

std::string Deflated(std::string_view text) {
  uLongf size = ::compressBound(text.size());
  std::string packed(size, '\0');
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(text.data()), text.size());
  return packed.substr(0, size);
}

// Seven bits a byte, the lowest first.
std::string Varint(std::size_t value) {
  std::string out;
  for (; value > 0x7F; value >>= 7) out += static_cast<char>(0x80 | (value & 0x7F));
  return out + static_cast<char>(value);
}

std::string PackHeader(ObjectType type, std::size_t size) {
  char first = static_cast<char>((type << 4) | (size & 0xF));
  if (size < 16) return {first};
  return static_cast<char>(first | 0x80) + Varint(size >> 4);
}

// How far back a delta's base lies: seven bits a byte, the highest first, each one less.
std::string BackBy(std::size_t distance) {
  std::string out(1, static_cast<char>(distance & 0x7F));
  while ((distance >>= 7) != 0) {
    --distance;
    out.insert(out.begin(), static_cast<char>(0x80 | (distance & 0x7F)));
  }
  return out;
}

std::string Plain(ObjectType type, std::string_view content) {
  return PackHeader(type, content.size()) + Deflated(content);
}

}  // namespace

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

std::string FakeRepository::Commit(std::string_view ref, History history) {
  std::string text = "commit refs/heads/main\ncommitter A <a@a.test> 1767322984 +0000\n" +
                     Data("A change") +
                     (history == History::kKept ? "from refs/heads/main^0\n" : "") + "deleteall\n" +
                     std::exchange(stream_, {});
  std::string git = fmt::format("{} git --git-dir={}", kQuiet, path().string());
  fs::path stream = folder_.Write("stream", text);
  Output(fmt::format("{} fast-import --quiet --force <{}", git, stream.string()));
  Output(fmt::format("{} update-ref {} refs/heads/main", git, ref));
  std::string id = Output(git + " rev-parse refs/heads/main");
  return id.substr(0, id.size() - 1);
}

void FakeRepository::CommitExploding(std::string_view ref, std::size_t times) {
  constexpr std::size_t kCopied = 0xFFFFFF;  // the most of one instruction
  const std::string base(kCopied, '\0');
  std::size_t size = kCopied * times;
  std::string delta = Varint(kCopied) + Varint(size);
  for (std::size_t i = 0; i < times; ++i) delta += "\xF0\xFF\xFF\xFF";
  std::string tree;
  tree.append("100644 base").append(1, '\0') +=
      ObjectId(fmt::format("blob {}", kCopied), "", kCopied);
  tree.append("100644 main.tf").append(1, '\0') += ObjectId(fmt::format("blob {}", size), "", size);
  std::string commit = fmt::format(
      "tree {}\nauthor A <a@a.test> 0 +0000\ncommitter A <a@a.test> 0 +0000\n\nA change\n",
      Hex(ObjectId(fmt::format("tree {}", tree.size()), tree)));
  std::string blob = Plain(kBlob, base);
  std::string pack("PACK\0\0\0\2\0\0\0\4", 12);
  pack += blob + PackHeader(kOffsetDelta, delta.size()) + BackBy(blob.size()) + Deflated(delta);
  pack += Plain(kTree, tree) + Plain(kCommit, commit);
  std::string trailer(20, '\0');
  EVP_Digest(pack.data(), pack.size(), reinterpret_cast<unsigned char*>(trailer.data()), nullptr,
             EVP_sha1(), nullptr);
  std::string git = fmt::format("{} git --git-dir={}", kQuiet, path().string());
  Output(fmt::format("{} index-pack --stdin <{}", git,
                     folder_.Write("pack", pack + trailer).string()));
  Output(fmt::format("{} update-ref {} {}", git, ref,
                     Hex(ObjectId(fmt::format("commit {}", commit.size()), commit))));
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
