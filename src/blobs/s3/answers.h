// What object stores say in XML, read into values. Pure functions: any thread. Each fails with
// kUnavailable when the text is not what it should be, as a store or a proxy that babbles is asked
// again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::s3 {

// <Error>. Stores leave out what they like.
struct StoreError {
  std::string code;     // "NoSuchKey"; "" when the answer was no <Error>
  std::string message;  // theirs: printable, and cut
  std::string region;   // the right one, where they name it
  std::string endpoint;
};

// Never fails: what is no <Error> gives one without a code.
StoreError ParseStoreError(std::string_view body);

// Of InitiateMultipartUpload.
Result<std::string> ParseUploadId(std::string_view body);

// Of CompleteMultipartUpload: an <Error> may stand in a 200, which is returned; one without a code
// is success.
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
