// Classifies responses of the store: whether to retry, and the error text for the operator who has
// to fix the cause. Pure functions: any thread. Sources: "Error Responses" of the Amazon S3 API
// Reference, and the deviating responses of radosgw, MinIO and R2.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "blobs/s3/address.h"
#include "blobs/s3/operation.h"
#include "blobs/s3/responses.h"
#include "http/client/client.h"

namespace koya::s3 {

// `said` is the parsed body of `answer`. A HEAD has no body: only the status, and the difference
// between its Date and `now`, classify it.
FailureClass ClassifyResponse(const http::ClientResponse& answer, const StoreError& said,
                              bool is_head, UnixSeconds now);

// Classifies an attempt without a response.
FailureClass ClassifyBreak(const Error& error);

struct Refusal {
  Operation operation;
  const Address& address;
  const http::ClientResponse& answer;
  const StoreError& said;
  std::string source;  // of the credentials
};
// Builds the error for a response with this trouble: for the operator, naming the setting and the
// fix.
Error ErrorOf(FailureClass trouble, const Refusal& refusal);

}  // namespace koya::s3
