// Builds external authentication from the settings: sign-in providers, and trusted CI.
#pragma once

#include <memory>

#include "api/common/call.h"
#include "app/settings.h"
#include "app/stores.h"
#include "base/clock.h"
#include "base/result.h"
#include "signing/sealer.h"

namespace koya {

// Owns the clients of issuers and their threads, which the destructor joins.
class IdentityParts {
 public:
  // All arguments must outlive this. Fails: kInvalid for settings that cannot be used.
  static Result<std::unique_ptr<IdentityParts>> Create(const Settings& settings,
                                                       const Stores& stores,
                                                       const signing::Sealer& sealer,
                                                       const Clock& clock);
  ~IdentityParts();

  // The services refer to this.
  api::IdentityServices services();
  // Makes everything that waits for an issuer fail soon.
  void Stop();

 private:
  struct Impl;
  explicit IdentityParts(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
