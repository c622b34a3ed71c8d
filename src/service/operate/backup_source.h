// BackupSource is what a backup is made from: the stores of a server, or a server by its API.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_sink.h"
#include "base/result.h"
#include "blobs/blob_store.h"
#include "domain/digest.h"
#include "wire/backup.h"

namespace koya {
class LeaseCatalog;
class RecordCatalog;
}  // namespace koya

namespace koya::service {

// Methods block; one thread, except for Renew().
class BackupSource {
 public:
  virtual ~BackupSource() = default;
  virtual const wire::BackupOrigin& origin() const = 0;
  // Writes the file of all records (service/operate/record_file.h).
  virtual Status ReadRecords(const ByteSink& sink) = 0;
  // Committed blobs by digest, those after `after`; an empty page is the end.
  virtual Result<std::vector<BlobInfo>> ListBlobs(std::optional<Digest> after) = 0;
  // Calls `use` with the blob's bytes as a file, and returns its result. Fails: kNotFound,
  // kCorrupt.
  virtual Status ReadBlob(const BlobInfo& blob, const std::function<Status(int)>& use) = 0;
  // Renews the right to read, every kRenewEvery, from a thread of its own. Fails: kConflict: it was
  // lost; kUnavailable.
  static constexpr std::chrono::seconds kRenewEvery{10};
  virtual Status Renew() = 0;
};

// Only one backup of a catalog is made at a time, and nothing that it needs is removed meanwhile:
// it holds the leases of garbage collection and of the mirror's eviction. They last kLife, unless
// renewed, also after a crash. Threads: any.
class BackupLeases {
 public:
  static constexpr std::chrono::seconds kLife{30};
  // `catalog` must outlive this. `address`: this server's, for people.
  BackupLeases(LeaseCatalog& catalog, std::string address)
      : catalog_(catalog), address_(std::move(address)) {}

  // Takes the leases, and returns their holder. Fails: kConflict: another backup is being made;
  // kUnavailable: blobs are being removed at the moment.
  Task<std::string> Take();
  // Fails: kConflict: the leases were lost.
  Task<void> Renew(std::string holder);
  // What cannot be given back expires.
  Task<void> GiveBack(std::string holder);

 private:
  LeaseCatalog& catalog_;
  const std::string address_;
};

// The stores of this process.
class StoredSource final : public BackupSource {
 public:
  struct Parts {
    RecordCatalog& records;
    BlobStore& blobs;
    BackupLeases& leases;
    std::filesystem::path scratch;  // a folder for files in transit
  };
  // All parts must outlive this. `holder`: of the leases, see BackupLeases.
  StoredSource(Parts parts, wire::BackupOrigin origin, std::string holder)
      : parts_(std::move(parts)), origin_(std::move(origin)), holder_(std::move(holder)) {}

  const wire::BackupOrigin& origin() const override { return origin_; }
  Status ReadRecords(const ByteSink& sink) override;
  Result<std::vector<BlobInfo>> ListBlobs(std::optional<Digest> after) override;
  Status ReadBlob(const BlobInfo& blob, const std::function<Status(int)>& use) override;
  Status Renew() override;

 private:
  const Parts parts_;
  const wire::BackupOrigin origin_;
  const std::string holder_;
};

}  // namespace koya::service
