// Translates heads between HTTP/2 and HTTP/1.1 (RFC 9113 §8), so that one parser and one planner
// hold the rules of both.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/server/head_parser.h"

namespace koya::http {

// Writes the fields of a request as the head of an HTTP/1.1 request, for ParseHead. Used again for
// each request of a connection, whose heads arrive one at a time. Buffers at most the limit.
class Http2HeadWriter {
 public:
  explicit Http2HeadWriter(std::size_t most) : most_(most) {}

  void Start();
  // The next field of the request. False: it holds characters that no field may hold.
  bool AcceptField(std::string_view name, std::string_view value);
  // Bytes of all fields, including those that were too many to store.
  std::size_t received() const { return received_; }
  // Why the head is rejected: 414, 431 (longer than the limit), 400 (Host is not :authority).
  std::optional<Fault> FindFault() const;
  // Replaces `head` by the head; of one that is too long, by as much as is stored.
  void Finish(std::string& head) const;

 private:
  void AcceptPseudoField(std::string_view name, std::string_view value);

  std::size_t most_;
  std::size_t received_ = 0;
  std::size_t path_size_ = 0;
  bool hosts_differ_ = false;
  std::string method_;
  std::string path_;
  std::string authority_;
  std::string fields_;
  std::string cookie_;
};

// Reads the head of a response, as PlanAnswer wrote it, into `fields`. Changes the names in `head`
// to lower case and leaves out the fields that describe an HTTP/1.1 connection. The fields point
// into `head`.
void ReadAnswerFields(std::string& head, std::vector<nghttp2_nv>& fields);

}  // namespace koya::http
