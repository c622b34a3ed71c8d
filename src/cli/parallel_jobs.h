// So many things to do, several at once.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace koya::cli {

// Calls `work(worker, index)` once for each index below `count`, on at most `jobs` threads; each
// `worker` is one thread. Ends early, after what is under way, when `work` returns false. Blocks.
inline void RunJobs(std::size_t count, std::size_t jobs,
                    const std::function<bool(std::size_t worker, std::size_t index)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  std::size_t wanted = std::min(std::max<std::size_t>(jobs, 1), count);
  threads.reserve(wanted);
  for (std::size_t worker = 0; worker < wanted; ++worker) {
    threads.emplace_back([&, worker] {
      for (std::size_t index = next++; index < count; index = next++) {
        if (!work(worker, index)) next = count;
      }
    });
  }
}

}  // namespace koya::cli
