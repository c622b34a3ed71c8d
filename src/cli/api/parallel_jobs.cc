#include "cli/api/parallel_jobs.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace koya::cli {

void RunJobs(std::size_t count, std::size_t jobs,
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

void AddJobsFlag(CLI::App& command, std::size_t& jobs, const std::string& text) {
  constexpr int kMostJobs = 64;
  command.add_option("--jobs", jobs, fmt::format("{} ({})", text, jobs))
      ->type_name("N")
      ->check(CLI::Range(1, kMostJobs), "number");
}

}  // namespace koya::cli
