// Reads from a request head that is too long only the parts that decide the form of the response.
//
// Such a head is not parsed and its request is rejected. But browsers get pages, and a head says
// that it comes from a browser only after the target that is too long. So the head is scanned,
// piece by piece, for the few parts that decide how the error looks; the rest is dropped. Lenient,
// since nothing else depends on it. Uses about 2 KiB, however long the head is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/server/head_parser.h"

namespace koya::http {

class OverlongHead {
 public:
  // Scans the next bytes of the head, from its first.
  void AcceptBytes(std::string_view bytes);
  // True once the end of the head was seen: later bytes belong to the request's body.
  bool is_over() const { return is_over_; }
  // Sets the method, the target's beginning, and the fields Accept and Accept-Language, as far as
  // they were seen. The views point into this and are invalid after the next AcceptBytes().
  void Describe(RequestHead& head) const;

 private:
  static constexpr std::size_t kMostLine = 1024;  // only the beginning of a longer line is kept

  void TakeLine();
  void TakeRequestLine(std::string_view line);
  void TakeField(std::string_view line);

  std::string line_;
  bool is_line_cut_ = false;
  bool is_first_ = true;
  bool is_over_ = false;
  std::string method_;
  std::string target_;
  std::string accept_;
  std::string accept_language_;
};

}  // namespace koya::http
