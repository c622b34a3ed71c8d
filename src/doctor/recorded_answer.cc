#include "doctor/recorded_answer.h"

#include "base/text.h"
#include "upstream/guarded_request.h"

namespace koya::doctor {

using upstream::RedirectStep;
using upstream::RedirectTrail;

std::optional<std::string> RecordedAnswer::Get(std::string_view name) const {
  for (const auto& [field, value] : fields) {
    if (EqualsIgnoreCase(field, name)) return value;
  }
  return std::nullopt;
}

Result<RecordedAnswer> Ask(http::Client& client, const Question& question) {
  RedirectTrail trail(question.url);
  auto started = std::chrono::steady_clock::now();
  while (true) {
    http::ClientRequest request{.method = question.method,
                                .url = trail.here().ToString(),
                                .fields = question.fields,
                                .max_body = question.max_body,
                                .sink = question.sink};
    if (trail.keeps_token() && !question.token.empty()) {
      request.fields.emplace_back("Authorization", "Bearer " + question.token);
    }
    ASSIGN_OR_RETURN(http::ClientResponse response, client.Send(request));
    RedirectStep step = trail.FollowRedirect(response);
    if (step == RedirectStep::kOnward) continue;
    if (step == RedirectStep::kNoUrl) {
      return FailInvalid("{} redirects to \"{}\", which is not a URL", trail.here().ToString(),
                         Printable(response.Get("Location").value_or("")));
    }
    return RecordedAnswer{.first = trail.first(),
                          .redirects = trail.redirects(),
                          .status = response.status,
                          .fields = std::move(response.fields),
                          .body = std::move(response.body),
                          .duration = std::chrono::duration_cast<std::chrono::milliseconds>(
                              std::chrono::steady_clock::now() - started)};
  }
}

}  // namespace koya::doctor
