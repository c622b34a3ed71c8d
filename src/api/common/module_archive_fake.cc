#include "api/common/module_archive_fake.h"

#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <memory>
#include <stdexcept>

namespace koya::api {

std::string PackFiles(const std::map<std::string, std::string>& files) {
  std::unique_ptr<archive, int (*)(archive*)> writer(archive_write_new(), archive_write_free);
  archive_write_set_format_ustar(writer.get());
  archive_write_add_filter_gzip(writer.get());
  // The time of packing is left out: the same files are the same bytes in the next second, too.
  archive_write_set_filter_option(writer.get(), "gzip", "timestamp", nullptr);
  archive_write_set_bytes_in_last_block(writer.get(), 1);
  std::string out(1 << 20, '\0');
  std::size_t used = 0;
  if (archive_write_open_memory(writer.get(), out.data(), out.size(), &used) != ARCHIVE_OK) {
    throw std::runtime_error("cannot write an archive to memory");
  }
  for (const auto& [path, content] : files) {
    std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                   archive_entry_free);
    archive_entry_set_pathname(entry.get(), path.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_write_header(writer.get(), entry.get());
    archive_write_data(writer.get(), content.data(), content.size());
  }
  archive_write_close(writer.get());
  out.resize(used);
  return out;
}

std::string ModuleArchive(const std::string& marker) {
  return PackFiles({{"README.md", "# VPC\n"},
                    {"main.tf", "# " + marker + "\n"},
                    {"modules/sub/main.tf", "# sub\n"}});
}

std::string WrappedModuleArchive(const std::string& marker) {
  return PackFiles(
      {{"vpc-1.0.0/main.tf", "# " + marker + "\n"}, {"vpc-1.0.0/README.md", "# vpc\n"}});
}

}  // namespace koya::api
