// The files of a module, as input of the reader. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace koya::inspect {

struct FileContent {
  std::uint64_t size = 0;
  // The bytes of the file, or the first of them (see WantedBytes). nullopt for files that are not
  // read.
  std::optional<std::string> text = {};

  bool whole() const { return text && text->size() == size; }
};

// By path, from the module's root: "modules/vpc/main.tf".
using FileSet = std::map<std::string, FileContent, std::less<>>;

// Collects the wanted files of an archive as it is streamed, in bounded memory.
class FileCollector {
 public:
  static constexpr std::size_t kMaxBytes = 96 << 20;  // of texts
  static constexpr std::size_t kMaxFiles = 100'000;

  // How many bytes of the next file to keep; 0 once the memory is used up.
  std::size_t Wanted(std::string_view path) const;
  // `bytes`: at most as many as Wanted() returned.
  void Add(std::string path, std::uint64_t size, std::string bytes);

  FileSet Take() { return std::move(files_); }

 private:
  FileSet files_;
  std::size_t room_ = kMaxBytes;
};

}  // namespace koya::inspect
