// The process's memory, and the system's.
#pragma once

namespace koya {

// Gives memory that was freed back to the system, once there is much of it. The C library keeps
// what large answers and publishes took, and each thread's for itself: a module of 100,000
// variables left a server with hundreds of MB that nobody used any more. Any thread; takes
// milliseconds when there is something to give back, else less than one.
void GiveBackFreeMemory();

}  // namespace koya
