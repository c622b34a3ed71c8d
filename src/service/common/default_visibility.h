// Visibility of a new namespace, and of one without a record: access.default_visibility, else the
// choice of the first administrator, which may come later. Threads: any.
#pragma once

#include <atomic>

#include "domain/visibility.h"

namespace koya::service {

class DefaultVisibility {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a setting's value is one.
  DefaultVisibility(Visibility fixed) : fixed_(fixed) {}
  // `said`: the administrator's choice; must outlive this.
  explicit DefaultVisibility(const std::atomic<Visibility>& said) : said_(&said) {}

  Visibility get() const { return said_ == nullptr ? fixed_ : said_->load(); }

 private:
  Visibility fixed_ = Visibility::kPrivate;
  const std::atomic<Visibility>* said_ = nullptr;
};

}  // namespace koya::service
