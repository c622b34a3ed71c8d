// The ledger of a remote store's objects, in the table blob_object. See BlobLedger.
//
// How rows are locked (PostgreSQL): a unit that records references locks the stored rows of their
// digests in the digests' order, after all its other locks but the turn at the change log. Settle
// locks rows of one digest, the stored one first. Those that collect wait for no row.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/blob_ledger.h"
#include "catalog/sql/transactions.h"

namespace koya::sql {

class SqlBlobLedger : public virtual BlobLedger {
 public:
  explicit SqlBlobLedger(Transactions& transactions) : transactions_(transactions) {}

  Task<std::optional<BlobObject>> Arrive(BlobObject object) override;
  Task<BlobObject> Settle(std::string name) override;
  Task<BlobObject> FindStored(Digest digest) override;
  Task<std::vector<BlobObject>> ListStored(std::optional<Digest> after, std::size_t limit) override;
  Task<void> Lose(std::string name) override;
  Task<void> Regain(std::string name) override;
  Task<std::vector<Digest>> Leave(std::vector<Digest> digests, std::chrono::seconds grace) override;
  Task<std::uint64_t> GiveUpArrivals(std::chrono::seconds grace) override;
  Task<std::vector<BlobObject>> ListLeaving(std::chrono::seconds trash_for,
                                            std::size_t limit) override;
  Task<std::vector<std::string>> FindUnknown(std::vector<std::string> names) override;
  Task<void> Forget(std::string name) override;

 private:
  Transactions& transactions_;
};

// Within a unit that records references to the blobs: their stored objects' age begins anew.
// Once in a unit, with all that it refers to; after everything else that it waits for, but before
// AppendChange. Does nothing where blobs lie in a folder (Transactions).
// Fails: kUnavailable: one has no stored object, so the unit must record nothing. Throws as SOCI.
Status RenewBlobs(Session& session, const std::vector<Digest>& digests);

}  // namespace koya::sql
