// What a request head that is too long says of the answer that it wants.
//
// Such a head is not parsed and its request is refused, but browsers are answered with pages, and
// they say that they are browsers only after the target that is too long. So the head is looked
// through, piece by piece, for the little that decides how the refusal looks; the rest is dropped.
// Lenient, since nothing else comes of it. Takes some 2 KiB, however long the head is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/server/head_parser.h"

namespace koya::http {

class OverlongHead {
 public:
  // The next bytes of the head, from its first.
  void Take(std::string_view bytes);
  // Whether its end was seen: what follows is of the request's body.
  bool is_over() const { return is_over_; }
  // Fills in the method, the target's beginning, and the fields Accept and Accept-Language, as far
  // as they were seen. The views lead into this and are void after the next Take().
  void Describe(RequestHead& head) const;

 private:
  static constexpr std::size_t kMostLine = 1024;  // of a longer one only its beginning is kept

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
