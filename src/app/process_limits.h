// This process and its system: how many files and connections may be open, by purpose, when freed
// memory goes back, and the state that systemd sees.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace koya {

// Raises the soft limit to the hard limit: the soft limit exists for programs that use select().
void RaiseDescriptorLimit();

std::size_t DescriptorLimit();

struct DescriptorBudget {
  static DescriptorBudget Of(std::size_t limit);

  std::size_t files;        // archives that stay open: an eighth, and never thousands
  std::size_t connections;  // half
  // A quarter is for documents that are kept as memory files (http/server/memory_file.h); the
  // remainder is for uploads, databases, other registries and git.
};

// Makes the C library return large blocks, and the free end of a thread's heap, to the system as
// they are freed. By default the C library stops doing so after a few large blocks, and
// GiveBackFreeMemory does not reach the heap ends of threads other than the first: each kept up to
// 64 MB. Call once, before any thread starts.
void KeepHeapsShort();

// Returns freed memory to the system once there is much of it. The C library keeps memory that
// large responses and publishes used, separately for each thread: a module of 100,000 variables
// left a server with hundreds of MB of unused memory. Any thread; takes milliseconds when there is
// memory to return, else less than one.
void GiveBackFreeMemory();

// Sends a state, "READY=1" or "STOPPING=1", to the service manager (sd_notify(3)) that started this
// process; does nothing without one ($NOTIFY_SOCKET). Never waits.
void NotifyServiceManager(std::string_view state);

// A release tree: the folder that `make dist` packs, with the program, its loader and all of its
// libraries. A program that runs from one uses nothing of the machine's own libraries.

// The tree that this process runs from; empty for a program that uses the machine's libraries.
// Thread-safe.
const std::filesystem::path& ReleaseTree();

// In a release tree: looks names up in files and DNS only and takes OpenSSL's modules from the
// tree, since the machine's are made for other libraries; names the process "koya", as it is
// started as the loader. Must be called first in main.
void EnterReleaseTree();

}  // namespace koya
