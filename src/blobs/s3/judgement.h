// What an answer of the store means: whether to ask again, and the words for who has to mend it.
// Pure functions: any thread. Sources: "Error Responses" of the Amazon S3 API Reference, and what
// radosgw, MinIO and R2 answer instead.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "blobs/s3/address.h"
#include "blobs/s3/answers.h"
#include "blobs/s3/operation.h"
#include "http/client/client.h"

namespace koya::s3 {

// `said` is what the body of `answer` was read as; a HEAD has none, so that only the status, and by
// how much its Date differs from `now`, can tell.
Trouble Judge(const http::ClientResponse& answer, const StoreError& said, bool is_head,
              UnixSeconds now);

// Of an attempt that got no answer.
Trouble JudgeBreak(const Error& error);

struct Refusal {
  Operation operation;
  const Address& address;
  const http::ClientResponse& answer;
  const StoreError& said;
  std::string source;  // of the credentials
};
// The error of an answer whose trouble this is: for the operator, naming the setting and the mend.
Error ErrorOf(Trouble trouble, const Refusal& refusal);

}  // namespace koya::s3
