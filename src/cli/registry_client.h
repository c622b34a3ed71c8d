// Koya's API as the commands call it: one function per call, documents decoded. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/package.h"
#include "domain/module_address.h"
#include "domain/version.h"
#include "http/client.h"
#include "http/url.h"
#include "wire/modules.h"
#include "wire/tokens.h"

namespace koya::cli {

struct RegistryClientOptions {
  http::Url server;
  std::string token;  // "" sends none
  http::ClientOptions http;
};

struct PublishOutcome {
  wire::PublishedModule module;
  bool created = false;  // false: the server had exactly these bytes already
};

// Every function fails with what the server's error document says, and where it was said; with
// kUnauthenticated, kForbidden, kNotFound, kConflict, kTooLarge, kRefused for the statuses that
// mean them, and with the failures of http::Client.
class RegistryClient {
 public:
  explicit RegistryClient(RegistryClientOptions options);

  const http::Url& server() const { return options_.server; }

  // Safe to repeat. `on_progress` is told the bytes sent so far.
  Result<PublishOutcome> Publish(const ModuleAddress& address, const Version& version,
                                 const Package& package,
                                 std::function<void(std::uint64_t)> on_progress);
  Status Withdraw(const ModuleAddress& address, const Version& version, std::string_view reason);

  // All modules, of one namespace if it is not empty: every page, as one list.
  Result<wire::ModuleList> ListModules(std::string_view ns);
  Result<wire::ModuleList> SearchModules(std::string_view words);
  // The latest version when none is given.
  Result<wire::ModuleDetails> ShowModule(const ModuleAddress& address,
                                         const std::optional<Version>& version);

  Result<wire::Token> CreateToken(const wire::TokenRequest& request);
  Result<std::vector<wire::Token>> ListTokens();
  Status RevokeToken(std::string_view name);

 private:
  Result<http::ClientResponse> Call(http::ClientRequest request, std::string_view path);
  Result<std::string> Get(std::string_view path);
  Result<wire::ModuleList> AllPages(std::string_view path_and_question);

  RegistryClientOptions options_;
  http::Client client_;
};

// What an answer that is no success means to the user. `request_line`: "PUT https://…".
Error AnswerError(const http::ClientResponse& response, std::string_view request_line,
                  bool token_was_sent);

}  // namespace koya::cli
