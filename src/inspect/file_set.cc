#include "inspect/file_set.h"

#include <algorithm>

#include "inspect/reader.h"

namespace koya::inspect {

std::size_t FileCollector::Wanted(std::string_view path) const {
  return std::min(WantedBytes(path), room_);
}

void FileCollector::Add(std::string path, std::uint64_t size, std::string bytes) {
  if (files_.size() == kMaxFiles) return;
  FileContent content{.size = size};
  if (WantsFile(path)) {
    room_ -= std::min(room_, bytes.size());
    content.text = std::move(bytes);
  }
  files_.insert_or_assign(std::move(path), std::move(content));
}

}  // namespace koya::inspect
