// A disk that takes its time: preloaded before a program, whose every fsync, fdatasync, and pread of
// 64 KiB or more then takes longer, by the microseconds in the first four bytes of the file that
// BENCH_DELAY names, which may change meanwhile. Like a disk, it works on several at once.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint32_t none = 0;
static const uint32_t* delay = &none;

__attribute__((constructor)) static void look(void) {
  const char* path = getenv("BENCH_DELAY");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void* shared = mmap(NULL, sizeof *delay, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (shared != MAP_FAILED) delay = shared;
}

static void wait_for_it(void) {
  uint32_t microseconds = __atomic_load_n(delay, __ATOMIC_RELAXED);
  if (microseconds > 0) usleep(microseconds);
}

int fsync(int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_for_it();
  return real(file);
}

int fdatasync(int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_for_it();
  return real(file);
}

ssize_t pread(int file, void* into, size_t size, off_t offset) {
  ssize_t (*real)(int, void*, size_t, off_t) =
      (ssize_t (*)(int, void*, size_t, off_t))dlsym(RTLD_NEXT, "pread");
  if (size >= 64 << 10) wait_for_it();
  return real(file, into, size, offset);
}
