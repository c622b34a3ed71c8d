// Limits open connections, in total and by client address, over all loops. Thread-safe.
//
// A connection of a trusted proxy carries requests of several clients: such a connection counts in
// the total only, and each of its requests by the address of its client only, while it is answered;
// with the PROXY protocol, the connection itself by the address of its one client.
#pragma once

#include <atomic>
#include <cstddef>
#include <expected>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace koya::http {

class ConnectionLimits;

enum class Counted { kInAllAndByAddress, kInAll, kByAddress };

// A counted connection or request; releases its slot when destroyed.
class ConnectionPermit {
 public:
  ConnectionPermit() = default;
  ConnectionPermit(ConnectionPermit&& other) noexcept
      : limits_(std::exchange(other.limits_, nullptr)),
        address_(std::move(other.address_)),
        counted_(other.counted_) {}
  ConnectionPermit& operator=(ConnectionPermit&&) = delete;
  ~ConnectionPermit();

 private:
  friend class ConnectionLimits;
  ConnectionPermit(ConnectionLimits& limits, std::string address, Counted counted)
      : limits_(&limits), address_(std::move(address)), counted_(counted) {}
  ConnectionLimits* limits_ = nullptr;
  std::string address_;
  Counted counted_ = Counted::kInAllAndByAddress;
};

class ConnectionLimits {
 public:
  ConnectionLimits(std::size_t total, std::size_t per_address)
      : total_(total), per_address_(per_address) {}

  // The error names the limit that is reached.
  std::expected<ConnectionPermit, std::string_view> Admit(
      std::string_view address, Counted counted = Counted::kInAllAndByAddress);
  std::size_t open() const { return open_.load(std::memory_order_relaxed); }

 private:
  friend class ConnectionPermit;
  void Release(const std::string& address, Counted counted);

  const std::size_t total_;
  const std::size_t per_address_;
  std::atomic<std::size_t> open_{0};
  std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> by_address_;
};

}  // namespace koya::http
