#include "signing/quiet_stderr.h"

#include <cstdarg>
#include <cstdio>

namespace koya::signing {
namespace {

constinit thread_local int quiet_depth = 0;

}  // namespace

QuietStderr::QuietStderr() { ++quiet_depth; }
QuietStderr::~QuietStderr() { --quiet_depth; }

}  // namespace koya::signing

// Libraries that are compiled with _FORTIFY_SOURCE, as all of Debian's are, print through glibc's
// __fprintf_chk. A definition in the program comes before that of glibc: this one looks at the
// thread's wish and hands everything else on, with its checks.
#ifdef __GLIBC__
// NOLINTBEGIN(bugprone-reserved-identifier): the names are glibc's
extern "C" int __vfprintf_chk(FILE* stream, int flag, const char* format, va_list arguments);
extern "C" int __fprintf_chk(FILE* stream, int flag, const char* format, ...);

extern "C" int __fprintf_chk(FILE* stream, int flag, const char* format, ...) {
  if (stream == stderr && koya::signing::quiet_depth > 0) return 0;
  va_list arguments;
  va_start(arguments, format);
  const int written = __vfprintf_chk(stream, flag, format, arguments);
  va_end(arguments);
  return written;
}
// NOLINTEND(bugprone-reserved-identifier)
#endif
