#include "upstream/credentials.h"

#include <algorithm>
#include <boost/json.hpp>

#include "upstream/child_program.h"

namespace koya::upstream {
namespace {

// What may stand in a field's value.
bool IsSendable(std::string_view token) {
  return std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7F; });
}

}  // namespace

Result<std::string> AskCredentialsHelper(const CredentialsHelper& helper, const HostName& host) {
  bool is_path = helper.program.find('/') != std::string::npos;
  ChildProgram child{
      .command = {is_path ? helper.program : "terraform-credentials-" + helper.program},
      .timeout = helper.timeout};
  child.command.insert(child.command.end(), helper.arguments.begin(), helper.arguments.end());
  child.command.insert(child.command.end(), {"get", host.display()});
  ASSIGN_OR_RETURN(std::string output, RunChild(child));
  boost::system::error_code failed;
  boost::json::value answer = boost::json::parse({output.data(), output.size()}, failed);
  const boost::json::value* token =
      !failed && answer.is_object() ? answer.get_object().if_contains("token") : nullptr;
  bool readable = !failed && answer.is_object() && (token == nullptr || token->is_string());
  if (!readable) {
    // Its output is not shown: it may be the token.
    return FailInvalid(
        "the credentials helper \"{}\" wrote no object like "
        "{{\"token\":\"…\"}} for {}",
        child.command.front(), host.display());
  }
  if (token == nullptr) return std::string();
  return std::string(token->get_string().data(), token->get_string().size());
}

Result<std::string> Credentials::FindToken(const HostName& host) {
  std::string token;
  auto setting = settings_.find(host.ascii());
  auto kept = std::ranges::find(kept_, host.ascii(), &clients::StoredCredential::host);
  if (setting != settings_.end()) {
    token = setting->second;
  } else if (kept != kept_.end()) {
    token = kept->token;
  } else if (helper_) {
    ASSIGN_OR_RETURN(token, FromHelper(host));
  }
  if (IsSendable(token)) return token;
  return FailInvalid(
      "the token stored for {} contains a space, a line break or another character "
      "that is not allowed in a token: copy it again (it is not shown here)",
      host.display());
}

Result<std::string> Credentials::FromHelper(const HostName& host) {
  SteadyTime now = clock_.Now();
  if (auto known = answers_.Find(host.ascii(), now)) return *std::move(known);
  Result<std::string> token = AskCredentialsHelper(*helper_, host);
  answers_.Put(host.ascii(), token, now + (token ? kHelperTtl : kHelperFailureTtl));
  return token;
}

TokenSource Credentials::Source(std::function<void(const Error&)> on_failure) {
  return [this, on_failure = std::move(on_failure)](const HostName& host) -> std::string {
    Result<std::string> token = FindToken(host);
    if (token) return *std::move(token);
    if (on_failure) on_failure(token.error());
    return {};
  };
}

}  // namespace koya::upstream
