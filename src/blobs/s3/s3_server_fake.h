// For tests: an object store in memory with scripted failures. It keeps connections open, takes
// many at once, and rejects bodies that do not match x-amz-content-sha256.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"

namespace koya::s3 {

struct FakeRequest {
  std::string operation;  // as NameOf(Operation) has it
  std::string method;
  std::string target;
  std::string path;                          // decoded
  std::map<std::string, std::string> query;  // decoded
  std::map<std::string, std::string> fields;
  std::string body;
};

// What happens instead of an answer, or to it.
struct FakeFault {
  unsigned status = 0;  // 0: the answer is the true one
  std::string code = {};
  std::string more = {};  // XML in the <Error>
  std::vector<std::pair<std::string, std::string>> fields = {};
  bool act = false;     // the request has its effect all the same
  bool lost = false;    // the connection ends instead of an answer
  bool silent = false;  // nothing is said until the client goes
  // The connection is reset after so many bytes: of the request's body, or of the answer's.
  std::optional<std::size_t> reset_upload = {};
  std::optional<std::size_t> cut_answer = {};
  bool stall = false;  // after cut_answer: nothing more comes, and the connection stays
  std::optional<std::string> body = {};  // instead of the true one
};

class FakeS3Server {
 public:
  FakeS3Server();
  ~FakeS3Server();
  FakeS3Server(const FakeS3Server&) = delete;
  FakeS3Server& operator=(const FakeS3Server&) = delete;

  std::string url() const;
  // Of the next request of this operation that has none yet.
  void Next(const std::string& operation, FakeFault fault);
  // Of all of them, until it is called with nothing.
  void Always(const std::string& operation, std::optional<FakeFault> fault);

  std::vector<FakeRequest> requests() const;
  // Of one operation.
  std::size_t Count(const std::string& operation) const;
  std::map<std::string, std::string> objects() const;
  void SetObject(const std::string& key, std::string content);
  // Uploads under way, as (key, upload id).
  std::vector<std::pair<std::string, std::string>> uploads() const;
  std::string StartUpload(const std::string& key);
  std::size_t connections() const { return connections_; }
  std::atomic<std::size_t> page = 1000;             // of keys and of uploads
  std::atomic<std::int64_t> clock = 1'750'000'000;  // in Date

 private:
  struct Connection;
  struct Answer {
    unsigned status = 200;
    std::vector<std::pair<std::string, std::string>> fields = {};
    std::string body = {};
  };
  struct Upload {
    std::string key;
    std::map<int, std::string> parts;
  };

  void Accept();
  void Serve(int descriptor);
  bool ServeOne(Connection& connection);
  bool Say(Connection& connection, const FakeRequest& request, const Answer& answer,
           const FakeFault& fault);
  FakeFault FaultOf(const std::string& operation);
  Answer Act(const FakeRequest& request);
  Answer ActOnObject(const FakeRequest& request, const std::string& key);
  Answer ActOnUpload(const FakeRequest& request, const std::string& key);
  Answer ListKeys(const FakeRequest& request) const;
  Answer ListUploads(const FakeRequest& request) const;

  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> connections_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, std::deque<FakeFault>> next_;
  std::map<std::string, FakeFault> always_;
  std::vector<FakeRequest> requests_;
  std::map<std::string, std::string> objects_;
  std::map<std::string, Upload> uploads_;
  int made_ = 0;
  std::list<std::thread> threads_;  // of connections
  std::thread acceptor_;            // last: uses the rest
};

}  // namespace koya::s3
