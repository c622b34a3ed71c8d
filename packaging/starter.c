// bin/koya of a release tree: starts libexec/koya with the loader and the libraries of the tree,
// whatever the machine has. Static, so that it needs nothing itself; without /proc, which an empty
// root lacks; without LD_LIBRARY_PATH, which git and other children would inherit.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef KOYA_LOADER
#error "KOYA_LOADER is the file name of the loader in lib/"
#endif

enum { kCannotStart = 126, kRoom = PATH_MAX + 64 };

static int Fail(const char* what, const char* which, const char* advice) {
  fprintf(stderr, "koya: %s%s: %s\n", what, which, advice);
  return kCannotStart;
}

// The oldest kernel that the libraries of the tree are tried on.
static int KernelIsTooOld(const struct utsname* kernel) {
  int major = 0;
  int minor = 0;
  if (sscanf(kernel->release, "%d.%d", &major, &minor) != 2) return 0;
  return major < 4 || (major == 4 && minor < 18);
}

int main(int argc, char** argv) {
  struct utsname kernel;
  if (uname(&kernel) == 0 && KernelIsTooOld(&kernel)) {
    return Fail("this machine's Linux is too old: ", kernel.release, "koya needs 4.18 or newer");
  }
  // The path that the kernel executed; of a link it is the link's, which realpath follows.
  const char* self = (const char*)getauxval(AT_EXECFN);
  char tree[PATH_MAX];
  if (self == NULL || realpath(self, tree) == NULL) {
    return Fail("the folder of this program cannot be found", "", strerror(errno));
  }
  for (int i = 0; i < 2; ++i) {  // "/bin/koya"
    char* slash = strrchr(tree, '/');
    if (slash == NULL) return Fail("there is no tree around ", self, "run TREE/bin/koya");
    *slash = '\0';
  }
  static char loader[kRoom];
  static char libraries[kRoom];
  static char program[kRoom];
  snprintf(loader, sizeof loader, "%s/lib/%s", tree, KOYA_LOADER);
  snprintf(libraries, sizeof libraries, "%s/lib", tree);
  snprintf(program, sizeof program, "%s/libexec/koya", tree);
  const char* const needed[] = {loader, program};
  for (int i = 0; i < 2; ++i) {
    if (access(needed[i], X_OK) == 0) continue;
    return Fail(needed[i], errno == ENOENT ? " is missing" : " cannot be executed",
                errno == ENOENT ? "unpack the whole archive again; bin/koya works only inside it, "
                                  "so link to it instead of copying it"
                                : strerror(errno));
  }
  if (strpbrk(libraries, ":;") != NULL) {
    return Fail(tree, "", "the loader cannot read a path with \":\" or \";\"; move the tree");
  }
  // 7 words of the loader's before our arguments, and the end.
  const char** words = calloc((size_t)argc + 8, sizeof *words);
  if (words == NULL) return Fail("no memory", "", strerror(errno));
  int count = 0;
  words[count++] = loader;
  words[count++] = "--inhibit-cache";  // of the machine's libraries
  words[count++] = "--argv0";
  words[count++] = argc > 0 ? argv[0] : "koya";
  words[count++] = "--library-path";
  words[count++] = libraries;
  words[count++] = program;
  for (int i = 1; i < argc; ++i) words[count++] = argv[i];
  execv(loader, (char* const*)words);
  return Fail(loader, " cannot be executed", strerror(errno));
}
