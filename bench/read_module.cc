// Prints what it costs to read the configuration files of a folder, as a publish does once the
// archive is unpacked: milliseconds of CPU, one line each time, for `make bench`.
//
// usage: read_module FOLDER TIMES
#include <fmt/core.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "inspect/reader.h"

namespace {

double CpuMilliseconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

std::map<std::string, std::string> ReadFolder(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(each.path(), std::ios::binary);
    files[each.path().filename()] = std::string(std::istreambuf_iterator<char>(file), {});
  }
  return files;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  const std::map<std::string, std::string> texts = ReadFolder(words[1]);
  const koya::inspect::ReadOptions options{
      .default_host = *koya::HostName::Parse("registry.example.org"), .version = "1.0.0"};
  for (int i = std::atoi(words[2]); i > 0; --i) {
    koya::inspect::FileCollector files;
    for (const auto& [path, text] : texts) {
      files.Add(path, text.size(), text.substr(0, files.Wanted(path)));
    }
    const koya::inspect::FileSet set = files.Take();
    const double begin = CpuMilliseconds();
    const koya::inspect::ModuleContents contents = koya::inspect::ReadModule(set, options);
    fmt::print("{:.3f}\n", CpuMilliseconds() - begin);
    if (contents.root.inputs.empty()) return 1;
  }
  return 0;
}
