#include "app/offline_tokens.h"

#include <unistd.h>

#include "api/token_documents.h"
#include "app/stores.h"
#include "base/run_task.h"
#include "obs/line_writer.h"
#include "obs/log.h"

namespace koya {

Result<wire::Token> CreateTokenOffline(const Settings& settings,
                                       const wire::TokenRequest& request) {
  ASSIGN_OR_RETURN(service::NewToken token, api::FromWire(request));
  ASSIGN_OR_RETURN(Stores stores, OpenStores(settings));
  SystemClock clock;
  LineWriter lines({.descriptor = STDERR_FILENO});
  Logger log(lines, LogLevel::kWarning);
  service::Tokens tokens(*stores.catalog, clock, log);
  ASSIGN_OR_RETURN(service::CreatedToken created,
                   RunTask(tokens.Create(auth::Principal::Operator(), std::move(token))));
  wire::Token answer = api::ToWire(created.record);
  answer.token = std::move(created.text);
  return answer;
}

Result<std::vector<wire::Token>> ListTokensOffline(const Settings& settings) {
  ASSIGN_OR_RETURN(Stores stores, OpenStores(settings));
  ASSIGN_OR_RETURN(std::vector<TokenRecord> records, RunTask(stores.catalog->ListTokens()));
  std::vector<wire::Token> tokens;
  tokens.reserve(records.size());
  for (const TokenRecord& record : records) tokens.push_back(api::ToWire(record));
  return tokens;
}

Status RevokeTokenOffline(const Settings& settings, const std::string& name) {
  ASSIGN_OR_RETURN(Stores stores, OpenStores(settings));
  return RunTask(stores.catalog->RevokeToken(name));
}

}  // namespace koya
