#include "doctor/discovery_rules.h"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "http/media_type.h"
#include "upstream/guarded_request.h"

namespace koya::doctor {
namespace {

namespace json = boost::json;

constexpr std::string_view kLoginStep = "login.v1";
// Clients listen on a port of this range on loopback, and refuse a range that leaves it.
constexpr int kLowestPort = 1024;
constexpr int kHighestPort = 65535;

Finding LoginFails(std::string message, std::string fix) {
  return Failed(std::string(kLoginStep), std::move(message), std::move(fix));
}

std::optional<std::string> String(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(json::string_view(key.data(), key.size()));
  if (value == nullptr || !value->is_string() || value->as_string().empty()) return std::nullopt;
  return std::string(value->as_string().data(), value->as_string().size());
}

// Relative URLs are fine: they are resolved as service URLs are.
void JudgeUrl(const json::object& login, std::string_view key, const http::Url& document,
              Findings& findings) {
  std::optional<std::string> text = String(login, key);
  if (!text) {
    findings.push_back(LoginFails(fmt::format("\"{}\" is missing or not a string", key),
                                  fmt::format("set it to the path of the {} endpoint", key)));
    return;
  }
  Result<http::Url> url = http::ResolveUrl(document, *text);
  if (!url || url->scheme != "https") {
    findings.push_back(LoginFails(
        fmt::format("\"{}\" is \"{}\", which is not an https URL", key, Printable(*text)),
        "passwords and codes are sent there: use https"));
  }
}

// The other grant that exists, password, is used for one public host only. Without grant_types,
// clients take authz_code for granted.
bool OffersAuthorizationCode(const json::object& login) {
  const json::value* types = login.if_contains("grant_types");
  if (types == nullptr) return true;
  return types->is_array() && std::ranges::any_of(types->as_array(), [](const json::value& type) {
           return type.is_string() && type.as_string() == "authz_code";
         });
}

bool IsPort(const json::value& value) {
  return value.is_int64() && value.as_int64() >= kLowestPort && value.as_int64() <= kHighestPort;
}

// The range is half open in the clients: max itself is never tried.
void JudgePorts(const json::object& login, Findings& findings) {
  const json::value* ports = login.if_contains("ports");
  if (ports == nullptr) return;
  bool pair = ports->is_array() && ports->as_array().size() == 2 && IsPort(ports->as_array()[0]) &&
              IsPort(ports->as_array()[1]);
  if (!pair || ports->as_array()[0].as_int64() > ports->as_array()[1].as_int64()) {
    findings.push_back(
        LoginFails(fmt::format("\"ports\" is {}", Printable(json::serialize(*ports), 60)),
                   "use two ports from 1024 to 65535, the lower one first"));
  } else if (ports->as_array()[0].as_int64() == ports->as_array()[1].as_int64()) {
    findings.push_back(
        LoginFails("\"ports\" is a single port: clients never use the upper one, so they find none",
                   "use a range, for example [10000, 10010]"));
  }
}

void JudgeScopes(const json::object& login, Findings& findings) {
  const json::value* scopes = login.if_contains("scopes");
  if (scopes == nullptr) return;
  bool strings =
      scopes->is_array() &&
      std::ranges::all_of(scopes->as_array(), [](const auto& each) { return each.is_string(); });
  if (!strings) {
    findings.push_back(
        LoginFails("\"scopes\" is not an array of strings", "make it an array, or leave it out"));
  }
}

}  // namespace

Findings JudgeLogin(std::string_view value, const http::Url& document) {
  boost::system::error_code failed;
  json::value parsed = json::parse({value.data(), value.size()}, failed);
  if (failed || !parsed.is_object()) {
    return {LoginFails("its value is not an object", "set client, authz, token and ports")};
  }
  const json::object& login = parsed.as_object();
  Findings findings;
  if (!String(login, "client")) {
    findings.push_back(
        LoginFails("\"client\" is missing or not a string", "set it to the OAuth client's id"));
  }
  if (OffersAuthorizationCode(login)) {
    JudgeUrl(login, "authz", document, findings);
  } else {
    findings.push_back(
        LoginFails("\"grant_types\" does not contain \"authz_code\", the one that clients use",
                   "add it, or leave grant_types out"));
  }
  JudgeUrl(login, "token", document, findings);
  JudgePorts(login, findings);
  JudgeScopes(login, findings);
  if (findings.empty())
    findings.push_back(Ok(std::string(kLoginStep), "\"tofu login\" can work with it"));
  return findings;
}

namespace {

namespace json = boost::json;

constexpr std::string_view kDiscoveryStep = "discovery";
// Terraform, and OpenTofu before 1.11, set this limit themselves; later ones take their HTTP
// library's, which is ten.
constexpr std::size_t kOldClientRedirects = 3;
// The clients' size limit: a longer document reaches them as broken JSON.
constexpr std::size_t kMaxDocument = 1 << 20;
// Half of what the least patient client (OpenTofu: 10 s for the whole exchange) allows.
constexpr std::chrono::milliseconds kSlow{5'000};

Finding DiscoveryFails(std::string message, std::string fix) {
  return Failed(std::string(kDiscoveryStep), std::move(message), std::move(fix));
}

// The final URL matters twice: service URLs are resolved against it, and the token goes where it
// leads.
Findings JudgeRedirects(const RecordedAnswer& exchange) {
  Findings findings;
  std::size_t count = exchange.redirects.size();
  if (count > kOldClientRedirects) {
    findings.push_back(DiscoveryFails(
        fmt::format(
            "the document is behind {} redirects; Terraform follows {}",
            count >= upstream::RedirectTrail::kMaxRedirects ? "too many" : std::to_string(count),
            kOldClientRedirects),
        "serve the well-known path itself, without redirects"));
  }
  for (const http::Url& url : exchange.redirects) {
    if (url.scheme != "https") {
      findings.push_back(DiscoveryFails(
          fmt::format("a redirect leads to {}, which is not https: the user's token would be sent "
                      "in the clear",
                      url.Origin()),
          "redirect to https only"));
    }
  }
  if (exchange.final_url().host != exchange.first.host) {
    findings.push_back(Warning(
        std::string(kDiscoveryStep),
        fmt::format("the document comes from another host, {}: service URLs without a host mean "
                    "that host",
                    exchange.final_url().host),
        fmt::format("serve the document on {} itself", exchange.first.host)));
  }
  return findings;
}

// Nothing when the status is 200. Clients try discovery once: no status is retried.
std::optional<Finding> JudgeStatus(unsigned status) {
  if (status == 200) return std::nullopt;
  if (status == 404) {
    return DiscoveryFails(
        "there is no discovery document (404): to clients the host has no services",
        "serve /.well-known/terraform.json; check that a proxy passes the path on");
  }
  if (status == 401 || status == 403) {
    return DiscoveryFails(
        fmt::format("the document is protected ({}): clients stop here, even those that "
                    "could log in",
                    status),
        "serve the document to all clients, whatever the Authorization field says");
  }
  return DiscoveryFails(
      fmt::format("the document is served with status {}, which clients do not retry", status),
      "respond with 200; the server's log should say why it does not");
}

// Unlike every other answer of a registry, this one's type is checked by the clients.
std::optional<Finding> JudgeMediaType(const std::optional<std::string>& type) {
  if (type && http::IsJsonMediaType(*type)) return std::nullopt;
  return DiscoveryFails(
      type ? fmt::format("the Content-Type is \"{}\": clients accept only application/json",
                         Printable(*type))
           : "the document has no Content-Type: clients reject it",
      "send Content-Type: application/json");
}

std::string Spelled(const json::value& value) { return Printable(json::serialize(value), 80); }

// "modules.v2" when `id` is missing and "modules.v1" was wanted; "" when there is none.
std::string OtherVersion(const json::object& document, std::string_view id) {
  std::string_view name = id.substr(0, id.find('.') + 1);
  for (const auto& member : document) {
    std::string_view key(member.key().data(), member.key().size());
    if (key.starts_with(name) && key != id) return std::string(key);
  }
  return {};
}

// The one form that every client and every tool takes is a path on the same host with a slash at
// its end: updatecli puts "https://HOST" before whatever is written, Terragrunt takes what has no
// scheme for a path, Trivy and Dependabot want https or a path.
Findings JudgeForm(const std::string& step, std::string_view value, const http::Url& document,
                   const http::Url& base) {
  if (base.has_user_info) {
    // Its text is not repeated: it holds a password.
    return {Failed(step, "its URL contains a user name or password: clients reject it",
                   "leave the user information out")};
  }
  Findings findings;
  if (base.scheme != "https") {
    findings.push_back(Failed(step,
                              fmt::format("its URL {} is not https: tokens and archives "
                                          "would travel in the clear",
                                          base.ToString()),
                              "serve it over https"));
  }
  if (!base.query.empty() || !base.fragment.empty()) {
    findings.push_back(
        Failed(step, "its URL has a query or a fragment, which clients drop when they add a path",
               "leave it out"));
  }
  if (!base.path.ends_with('/')) {
    bool providers = step.starts_with("providers.");
    findings.push_back(
        providers
            ? Failed(step,
                     fmt::format("\"{}\" does not end in a slash: clients replace its last part",
                                 Printable(value)),
                     fmt::format("write \"{}/\"", Printable(value)))
            : Warning(step,
                      fmt::format("\"{}\" does not end in a slash: some tools replace its last "
                                  "part",
                                  Printable(value)),
                      fmt::format("write \"{}/\"", Printable(value))));
  }
  bool root_relative = value.starts_with('/') && !value.starts_with("//");
  if (!root_relative) {
    findings.push_back(
        Warning(step,
                fmt::format("\"{}\" is not a path on this host: some tools put the host before it",
                            Printable(value)),
                base.host == document.host ? fmt::format("write \"{}\"", base.path)
                                           : "serve it on the registry's own host, and write its "
                                             "path, for example \"/v1/modules/\""));
  }
  return findings;
}

// A service of the registry protocols: its value must be a URL. Clients look for the exact id and
// negotiate nothing.
void JudgeService(std::string_view id, const json::object& document, const http::Url& url,
                  DiscoveryVerdict& verdict) {
  std::string step(id);
  const json::value* value = document.if_contains(json::string_view(id.data(), id.size()));
  if (value == nullptr) {
    std::string other = OtherVersion(document, id);
    if (!other.empty()) {
      verdict.findings.push_back(
          Warning(step, fmt::format("it offers {}, which current clients do not know", other),
                  fmt::format("offer {} too", id)));
    }
    return;
  }
  if (!value->is_string()) {
    verdict.findings.push_back(
        Failed(step, fmt::format("its value is {}: clients expect a string", Spelled(*value)),
               "write the service's path, for example \"/v1/modules/\""));
    return;
  }
  std::string_view text(value->as_string().data(), value->as_string().size());
  Result<http::Url> base = http::ResolveUrl(url, text);
  if (!base || (base->scheme != "https" && base->scheme != "http")) {
    verdict.findings.push_back(Failed(
        step, fmt::format("its value \"{}\" is not a URL that clients can use", Printable(text)),
        "write the service's path, for example \"/v1/modules/\""));
    return;
  }
  Findings findings = JudgeForm(step, text, url, *base);
  // Clients add the slash for modules; for providers they really call the parent, but calling it
  // would not help to find faults behind it.
  if (!base->path.ends_with('/')) base->path += '/';
  base->query.clear();
  base->fragment.clear();
  bool callable = !base->has_user_info;
  if (findings.empty()) {
    findings.push_back(Ok(step, fmt::format("announced at {}", base->ToString())));
  }
  Append(verdict.findings, std::move(findings));
  if (callable) verdict.services.push_back({step, *std::move(base)});
}

void JudgeServices(const json::object& document, const http::Url& url, DiscoveryVerdict& verdict) {
  for (std::string_view id : {"modules.v1", "providers.v1"}) {
    JudgeService(id, document, url, verdict);
  }
  if (const json::value* login = document.if_contains("login.v1")) {
    Append(verdict.findings, JudgeLogin(json::serialize(*login), url));
  }
  bool any = document.contains("modules.v1") || document.contains("providers.v1");
  if (!any) {
    verdict.findings.push_back(Warning(
        std::string(kDiscoveryStep), "the document offers neither modules.v1 nor providers.v1",
        "list the services of this registry, for example {\"modules.v1\":\"/v1/modules/\"}"));
  }
}

void JudgeBody(const RecordedAnswer& exchange, DiscoveryVerdict& verdict) {
  boost::system::error_code failed;
  json::value document = json::parse({exchange.body.data(), exchange.body.size()}, failed);
  if (failed || !document.is_object()) {
    verdict.findings.push_back(
        DiscoveryFails(failed ? fmt::format("the document is not JSON: {}", failed.message())
                              : "the document is JSON, but not an object",
                       "serve an object, for example {\"modules.v1\":\"/v1/modules/\"}"));
    return;
  }
  if (!AnyFailure(verdict.findings)) {
    verdict.findings.push_back(
        Ok(std::string(kDiscoveryStep),
           fmt::format("{} in {} ms", exchange.final_url().ToString(), exchange.duration.count())));
  }
  JudgeServices(document.as_object(), exchange.final_url(), verdict);
}

}  // namespace

DiscoveryVerdict JudgeDiscovery(const RecordedAnswer& exchange) {
  DiscoveryVerdict verdict;
  verdict.findings = JudgeRedirects(exchange);
  if (std::optional<Finding> status = JudgeStatus(exchange.status)) {
    verdict.findings.push_back(*std::move(status));
    return verdict;
  }
  if (auto type = JudgeMediaType(exchange.Get("Content-Type"))) verdict.findings.push_back(*type);
  if (exchange.body.size() > kMaxDocument) {
    verdict.findings.push_back(DiscoveryFails(
        "the document is larger than 1 MiB: clients cut it off there", "make it smaller"));
    return verdict;
  }
  if (exchange.duration > kSlow) {
    verdict.findings.push_back(
        Warning(std::string(kDiscoveryStep),
                fmt::format("it took {} ms; clients give up after 10 s", exchange.duration.count()),
                "find the slow part: the name servers, a proxy or the server"));
  }
  JudgeBody(exchange, verdict);
  return verdict;
}

}  // namespace koya::doctor
