// A disk that takes its time to store: preloaded before a program, whose every fsync and fdatasync
// then takes BENCH_SYNC_US microseconds more. Like a disk, it works on several at once.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int sync_later(const char* name, int file) {
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  const char* microseconds = getenv("BENCH_SYNC_US");
  if (microseconds != NULL) usleep((useconds_t)atoi(microseconds));
  return sync(file);
}

int fsync(int file) { return sync_later("fsync", file); }

int fdatasync(int file) { return sync_later("fdatasync", file); }
