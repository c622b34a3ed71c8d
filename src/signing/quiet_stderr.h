// Keeps a library off stderr, on one thread at a time.
//
// librnp as Debian builds it writes remarks on what it is given straight to stderr, past the log
// that can be set for it, and has no switch. Koya's stderr is its log, and those remarks are about
// bytes that strangers sent.
#pragma once

namespace koya::signing {

// While one lives, what libraries print to stderr with fprintf from this thread is dropped. Costs
// no descriptor; other threads, other streams and our own code are not touched. May be nested.
class QuietStderr {
 public:
  QuietStderr();
  ~QuietStderr();
  QuietStderr(const QuietStderr&) = delete;
  QuietStderr& operator=(const QuietStderr&) = delete;
};

}  // namespace koya::signing
