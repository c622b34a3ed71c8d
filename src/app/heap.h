// The process's memory, and the system's.
#pragma once

namespace koya {

// Has large blocks, and what is free at the end of a thread's heap, go back to the system as they
// are freed. By itself the C library stops doing so once a few have come and gone, and
// GiveBackFreeMemory does not reach the ends of heaps of other threads than the first: each kept up
// to 64 MB. To be called once, before there are threads.
void KeepHeapsShort();

// Gives memory that was freed back to the system, once there is much of it. The C library keeps
// what large answers and publishes took, and each thread's for itself: a module of 100,000
// variables left a server with hundreds of MB that nobody used any more. Any thread; takes
// milliseconds when there is something to give back, else less than one.
void GiveBackFreeMemory();

}  // namespace koya
