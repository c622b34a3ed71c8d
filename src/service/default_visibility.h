// Who may read what is in a new namespace, and in one without a record: as
// access.default_visibility says, else as the first administrator said, whenever that is. Threads:
// any.
#pragma once

#include <atomic>

#include "domain/visibility.h"

namespace koya::service {

class DefaultVisibility {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a setting's value is one.
  DefaultVisibility(Visibility fixed) : fixed_(fixed) {}
  // `said` must outlive this.
  explicit DefaultVisibility(const std::atomic<Visibility>& said) : said_(&said) {}

  Visibility get() const { return said_ == nullptr ? fixed_ : said_->load(); }

 private:
  Visibility fixed_ = Visibility::kPrivate;
  const std::atomic<Visibility>* said_ = nullptr;
};

}  // namespace koya::service
