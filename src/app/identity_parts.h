// Who comes in by the word of somebody else, put together from the settings: sign-in providers, and
// trusted CI.
#pragma once

#include <memory>

#include "api/services.h"
#include "app/settings.h"
#include "app/stores.h"
#include "base/clock.h"
#include "base/result.h"
#include "signing/sealer.h"

namespace koya {

// Owns what asks issuers, threads included; they are waited for when it goes.
class IdentityParts {
 public:
  // Everything given must outlive this. Fails: kInvalid for settings that cannot be used.
  static Result<std::unique_ptr<IdentityParts>> Create(const Settings& settings,
                                                       const Stores& stores,
                                                       const signing::Sealer& sealer,
                                                       const Clock& clock);
  ~IdentityParts();

  // They refer to this.
  api::IdentityServices services();
  // Whatever waits for an issuer ends soon, as a failure.
  void Stop();

 private:
  struct Impl;
  explicit IdentityParts(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
