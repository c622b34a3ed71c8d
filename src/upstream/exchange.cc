#include "upstream/exchange.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace koya::upstream {
namespace {

bool IsRedirect(unsigned status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// Not when a redirect leads away and another one back: who stands between may have read it.
bool KeepsToken(const Exchange& exchange) {
  const http::Url& asked = exchange.first;
  return std::ranges::all_of(exchange.redirects, [&](const http::Url& each) {
    return each.scheme == asked.scheme && each.Authority() == asked.Authority();
  });
}

http::ClientRequest RequestFor(const Question& question, const Exchange& exchange) {
  http::ClientRequest request;
  request.method = question.method;
  request.url = exchange.final_url().ToString();
  request.fields = question.fields;
  request.max_body = question.max_body;
  request.sink = question.sink;
  if (!question.token.empty() && KeepsToken(exchange)) {
    request.fields.emplace_back("Authorization", "Bearer " + question.token);
  }
  return request;
}

}  // namespace

std::optional<std::string> Exchange::Get(std::string_view name) const {
  for (const auto& [field, value] : fields) {
    if (EqualsIgnoreCase(field, name)) return value;
  }
  return std::nullopt;
}

Result<Exchange> Ask(http::Client& client, const Question& question) {
  Exchange exchange;
  exchange.first = question.url;
  auto started = std::chrono::steady_clock::now();
  while (true) {
    http::ClientRequest request = RequestFor(question, exchange);
    ASSIGN_OR_RETURN(http::ClientResponse response, client.Send(request));
    auto location = response.Get("Location");
    bool onward = IsRedirect(response.status) && location.has_value() &&
                  exchange.redirects.size() < kMaxRedirects;
    if (!onward) {
      exchange.status = response.status;
      exchange.fields = std::move(response.fields);
      exchange.body = std::move(response.body);
      break;
    }
    Result<http::Url> next = http::ResolveUrl(exchange.final_url(), *location);
    if (!next) {
      return Fail(ErrorKind::kInvalid,
                  fmt::format("{} redirects to \"{}\", which is no URL",
                              exchange.final_url().ToString(), Printable(*location)));
    }
    exchange.redirects.push_back(*std::move(next));
  }
  exchange.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - started);
  return exchange;
}

}  // namespace koya::upstream
