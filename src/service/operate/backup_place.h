// BackupPlace stores the files of backups, by names with "/": in a folder or a bucket.
//
//   ID/manifest.json, ID/manifest.sha256, ID/catalog.jsonl.gz, ID/blobs.txt.gz
//   blobs/sha256/ab/abcd…     shared by all backups of the place
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/byte_sink.h"
#include "base/file.h"
#include "base/result.h"
#include "domain/digest.h"

namespace koya::service {

// An open file to store: read by position, as often as needed.
struct BackupFile {
  int descriptor = -1;  // owned by the caller
  std::uint64_t size = 0;
  Digest digest;  // that its bytes must have
};

// Methods block; one thread. Fails, besides the errors that a method names: kUnavailable: the place
// cannot be reached; kStorageFull, kInternal.
class BackupPlace {
 public:
  virtual ~BackupPlace() = default;
  // For messages: a path, "s3://BUCKET/PREFIX".
  virtual std::string where() const = 0;
  // Stores the file, replacing one of that name: all of it or, when this fails, nothing. A file
  // outside of blobs/ is stored after all earlier ones, also across a power cut. Fails: kCorrupt:
  // the bytes have another digest.
  virtual Status Put(const std::string& name, const BackupFile& file) = 0;
  // Passes the file's bytes to `sink`. Fails: kNotFound; as `sink`.
  virtual Status Get(const std::string& name, const ByteSink& sink) = 0;
  // Succeeds when there is no such file.
  virtual Status Delete(const std::string& name) = 0;
  // Visits the files whose names begin with `prefix`, in any order.
  using Visit = std::function<void(std::string_view name, std::uint64_t size)>;
  virtual Status List(const std::string& prefix, const Visit& visit) = 0;
};

// A folder of this machine. While it is open for writing, no other process can write to it.
class BackupFolder final : public BackupPlace {
 public:
  // Creates the folder if it is missing. Fails: kConflict: another backup writes to it.
  static Result<std::unique_ptr<BackupFolder>> OpenToWrite(std::filesystem::path folder);
  // Fails: kNotFound: there is no such folder.
  static Result<std::unique_ptr<BackupFolder>> OpenToRead(std::filesystem::path folder);

  std::string where() const override { return folder_.string(); }
  Status Put(const std::string& name, const BackupFile& file) override;
  Status Get(const std::string& name, const ByteSink& sink) override;
  Status Delete(const std::string& name) override;
  Status List(const std::string& prefix, const Visit& visit) override;

 private:
  BackupFolder(std::filesystem::path folder, UniqueFd lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}
  Status SyncFolders();

  const std::filesystem::path folder_;
  const UniqueFd lock_;
  std::set<std::filesystem::path> unsynced_;  // folders with new names
};

// The digest of the first `size` bytes of a file. Blocks. Fails: kInternal, also when it has fewer.
Result<Digest> HashFile(int descriptor, std::uint64_t size);

}  // namespace koya::service
