#include "app/set_up.h"

#include <fmt/format.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <optional>
#include <system_error>
#include <utility>

#include "app/private_file.h"
#include "base/run_task.h"

namespace koya {
namespace {

constexpr std::chrono::seconds kBetweenLooks(3);
constexpr const char* kSetUpLease = "setup";

std::string WhatToDo(std::string_view url) {
  return fmt::format(
      "create the first administrator within an hour: {0}/-/first-run, or koya setup --server {0}",
      url);
}

}  // namespace

SetUp::SetUp(service::FirstRun& first_run, service::Leases& leases, const Clock& clock, Logger& log,
             SetUpPlace place, Announce announce)
    : first_run_(first_run),
      leases_(leases),
      clock_(clock),
      log_(log),
      place_(std::move(place)),
      announce_(std::move(announce)) {}

void SetUp::RemoveTokenFile(const std::filesystem::path& file) {
  std::error_code absent;
  std::filesystem::remove(file, absent);
}

Awaitable<void> SetUp::Run(boost::asio::steady_timer& timer, const std::atomic<bool>& stopping) {
  while (!stopping) {
    const bool done = co_await CheckOnce();
    if (done) break;
    boost::system::error_code cancelled;
    timer.expires_after(kBetweenLooks);
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
  }
  // A restart need not wait until it ends by itself.
  if (reported_until_) co_await leases_.GiveBack(kSetUpLease);
}

Awaitable<bool> SetUp::CheckOnce() {
  Result<bool> done = co_await first_run_.IsDone();
  if (done && *done) {
    RemoveTokenFile(place_.file);
    // The choices made on another server; retried while the catalog does not respond.
    const Status learned = co_await first_run_.LearnChoices();
    co_return learned.has_value();
  }
  if (done && reported_until_ && clock_.Now() < *reported_until_) co_return false;
  if (done) done = co_await MakeToken();
  if (!done && !std::exchange(failed_, true)) {
    log_.Failure("no set-up token could be created; retrying", done.error());
  }
  if (done) failed_ = false;
  co_return false;
}

// Whether this server has told one.
Task<bool> SetUp::MakeToken() {
  ASSIGN_OR_CO_RETURN(bool ours, co_await leases_.TakeLease(kSetUpLease));
  if (!ours) co_return false;  // another server has told it
  ASSIGN_OR_CO_RETURN(std::optional<std::string> token, co_await first_run_.MakeToken());
  if (!token) co_return false;
  CO_RETURN_IF_ERROR(AnnounceToken(*token));
  reported_until_ = clock_.Now() + std::chrono::seconds(service::FirstRun::kLife).count();
  log_.Info("set-up token created", {{"file", place_.on_terminal ? "" : place_.file.string()}});
  co_return true;
}

Status SetUp::AnnounceToken(std::string_view token) {
  if (place_.on_terminal) {
    announce_(fmt::format("koya: set-up token {} ({})", token, WhatToDo(place_.url)));
    return {};
  }
  RETURN_IF_ERROR(WriteFileAtomically(place_.file, fmt::format("{}\n", token), 0600));
  announce_(fmt::format("koya: set-up token is in {} ({})",
                        std::filesystem::absolute(place_.file).string(), WhatToDo(place_.url)));
  return {};
}

namespace {

// As the one that is made here.
bool MayDoEverything(const TokenRecord& token) {
  return token.scope == Scope::kAdmin && token.namespaces.empty() && token.account_id.empty() &&
         !token.expires_at;
}

}  // namespace

Result<std::string> EnsureDevAdminToken(service::Tokens& tokens, const std::string& kept) {
  constexpr const char* kName = "dev-admin";
  if (!kept.empty()) {
    auto principal = RunTask(tokens.Authenticate("Bearer " + kept));
    if (principal && principal->Require(Scope::kAdmin)) return kept;
    if (!principal && principal.error().kind != ErrorKind::kUnauthenticated) {
      return std::unexpected(std::move(principal).error());
    }
  }
  // It may be the last that may do everything, which cannot be revoked: it gets another text.
  const auth::Principal by = auth::Principal::Operator();
  Result<service::CreatedToken> rotated = RunTask(tokens.Rotate(by, kName, std::nullopt));
  if (rotated && MayDoEverything(rotated->record)) return std::move(rotated->text);
  if (rotated) RETURN_IF_ERROR(RunTask(tokens.Revoke(by, kName)));
  if (!rotated && rotated.error().kind != ErrorKind::kNotFound) {
    return std::unexpected(std::move(rotated).error());
  }
  service::NewToken token{
      .name = kName, .scope = Scope::kAdmin, .namespaces = {}, .expires = {}, .never_ends = true};
  ASSIGN_OR_RETURN(service::CreatedToken created, RunTask(tokens.Create(by, std::move(token))));
  return std::move(created.text);
}

}  // namespace koya
