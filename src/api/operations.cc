#include "api/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "api/common/call.h"
#include "api/common/reply.h"
#include "api/routes.h"
#include "base/text.h"
#include "http/server/head_parser.h"
#include "wire/endpoint.h"

namespace koya::api {
namespace {

constexpr std::string_view kBlock = "```api ";
constexpr std::string_view kBlockEnd = "\n```";

// What each part of a path is. In the order of kPathNames.
constexpr std::array<std::pair<std::string_view, std::string_view>, kPathNames.size()> kPathTexts{{
    {"arch", "a CPU architecture: `amd64`"},
    {"file", "the name of a file"},
    {"hostname", "a registry: this server's own name, or one in `upstream.hosts`"},
    {"id", "the `id` from a list"},
    {"key_id", "a key id or a fingerprint"},
    {"kind", "the `kind` from a list"},
    {"language", "a CDKTF language: `python`"},
    {"member", "the name of an account"},
    {"name", "a name"},
    {"namespace", "the first part of an address"},
    {"os", "an operating system: `linux`"},
    {"path", "a path in the archive"},
    {"revision", "the number of a revision"},
    {"system", "a module's target system: `aws`"},
    {"type", "a provider: `aws`"},
    {"version", "a version: `1.2.0`"},
}};

// Of the first that matches, the group.
struct GroupRule {
  std::string_view prefix;
  std::string_view part;  // that the path has, too; "": any
  std::string_view group;
};
constexpr GroupRule kGroupRules[] = {
    {"/v1/modules", "", "modules"},
    {"/v2/modules", "", "modules"},
    {"/download/modules", "", "modules"},
    {"/v1/providers", "", "providers"},
    {"/download/providers", "", "providers"},
    {"/mirror/", "", "mirror"},
    {"/origin/", "", "mirror"},
    {"/-/mirror/", "", "mirror"},
    {"/api/v1/mirror/status", "", "mirror"},
    {"/api/v1/mirror/providers", "", "mirrored-providers"},
    {"/api/v1/mirror/keys", "", "mirrored-providers"},
    {"/api/v1/mirror/modules", "", "mirrored-modules"},
    {"/api/v1/policy", "", "policy"},
    {"/api/v1/modules/", "", "module-versions"},
    {"/api/v1/renovate/modules", "", "modules"},
    {"/api/v1/renovate/providers", "", "providers"},
    {"/api/v1/providers/", "/drafts", "provider-publishing"},
    {"/api/v1/providers/", "/docs", "provider-docs"},
    {"/api/v1/providers/", "/schema", "provider-docs"},
    {"/api/v1/providers/", "", "provider-versions"},
    {"/oauth/", "", "tokens"},
    {"/api/v1/tokens", "", "tokens"},
    {"/api/v1/oidc/", "", "tokens"},
    {"/api/v1/users/", "/password", "sign-in"},
    {"/api/v1/users/", "/sessions", "sign-in"},
    {"/api/v1/sessions", "", "sign-in"},
    {"/api/v1/whoami", "", "sign-in"},
    {"/api/v1/idps", "", "sign-in"},
    {"/api/v1/setup", "", "sign-in"},
    {"/api/v1/users", "", "accounts"},
    {"/api/v1/services", "", "accounts"},
    {"/api/v1/groups", "", "groups"},
    {"/api/v1/namespaces/", "/keys", "keys-and-trust"},
    {"/api/v1/namespaces/", "/trust", "keys-and-trust"},
    {"/api/v1/namespaces", "", "namespaces"},
    {"/api/v1/watches", "", "notifications"},
    {"/api/v1/notifications", "", "notifications"},
    {"/api/v1/usage", "", "usage"},
    {"/api/v1/impact", "", "usage"},
    {"/api/v1/audit", "", "operation"},
    {"/api/v1/admin/", "", "operation"},
    {"/api/v1/verify", "", "operation"},
    {"/-/verify", "", "operation"},
    {"/api/v1/inspect", "", "operation"},
    {"/api/v1/reindex", "", "operation"},
    {"", "", "start"},
};

std::string_view GroupOf(std::string_view path) {
  for (const GroupRule& rule : kGroupRules) {
    if (path.starts_with(rule.prefix) && path.contains(rule.part)) return rule.group;
  }
  return {};
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// What stands before `mark`, and what behind; `mark` is looked for outside of shapes by having
// blanks around it.
std::pair<std::string_view, std::string_view> SplitAt(std::string_view text,
                                                      std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == text.npos) return {Trimmed(text), {}};
  return {Trimmed(text.substr(0, at)), Trimmed(text.substr(at + mark.size()))};
}

std::optional<unsigned> ReadStatus(std::string_view text) {
  unsigned status = 0;
  const auto [stopped, failed] = std::from_chars(text.data(), text.data() + text.size(), status);
  const bool whole = failed == std::errc() && stopped == text.data() + text.size();
  if (!whole || status < 200 || status > 599) return std::nullopt;
  return status;
}

// "Token", or "@application/zip".
wire::ApiBody BodyOf(std::string_view text) {
  if (text.starts_with('@')) return {.media_type = std::string(text.substr(1)), .shape = {}};
  return {.media_type = "application/json", .shape = std::string(text)};
}

// Reads the block of one route.
class BlockReader {
 public:
  explicit BlockReader(wire::ApiOperation& out) : out_(out) {}

  // Whether it could be read.
  bool ReadLine(std::string_view line) {
    const auto [said, text] = SplitAt(line, " -- ");
    if (said.starts_with('?')) return ReadParameter(said.substr(1), text);
    const auto [name, value] = SplitAt(said, ":");
    if (name == "body" || name == "body?" || name == "form") return ReadBody(name, value);
    if (!value.empty()) return ReadAnswer(name, value, text);
    return ReadStatuses(said, text);
  }

 private:
  bool ReadParameter(std::string_view said, std::string_view text) {
    auto [name, shape] = SplitAt(said, ":");
    wire::ApiParameter parameter{.required = name.ends_with('!'), .text = std::string(text)};
    if (parameter.required) name.remove_suffix(1);
    const auto [bare, fallback] = SplitAt(shape, " = ");
    parameter.name = name;
    parameter.shape = bare;
    parameter.fallback = fallback;
    out_.parameters.push_back(std::move(parameter));
    return !name.empty() && !bare.empty();
  }

  bool ReadBody(std::string_view name, std::string_view value) {
    if (out_.body || value.empty()) return false;
    out_.body = BodyOf(value);
    if (name == "form") out_.body->media_type = "application/x-www-form-urlencoded";
    out_.body->required = name != "body?";
    return true;
  }

  bool ReadAnswer(std::string_view name, std::string_view value, std::string_view text) {
    const std::optional<unsigned> status = ReadStatus(name);
    if (!status) return false;
    out_.answers.push_back({.status = *status, .body = BodyOf(value), .text = std::string(text)});
    return true;
  }

  // "204", or "400 404".
  bool ReadStatuses(std::string_view said, std::string_view text) {
    while (!said.empty()) {
      const auto [first, rest] = SplitAt(said, " ");
      const std::optional<unsigned> status = ReadStatus(first);
      if (!status) return false;
      out_.answers.push_back({.status = *status, .body = {}, .text = std::string(text)});
      said = rest;
    }
    return true;
  }

  wire::ApiOperation& out_;
};

[[noreturn]] void ThrowUnread(const Route& route, std::string_view line) {
  throw std::logic_error(
      fmt::format("the block of {} {}: {}", http::MethodName(route.method), route.pattern, line));
}

// Those of the path, before those of the query.
void AddPathParameters(const Route& route, wire::ApiOperation& out) {
  std::vector<wire::ApiParameter> found;
  std::string_view rest = route.pattern;
  for (std::size_t open = rest.find('{'); open != rest.npos; open = rest.find('{')) {
    rest.remove_prefix(open + 1);
    const std::string_view name = rest.substr(0, rest.find('}'));
    const auto text =
        std::ranges::find(kPathTexts, name, &std::pair<std::string_view, std::string_view>::first);
    if (text == kPathTexts.end()) ThrowUnread(route, name);
    found.push_back({.name = std::string(name),
                     .in_path = true,
                     .required = true,
                     .shape = "text",
                     .fallback = {},
                     .text = std::string(text->second)});
  }
  out.parameters.insert(out.parameters.begin(), std::make_move_iterator(found.begin()),
                        std::make_move_iterator(found.end()));
}

void AddError(wire::ApiOperation& out, unsigned status) {
  if (std::ranges::find(out.answers, status, &wire::ApiAnswer::status) != out.answers.end()) return;
  out.answers.push_back({.status = status, .body = {}, .text = {}});
}

// What the table says: who may, and how much may be sent.
void AddRules(const Route& route, wire::ApiOperation& out) {
  const bool is_asked_for = !IsOpen(route.access);
  out.token = IsAnonymous(route.access) ? wire::ApiToken::kNone
              : is_asked_for            ? wire::ApiToken::kNeeded
                                        : wire::ApiToken::kOptional;
  const bool publishes = route.access == Access::kPublish || route.access == Access::kOwner;
  if (publishes) out.scope = "publish";
  const bool needs_admin = route.access == Access::kNamespaceAdmin ||
                           route.access == Access::kGrant || route.access == Access::kAdmin;
  if (needs_admin) out.scope = "admin";
  if (out.token != wire::ApiToken::kNone) AddError(out, 401);
  if (is_asked_for) AddError(out, 403);
  if (route.body != BodyLimit::kNone) AddError(out, 413);
  std::ranges::sort(out.answers, {}, &wire::ApiAnswer::status);
}

// Throws if the block has other documents than the endpoint, which koya's client relies on.
void CheckShapes(const Route& route, const wire::ApiOperation& described) {
  const auto shape_of = [](const wire::ApiBody& body) {
    return body.shape.empty() && !body.media_type.empty() ? "@" : body.shape;
  };
  const std::string request = route.shapes->request.ToString();
  const std::string response = route.shapes->response.ToString();
  if (shape_of(described.body.value_or(wire::ApiBody())) != request) {
    ThrowUnread(route, fmt::format("the endpoint takes \"{}\"", request));
  }
  for (const wire::ApiAnswer& answer : described.answers) {
    if (answer.status >= 300 || shape_of(answer.body) == response) continue;
    ThrowUnread(route, fmt::format("the endpoint answers \"{}\"", response));
  }
}

// What each status is, of all that there are.
std::map<unsigned, std::string> StatusTexts() {
  std::map<unsigned, std::string> texts;
  for (const ErrorCode& code : ErrorCodes()) {
    std::string& text = texts[code.status];
    const std::string_view paragraph =
        std::string_view(code.text).substr(code.text.find_first_not_of('\n'));
    if (!text.empty()) text += "\n\n";
    text += fmt::format("`{}`: {}", code.name, paragraph.substr(0, paragraph.find("\n\n")));
  }
  texts[406] = "`Accept` takes no media type that the response can have.";
  texts[416] = "The requested range is not in the file.";
  return texts;
}

}  // namespace

Operation DescribeOperation(const Route& route, std::string_view details) {
  Operation operation{.route = &route, .described = {}};
  wire::ApiOperation& out = operation.described;
  out.method = AsciiLower(http::MethodName(route.method));
  out.path = route.pattern;
  out.group = GroupOf(route.pattern);
  out.summary = route.summary;
  const std::size_t begin = details.find(kBlock);
  const std::size_t end = details.find(kBlockEnd, begin);
  if (end == details.npos) ThrowUnread(route, "it has no end");
  out.text = details.substr(0, begin);
  while (out.text.ends_with('\n')) out.text.pop_back();
  std::string_view block = details.substr(begin + kBlock.size(), end - begin - kBlock.size());
  const std::size_t first = std::min(block.find('\n'), block.size());
  out.id = block.substr(0, first);
  block.remove_prefix(first);
  BlockReader reader(out);
  while (!block.empty()) {
    block.remove_prefix(1);  // the end of the line before
    const std::string_view line = block.substr(0, block.find('\n'));
    block.remove_prefix(line.size());
    if (!reader.ReadLine(line)) ThrowUnread(route, line);
  }
  if (route.shapes) CheckShapes(route, out);
  AddPathParameters(route, out);
  AddRules(route, out);
  return operation;
}

const std::vector<Operation>& Operations() {
  static const std::vector<Operation> kOperations = [] {
    std::vector<Operation> operations;
    for (const Route& route : Routes()) {
      const std::string_view details = DetailsOf(route);
      if (details.contains(kBlock)) operations.push_back(DescribeOperation(route, details));
    }
    return operations;
  }();
  return kOperations;
}

const std::vector<wire::ApiGroup>& OperationGroups() {
  static const std::vector<wire::ApiGroup> kGroups{
      {"start", "Getting started",
       "Service discovery, search, language models, and this description."},
      {"modules", "Modules", "The module registry protocol, and lists of modules."},
      {"module-versions", "Versions of modules",
       "Publishing, contents, changes, deprecating, withdrawing, verifying."},
      {"providers", "Providers", "The provider registry protocol, and lists of providers."},
      {"provider-versions", "Versions of providers",
       "Contents, changes, deprecating, withdrawing, verifying."},
      {"provider-docs", "Docs of providers", "Documentation pages, and schemas."},
      {"provider-publishing", "Publishing providers",
       "A draft takes the files of a release, is checked and becomes the release."},
      {"mirror", "The mirror", "Other registries' providers and modules, for clients."},
      {"mirrored-providers", "Mirrored providers",
       "Mirrored providers: listing, importing, verifying and removing."},
      {"mirrored-modules", "Mirrored modules",
       "Mirrored modules: listing, importing, verifying and removing."},
      {"policy", "Policy", "Which releases of other registries are handed out, and when."},
      {"namespaces", "Namespaces", "Their visibility, and the roles in them."},
      {"keys-and-trust", "Keys and trust",
       "The keys that sign a namespace's releases, and the CI that can publish in it."},
      {"tokens", "Tokens", "Creating, listing, rotating and revoking tokens."},
      {"sign-in", "Signing in", "The first administrator, passwords, sessions, sign-in providers."},
      {"accounts", "Accounts", "Users and service accounts."},
      {"groups", "Groups", "Groups and their members."},
      {"notifications", "Notifications", "What you watch, and what happened to it."},
      {"usage", "Usage", "Fetches, consumers, and the impact of a withdrawal."},
      {"operation", "Operation",
       "The audit log, servers of a cluster, verification of all stored files, indexes."},
  };
  return kGroups;
}

std::string_view ApiPreface() {
  return R"(- Send a token as `Authorization: Bearer koya_…`. Every request with a token is checked: an unknown, expired or revoked
  token gets 401. While the catalog does not respond, a token that cannot be checked counts as none.
- Routes that only read also take `Authorization: Basic` with a token as the password and any user name, which is what
  clients send from a `.netrc`. There any other Basic field counts as no credentials. All other routes take Bearer only.
- Every failure is `{"errors": ["sentence", …], "code": "not_found", "status": 404}` with `application/json`. A sentence names
  the fault, its place, and the fix; `/-/docs/errors` lists the codes.
- Every response has `X-Request-Id`, which is also in the request's log line.
- GET routes accept HEAD too. Documents have a strong `ETag`, respond to `If-None-Match` with 304, and
  are gzipped for clients that accept it.
)";
}

Result<std::string> OpenApiText(std::string version, std::string url) {
  wire::ApiDescription api{.version = std::move(version),
                           .server = std::move(url),
                           .text = std::string(ApiPreface()),
                           .groups = OperationGroups(),
                           .operations = {},
                           .errors = StatusTexts()};
  for (const Operation& each : Operations()) api.operations.push_back(each.described);
  return wire::EncodeOpenApi(api);
}

}  // namespace koya::api
