#include "blobs/s3/s3_server_fake.h"

#include <arpa/inet.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "base/encoding.h"
#include "base/sha256.h"
#include "base/text.h"

namespace koya::s3 {
namespace {

constexpr std::string_view kFakeBucket = "/koya";

std::string Decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string OperationOf(const FakeRequest& request) {
  auto has = [&](const char* name) { return request.query.contains(name); };
  const bool object = request.path != kFakeBucket;
  if (!object) return has("uploads") ? "list_uploads" : "list";
  if (request.method == "POST") return has("uploads") ? "create_upload" : "complete_upload";
  if (request.method == "PUT") return has("partNumber") ? "upload_part" : "put";
  if (request.method == "DELETE") return has("uploadId") ? "abort_upload" : "delete";
  return request.method == "HEAD" ? "head" : "get";
}

void ReadTarget(FakeRequest& request) {
  std::string_view target = request.target;
  std::size_t mark = std::min(target.find('?'), target.size());
  request.path = Decoded(target.substr(0, mark));
  target.remove_prefix(std::min(mark + 1, target.size()));
  while (!target.empty()) {
    std::string_view pair = target.substr(0, target.find('&'));
    target.remove_prefix(std::min(pair.size() + 1, target.size()));
    std::size_t equals = std::min(pair.find('='), pair.size());
    std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
    request.query[Decoded(pair.substr(0, equals))] = Decoded(value);
  }
}

FakeRequest ReadHead(std::string_view head) {
  FakeRequest request;
  std::string_view line = head.substr(0, head.find("\r\n"));
  request.method = line.substr(0, line.find(' '));
  line.remove_prefix(request.method.size() + 1);
  request.target = line.substr(0, line.find(' '));
  ReadTarget(request);
  request.operation = OperationOf(request);
  while (true) {
    std::size_t end = head.find("\r\n");
    if (end == head.npos) break;
    head.remove_prefix(end + 2);
    std::string_view field = head.substr(0, head.find("\r\n"));
    std::size_t colon = field.find(':');
    if (colon == field.npos) continue;
    std::string_view value = field.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    request.fields[AsciiLower(field.substr(0, colon))] = value;
  }
  return request;
}

}  // namespace

struct FakeS3Server::Connection {
  UniqueFd descriptor;
  std::string read;  // and not looked at yet
  const std::atomic<bool>& stopping;

  bool Fill() {
    while (true) {
      pollfd readable{.fd = descriptor.get(), .events = POLLIN, .revents = 0};
      int ready = ::poll(&readable, 1, 20);
      if (stopping) return false;
      if (ready == 0) continue;
      std::array<char, 65536> buffer{};
      auto got = ::recv(descriptor.get(), buffer.data(), buffer.size(), 0);
      if (got <= 0) return false;
      read.append(buffer.data(), static_cast<std::size_t>(got));
      return true;
    }
  }
  bool Write(std::string_view text) {
    while (!text.empty()) {
      auto sent = ::send(descriptor.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void Reset() {
    linger hard{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(descriptor.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    descriptor.Reset();
  }
};

FakeS3Server::FakeS3Server() {
  listener_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_.get(), generic, size) != 0 || ::listen(listener_.get(), 64) != 0 ||
      ::getsockname(listener_.get(), generic, &size) != 0) {
    throw std::runtime_error("the test's store cannot listen on loopback");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

FakeS3Server::~FakeS3Server() {
  stopping_ = true;
  ::shutdown(listener_.get(), SHUT_RDWR);
  acceptor_.join();
  for (std::thread& each : threads_) each.join();
}

std::string FakeS3Server::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

void FakeS3Server::Accept() {
  while (true) {
    int descriptor = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) return;
    ++connections_;
    threads_.emplace_back([this, descriptor] { Serve(descriptor); });
  }
}

void FakeS3Server::Serve(int descriptor) {
  Connection connection{.descriptor = UniqueFd(descriptor), .read = {}, .stopping = stopping_};
  while (ServeOne(connection)) {
  }
}

void FakeS3Server::Next(const std::string& operation, FakeFault fault) {
  std::lock_guard lock(mutex_);
  next_[operation].push_back(std::move(fault));
}

void FakeS3Server::Always(const std::string& operation, std::optional<FakeFault> fault) {
  std::lock_guard lock(mutex_);
  always_.erase(operation);
  if (fault) always_.emplace(operation, *std::move(fault));
}

FakeFault FakeS3Server::FaultOf(const std::string& operation) {
  std::lock_guard lock(mutex_);
  auto& queue = next_[operation];
  if (!queue.empty()) {
    FakeFault fault = std::move(queue.front());
    queue.pop_front();
    return fault;
  }
  auto always = always_.find(operation);
  return always == always_.end() ? FakeFault() : always->second;
}

bool FakeS3Server::ServeOne(Connection& connection) {
  std::size_t end = 0;
  while ((end = connection.read.find("\r\n\r\n")) == std::string::npos) {
    if (!connection.Fill()) return false;
  }
  FakeRequest request = ReadHead(std::string_view(connection.read).substr(0, end));
  connection.read.erase(0, end + 4);
  std::size_t length = 0;
  auto field = request.fields.find("content-length");
  if (field != request.fields.end()) length = std::stoul(field->second);
  FakeFault fault = FaultOf(request.operation);
  const std::size_t wanted = std::min(length, fault.reset_upload.value_or(length));
  while (connection.read.size() < wanted) {
    if (!connection.Fill()) return false;
  }
  request.body = connection.read.substr(0, wanted);
  connection.read.erase(0, wanted);
  Answer answer;
  {
    std::lock_guard lock(mutex_);
    requests_.push_back(request);
    const bool acts = !fault.reset_upload && (fault.status == 0 || fault.act);
    if (acts) answer = Act(request);
  }
  if (fault.reset_upload) {
    connection.Reset();
    return false;
  }
  return Say(connection, request, answer, fault);
}

bool FakeS3Server::Say(Connection& connection, const FakeRequest& request, const Answer& answer,
                       const FakeFault& fault) {
  if (fault.silent) {
    while (connection.Fill()) {
    }
    return false;
  }
  if (fault.lost) return false;
  const unsigned status = fault.status == 0 ? answer.status : fault.status;
  std::string body = fault.body.value_or(answer.body);
  if (fault.status >= 300 && !fault.body) {
    body = fmt::format("<Error><Code>{}</Code><Message>scripted</Message>{}</Error>", fault.code,
                       fault.more);
  }
  const bool bodiless = status == 204 || (request.method == "HEAD" && status != 200);
  if (bodiless) body.clear();
  std::string head = fmt::format("HTTP/1.1 {} Scripted\r\nDate: {:%a, %d %b %Y %H:%M:%S} GMT\r\n",
                                 status, fmt::gmtime(static_cast<std::time_t>(clock.load())));
  for (const auto& [name, value] : answer.fields) head += fmt::format("{}: {}\r\n", name, value);
  for (const auto& [name, value] : fault.fields) head += fmt::format("{}: {}\r\n", name, value);
  if (status != 204) head += fmt::format("Content-Length: {}\r\n", body.size());
  head += "\r\n";
  if (request.method == "HEAD") body.clear();
  if (!fault.cut_answer) return connection.Write(head + body);
  connection.Write(head + body.substr(0, *fault.cut_answer));
  if (fault.stall) {
    while (connection.Fill()) {
    }
  } else {
    // What was sent arrives, and then the connection ends.
    ::shutdown(connection.descriptor.get(), SHUT_WR);
  }
  return false;
}

FakeS3Server::Answer FakeS3Server::Act(const FakeRequest& request) {
  auto hash = request.fields.find("x-amz-content-sha256");
  if (hash == request.fields.end() || hash->second != HexEncode(Sha256(request.body))) {
    return {.status = 400, .body = "<Error><Code>XAmzContentSHA256Mismatch</Code></Error>"};
  }
  if (request.operation == "list") return ListKeys(request);
  if (request.operation == "list_uploads") return ListUploads(request);
  if (!request.path.starts_with(std::string(kFakeBucket) + "/")) {
    return {.status = 404, .body = "<Error><Code>NoSuchBucket</Code></Error>"};
  }
  const std::string key = request.path.substr(kFakeBucket.size() + 1);
  const bool upload = request.query.contains("uploads") || request.query.contains("uploadId");
  return upload ? ActOnUpload(request, key) : ActOnObject(request, key);
}

FakeS3Server::Answer FakeS3Server::ActOnObject(const FakeRequest& request, const std::string& key) {
  if (request.method == "PUT") {
    objects_[key] = request.body;
    return {.fields = {{"ETag", "\"whole\""}}};
  }
  auto found = objects_.find(key);
  if (request.method == "DELETE") {
    const bool gone = found == objects_.end();
    if (!gone) objects_.erase(found);
    return {.status = gone ? 404U : 204U, .body = "<Error><Code>NoSuchKey</Code></Error>"};
  }
  if (found == objects_.end()) {
    return {.status = 404, .body = "<Error><Code>NoSuchKey</Code></Error>"};
  }
  auto range = request.fields.find("range");
  if (range == request.fields.end()) return {.body = found->second};
  const std::size_t size = found->second.size();
  const std::size_t from = std::stoul(range->second.substr(6));
  if (from >= size) {
    return {.status = 416,
            .fields = {{"Content-Range", fmt::format("bytes */{}", size)}},
            .body = "<Error><Code>InvalidRange</Code></Error>"};
  }
  return {.status = 206,
          .fields = {{"Content-Range", fmt::format("bytes {}-{}/{}", from, size - 1, size)}},
          .body = found->second.substr(from)};
}

FakeS3Server::Answer FakeS3Server::ActOnUpload(const FakeRequest& request, const std::string& key) {
  if (request.query.contains("uploads")) {
    // With letters that must be encoded.
    std::string id = fmt::format("2~{}/+=", ++made_);
    uploads_[id].key = key;
    return {.body = fmt::format("<InitiateMultipartUploadResult><UploadId>{}</UploadId>"
                                "</InitiateMultipartUploadResult>",
                                id)};
  }
  auto upload = uploads_.find(request.query.at("uploadId"));
  if (upload == uploads_.end() || upload->second.key != key) {
    return {.status = 404, .body = "<Error><Code>NoSuchUpload</Code></Error>"};
  }
  if (request.method == "PUT") {
    const int number = std::stoi(request.query.at("partNumber"));
    upload->second.parts[number] = request.body;
    return {.fields = {{"ETag", fmt::format("\"part-{}\"", number)}}};
  }
  if (request.method == "POST") {
    std::string whole;
    for (const auto& [number, part] : upload->second.parts) {
      if (!request.body.contains(fmt::format("<PartNumber>{0}</PartNumber><ETag>&quot;part-{0}"
                                             "&quot;</ETag>",
                                             number))) {
        return {.status = 400, .body = "<Error><Code>InvalidPart</Code></Error>"};
      }
      whole += part;
    }
    objects_[key] = std::move(whole);
  }
  uploads_.erase(upload);
  if (request.method == "DELETE") return {.status = 204};
  return {.body = "<CompleteMultipartUploadResult/>"};
}

FakeS3Server::Answer FakeS3Server::ListKeys(const FakeRequest& request) const {
  if (request.path != kFakeBucket) {
    return {.status = 404, .body = "<Error><Code>NoSuchBucket</Code></Error>"};
  }
  auto parameter = [&](const char* name) {
    auto found = request.query.find(name);
    return found == request.query.end() ? std::string() : found->second;
  };
  const std::string after = std::max(parameter("start-after"), parameter("continuation-token"));
  std::size_t left = std::min<std::size_t>(page, std::stoul(parameter("max-keys")));
  std::string body;
  for (const auto& [key, content] : objects_) {
    if (!key.starts_with(parameter("prefix")) || key <= after || left == 0) continue;
    --left;
    body += fmt::format("<Contents><Key>{}</Key><Size>{}</Size></Contents>", key, content.size());
  }
  return {.body = fmt::format("<ListBucketResult>{}</ListBucketResult>", body)};
}

FakeS3Server::Answer FakeS3Server::ListUploads(const FakeRequest& request) const {
  auto marker = request.query.find("upload-id-marker");
  const std::string after = marker == request.query.end() ? "" : marker->second;
  std::string body;
  std::string last;
  std::size_t left = page;
  for (const auto& [id, upload] : uploads_) {
    if (!upload.key.starts_with(request.query.at("prefix")) || id <= after) continue;
    if (left-- == 0) {
      body += fmt::format(
          "<IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker>"
          "<NextUploadIdMarker>{}</NextUploadIdMarker>",
          last);
      break;
    }
    last = id;
    body += fmt::format("<Upload><Key>{}</Key><UploadId>{}</UploadId></Upload>", upload.key, id);
  }
  return {.body = fmt::format("<ListMultipartUploadsResult>{}</ListMultipartUploadsResult>", body)};
}

std::vector<FakeRequest> FakeS3Server::requests() const {
  std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t FakeS3Server::Count(const std::string& operation) const {
  std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const FakeRequest& each : requests_) count += each.operation == operation ? 1 : 0;
  return count;
}

std::map<std::string, std::string> FakeS3Server::objects() const {
  std::lock_guard lock(mutex_);
  return objects_;
}

void FakeS3Server::SetObject(const std::string& key, std::string content) {
  std::lock_guard lock(mutex_);
  objects_[key] = std::move(content);
}

std::vector<std::pair<std::string, std::string>> FakeS3Server::uploads() const {
  std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [id, upload] : uploads_) out.emplace_back(upload.key, id);
  return out;
}

std::string FakeS3Server::StartUpload(const std::string& key) {
  std::lock_guard lock(mutex_);
  std::string id = fmt::format("2~{}/+=", ++made_);
  uploads_[id].key = key;
  return id;
}

}  // namespace koya::s3
