#include "obs/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace koya {
namespace {

// The second number of /proc/self/statm is the resident set, in pages.
double ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  if (!(statm >> total >> resident)) return 0;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double CpuSeconds() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double OpenDescriptors() {
  std::error_code error;
  double count = 0;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) ++count;
  return count;
}

double MaxDescriptors() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<double>(limit.rlim_cur) : 0;
}

}  // namespace

void AddProcessMetrics(Metrics& metrics, std::string_view version) {
  metrics
      .Gauge("koya_build_info", "Always 1; the labels name the version and the compiler.",
             {{"version", std::string(version)}, {"compiler", __VERSION__}})
      .Set(1);
  auto now = std::chrono::system_clock::now().time_since_epoch();
  metrics.Gauge("process_start_time_seconds", "When the process started, in Unix seconds.")
      .Set(std::chrono::duration<double>(now).count());
  metrics.WatchGauge("process_resident_memory_bytes", "Resident memory.", ResidentBytes);
  metrics.WatchCounter("process_cpu_seconds_total", "User and system CPU time.", CpuSeconds);
  metrics.WatchGauge("process_open_fds", "Open file descriptors.", OpenDescriptors);
  metrics.WatchGauge("process_max_fds", "Limit of open file descriptors.", MaxDescriptors);
}

}  // namespace koya
