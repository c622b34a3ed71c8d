// Runs many jobs, several at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace koya::cli {

// Calls `work(worker, index)` once for each index below `count`, on at most `jobs` threads; each
// `worker` is one thread. Stops early when `work` returns false: running calls finish. Blocks.
void RunJobs(std::size_t count, std::size_t jobs,
             const std::function<bool(std::size_t worker, std::size_t index)>& work);

// Declares --jobs. `text`: its help text. `jobs` holds the default, and must outlive the parse.
void AddJobsFlag(CLI::App& command, std::size_t& jobs, const std::string& text);

}  // namespace koya::cli
