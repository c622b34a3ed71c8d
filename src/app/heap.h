// Returns freed memory of the process to the system.
#pragma once

namespace koya {

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

}  // namespace koya
