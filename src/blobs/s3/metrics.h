// Counters of the store client, for metrics: koya_store_… with the labels operation and class.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "blobs/s3/operation.h"

namespace koya::s3 {

// Updated while the client runs. Thread-safe.
struct StoreMetrics {
  // Attempts, by how each ended.
  std::array<std::array<std::atomic<std::uint64_t>, kFailureClasses>, kOperations> attempts{};
  std::atomic<std::uint64_t> retries = 0;
  std::atomic<std::uint64_t> bytes_sent = 0;      // of parts and objects that arrived
  std::atomic<std::uint64_t> bytes_received = 0;  // given to sinks
  std::atomic<bool> circuit_open = false;         // the circuit breaker is open
  std::atomic<std::int64_t> clock_offset = 0;     // seconds that the store's clock is ahead

  std::atomic<std::uint64_t>& Of(Operation operation, FailureClass trouble) {
    return attempts.at(static_cast<std::size_t>(operation)).at(static_cast<std::size_t>(trouble));
  }
  std::uint64_t Count(Operation operation, FailureClass trouble) const {
    return attempts.at(static_cast<std::size_t>(operation)).at(static_cast<std::size_t>(trouble));
  }
};

}  // namespace koya::s3
