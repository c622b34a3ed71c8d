#include "http/server/connection_limits.h"

namespace koya::http {

ConnectionPermit::~ConnectionPermit() {
  if (limits_ != nullptr) limits_->Release(address_, counted_);
}

std::expected<ConnectionPermit, std::string_view> ConnectionLimits::Admit(std::string_view address,
                                                                          Counted counted) {
  std::string key(address);
  std::lock_guard lock(mutex_);
  if (counted != Counted::kByAddress && open_ >= total_) return std::unexpected("connections");
  if (counted != Counted::kInAll) {
    std::size_t& count = by_address_[key];
    if (count >= per_address_) return std::unexpected("connections_per_address");
    ++count;
  }
  if (counted != Counted::kByAddress) ++open_;
  return ConnectionPermit(*this, std::move(key), counted);
}

void ConnectionLimits::Release(const std::string& address, Counted counted) {
  std::lock_guard lock(mutex_);
  if (counted != Counted::kByAddress) --open_;
  if (counted == Counted::kInAll) return;
  auto entry = by_address_.find(address);
  if (entry != by_address_.end() && --entry->second == 0) by_address_.erase(entry);
}

}  // namespace koya::http
