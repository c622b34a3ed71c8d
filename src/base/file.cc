#include "base/file.h"

#include <unistd.h>

namespace koya {

void UniqueFd::Reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace koya
