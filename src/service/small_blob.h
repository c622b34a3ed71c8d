// Texts that are kept as blobs: SHA256SUMS, signatures, manifests.
#pragma once

#include <string>

#include "blobs/blob_store.h"
#include "domain/provider_record.h"

namespace koya::service {

// Stores `text` durably, or mends what is stored of it.
Task<ReleaseDocument> StoreText(BlobStore& blobs, std::string text);

// REQUIRES: `document` is small. Fails: kNotFound; kCorrupt when it is not what its name says.
Task<std::string> ReadText(BlobStore& blobs, ReleaseDocument document);

}  // namespace koya::service
