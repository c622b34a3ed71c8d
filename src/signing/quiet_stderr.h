// Suppresses a library's output to stderr, on one thread at a time.
//
// librnp as Debian builds it writes remarks about its input directly to stderr, past its
// configurable log, and has no option against it. Koya's stderr is its log, and those remarks are
// about untrusted bytes.
#pragma once

namespace koya::signing {

// While an object exists, output that libraries write to stderr with fprintf on this thread is
// dropped. Takes no descriptor; other threads, other streams and our own code are not affected. May
// be nested.
class QuietStderr {
 public:
  QuietStderr();
  ~QuietStderr();
  QuietStderr(const QuietStderr&) = delete;
  QuietStderr& operator=(const QuietStderr&) = delete;
};

}  // namespace koya::signing
