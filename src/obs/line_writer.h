// Writes the lines of all logs to one descriptor, from one background thread.
//
// Event loops log without ever waiting for the log's reader: Append() copies a line into memory and
// returns. When the reader is slower than the writers, or gone, the buffers fill up and further
// lines are dropped and counted; a line in the log reports it once writing works again. Survives a
// closed descriptor and SIGPIPE. When idle, the thread sleeps without wake-ups.
//
// Threads: Append, Flush and dropped may be called from any thread. Lines of one thread keep their
// order; lines of different threads may swap within one batch.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace koya {

class LineWriter {
 public:
  struct Options {
    int descriptor = 2;  // duplicated, not owned; -1 discards every line
    std::size_t max_buffered_bytes = std::size_t{4} << 20;
    std::chrono::milliseconds batch{20};  // how long lines may gather before they are written
    std::chrono::milliseconds stop_limit{2000};  // how long the destructor waits for a slow reader
  };

  explicit LineWriter(Options options);
  LineWriter() : LineWriter(Options{}) {}
  // Writes the buffered lines, unless the reader takes longer than stop_limit.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Copies `line`, which ends in '\n'. False: it was dropped and counted.
  bool Append(std::string_view line);
  // Waits until everything appended before has been written or dropped, or `limit` has passed. For
  // tests and the end of the program: never call it on an event loop.
  void Flush(std::chrono::milliseconds limit = std::chrono::seconds(2));
  // Lines lost so far: the buffer was full, or the descriptor failed.
  std::uint64_t dropped() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
