// Parses the XML responses of object stores. Pure functions: any thread. Each fails with
// kUnavailable when the text is malformed: a garbled response of a store or a proxy is retryable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::s3 {

// <Error>. Stores omit any of its elements.
struct StoreError {
  std::string code;     // "NoSuchKey"; "" when the response was no <Error>
  std::string message;  // the store's: made printable, truncated
  std::string region;   // the correct one, if the store names it
  std::string endpoint;
};

// Never fails: a body that is not an <Error> yields a StoreError without a code.
StoreError ParseStoreError(std::string_view body);

// Of InitiateMultipartUpload.
Result<std::string> ParseUploadId(std::string_view body);

// Of CompleteMultipartUpload: a 200 may contain an <Error>, which is returned; a StoreError without
// a code is success.
Result<StoreError> ParseCompletion(std::string_view body);

struct ListedKey {
  std::string key;
  std::uint64_t size = 0;
};
struct KeyPage {
  std::vector<ListedKey> keys;
  bool truncated = false;
  std::string next_token;  // asks for the next page
};
// Of ListObjectsV2.
Result<KeyPage> ParseListing(std::string_view body);

struct ListedUpload {
  std::string key;
  std::string upload_id;
};
struct UploadPage {
  std::vector<ListedUpload> uploads;
  bool truncated = false;
  std::string next_key;        // where the next page begins
  std::string next_upload_id;  // the same
};
// Of ListMultipartUploads.
Result<UploadPage> ParseUploads(std::string_view body);

}  // namespace koya::s3
