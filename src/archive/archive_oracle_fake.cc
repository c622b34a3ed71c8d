#include "archive/archive_oracle_fake.h"

#include <archive.h>
#include <archive_entry.h>
#include <zip.h>

#include <memory>

namespace koya {

std::optional<std::string> LibarchiveNames(std::string_view bytes) {
  std::unique_ptr<archive, decltype(&archive_read_free)> reader(archive_read_new(),
                                                                archive_read_free);
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_format_tar(reader.get());
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
    return std::nullopt;
  }
  std::string names;
  archive_entry* entry = nullptr;
  int code = ARCHIVE_OK;
  while ((code = archive_read_next_header(reader.get(), &entry)) == ARCHIVE_OK) {
    if (archive_read_data_skip(reader.get()) != ARCHIVE_OK) return std::nullopt;
    if (archive_entry_filetype(entry) == AE_IFREG) {
      names += std::string(archive_entry_pathname(entry)) + "\n";
    }
  }
  return code == ARCHIVE_EOF ? std::optional(names) : std::nullopt;
}

std::optional<std::string> LibzipNames(std::string_view bytes) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  std::unique_ptr<zip_t, decltype(&zip_discard)> reader(
      zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error), zip_discard);
  if (!reader) {
    zip_source_free(source);
    return std::nullopt;
  }
  std::string names;
  for (zip_int64_t i = 0; i < zip_get_num_entries(reader.get(), 0); ++i) {
    auto index = static_cast<zip_uint64_t>(i);
    std::string name = zip_get_name(reader.get(), index, ZIP_FL_ENC_RAW);
    if (!name.ends_with('/')) names += name + "\n";
    std::unique_ptr<zip_file_t, decltype(&zip_fclose)> file(zip_fopen_index(reader.get(), index, 0),
                                                            zip_fclose);
    if (!file) return std::nullopt;
    char buffer[4096];
    zip_int64_t got = 0;
    while ((got = zip_fread(file.get(), buffer, sizeof buffer)) > 0) {
    }
    if (got < 0) return std::nullopt;
  }
  return names;
}

}  // namespace koya
