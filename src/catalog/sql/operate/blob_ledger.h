// Implements BlobReferences: which blobs are needed; and BlobLedger: the ledger of a remote store's
// objects, in the table blob_object.
//
// Row locks (PostgreSQL): a transaction that records references locks the stored rows of their
// digests in the digests' order, after all its other locks but the change log's. Settle locks rows
// of one digest, the stored one first. Collecting objects waits for no row.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/blob_ledger.h"
#include "catalog/sql/engine/database.h"
#include "catalog/storage_catalog.h"

namespace koya::sql {

// For a transaction that goes on to remove the result. See BlobReferences. Throws as SOCI does.
Result<std::vector<Digest>> FindUnreferenced(Session& session, const std::vector<Digest>& digests);

class SqlBlobReferences : public virtual BlobReferences {
 public:
  explicit SqlBlobReferences(Executor& transactions) : transactions_(transactions) {}

  Task<std::vector<Digest>> FindUnreferenced(std::vector<Digest> digests) override;
  Task<std::vector<Digest>> FindUnpublished(std::vector<Digest> digests) override;

 private:
  Executor& transactions_;
};

class SqlBlobLedger : public virtual BlobLedger {
 public:
  explicit SqlBlobLedger(Executor& transactions) : transactions_(transactions) {}

  Task<std::optional<BlobObject>> Arrive(BlobObject object) override;
  Task<BlobObject> CompleteUpload(std::string name) override;
  Task<BlobObject> FindStored(Digest digest) override;
  Task<std::vector<BlobObject>> ListStored(std::optional<Digest> after, std::size_t limit) override;
  Task<void> Lose(std::string name) override;
  Task<void> Regain(std::string name) override;
  Task<std::vector<Digest>> MarkLeaving(std::vector<Digest> digests,
                                        std::chrono::seconds grace) override;
  Task<std::vector<Digest>> FindOlder(std::vector<Digest> digests,
                                      std::chrono::seconds grace) override;
  Task<std::uint64_t> GiveUpArrivals(std::chrono::seconds grace) override;
  Task<std::vector<BlobObject>> ListLeaving(std::chrono::seconds trash_for,
                                            std::size_t limit) override;
  Task<std::vector<std::string>> FindUnknown(std::vector<std::string> names) override;
  Task<void> DeleteRow(std::string name) override;

 private:
  Executor& transactions_;
};

// Restarts the age of the blobs' stored objects, within a transaction that records references to
// them. Call once per transaction, with all blobs that it refers to; after everything else that it
// waits for, but before AppendChange. No-op where blobs lie in a folder (Executor).
// Fails: kUnavailable: a blob has no stored object, so the transaction must record nothing. Throws
// as SOCI.
Status RenewBlobs(Session& session, const std::vector<Digest>& digests);

}  // namespace koya::sql
