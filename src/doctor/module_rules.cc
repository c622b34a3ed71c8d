#include "doctor/module_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "doctor/discovery_rules.h"
#include "http/media_type.h"
#include "wire/modules.h"

namespace koya::doctor {
namespace {

constexpr std::string_view kLoginFix =
    "log in (\"tofu login HOST\"), set TF_TOKEN_…, or use --token";

// What a status that is neither success nor "not found" means to a client that has, or has not, a
// token. A private registry may well want one, so that alone is no failure.
Finding JudgeRefusal(const std::string& step, const RecordedAnswer& exchange, bool token_was_sent) {
  unsigned status = exchange.status;
  if (status == 401 || status == 403) {
    std::string message = fmt::format("{} answers {}", exchange.final_url().ToString(), status);
    if (!token_was_sent)
      return Warning(step, message + ": it requires a token", std::string(kLoginFix));
    return Failed(step, message + ", with the token that was sent",
                  "use a token that can read, and check whether it has expired");
  }
  if (status == 429) {
    return Warning(step, "the registry reports too many requests (429)",
                   "wait, then try again; a limit must allow a client's first run");
  }
  return Failed(step, fmt::format("{} answers {}", exchange.final_url().ToString(), status),
                status >= 500 ? "check the server's log"
                              : "respond with 200, or with 404 for missing packages");
}

std::string_view Trim(std::string_view text, char c) {
  while (text.ends_with(c)) text.remove_suffix(1);
  return text;
}

// What clients read the location from; nothing when they would find none. On a 200, OpenTofu reads
// the body first and wants JSON there, while Terraform only ever reads the header; on a 204 both
// read the header.
std::optional<std::string> LocationIn(const RecordedAnswer& exchange, ClientKind client,
                                      Findings& findings) {
  std::string header = exchange.Get("X-Terraform-Get").value_or("");
  if (exchange.status == 200 && client == ClientKind::kOpenTofu) {
    Result<std::string> body = wire::DecodeModuleLocation(exchange.body);
    if (body && !body->empty()) return *body;
    if (!body && header.empty()) {
      findings.push_back(
          Failed("module",
                 "OpenTofu reads the location from the body of a 200, "
                 "and finds none: " +
                     body.error().message,
                 "respond with 204 and X-Terraform-Get, or with 200 and {\"location\":…}"));
      return std::nullopt;
    }
  }
  if (!header.empty()) return header;
  findings.push_back(Failed(
      "module",
      fmt::format("the download response ({}) has no X-Terraform-Get: {} finds no archive",
                  exchange.status, client == ClientKind::kTerraform ? "Terraform" : "OpenTofu"),
      "respond with 204 and an X-Terraform-Get field"));
  return std::nullopt;
}

struct Parameter {
  std::string_view name;
  std::string_view value;
};

std::vector<Parameter> Parameters(std::string_view query) {
  std::vector<Parameter> parameters;
  while (!query.empty()) {
    std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
    std::size_t equals = std::min(one.find('='), one.size());
    parameters.push_back({one.substr(0, equals), one.substr(std::min(one.size(), equals + 1))});
  }
  return parameters;
}

// What the clients' fetcher unpacks, told by the end of the path or by ?archive=. A bare .tar is
// not among them, and Content-Type is not looked at.
constexpr std::array<std::string_view, 8> kArchives{".tar.gz", ".tgz",     ".zip",  ".tar.xz",
                                                    ".txz",    ".tar.bz2", ".tbz2", ".xz"};

std::string ArchiveSuffix(std::string_view path, std::string_view archive_parameter) {
  std::string wanted = archive_parameter.empty() ? "" : "." + std::string(archive_parameter);
  for (std::string_view suffix : kArchives) {
    if (wanted.empty() ? path.ends_with(suffix) : wanted == suffix) return std::string(suffix);
  }
  return {};
}

// Takes "//sub" off the path of a location, as the clients' fetcher does.
void CutSubfolder(http::Url& url) {
  std::size_t double_slash = url.path.find("//");
  if (double_slash != std::string::npos) url.path.resize(double_slash);
}

// Anything else without a scheme ("x.zip") is an error to the clients.
bool IsRelative(std::string_view location) {
  return location.starts_with('/') || location.starts_with("./") || location.starts_with("../");
}

// "archive" and "checksum" speak to the fetcher, which takes them out of the request; the others
// (a signature, say) stay.
void ReadParameters(ArchiveLocation& archive, Findings& findings) {
  std::string kept;
  std::string_view kind;
  std::string query = archive.url.query;
  for (const Parameter& each : Parameters(query)) {
    if (each.name == "archive") {
      kind = each.value;
    } else if (each.name == "checksum") {
      Result<Digest> digest = Digest::Parse(each.value);
      if (digest) archive.checksum = *digest;
    } else {
      kept += fmt::format("{}{}={}", kept.empty() ? "" : "&", each.name, each.value);
    }
  }
  archive.suffix = ArchiveSuffix(archive.url.path, kind);
  archive.url.query = kept;
  if (!archive.checksum) {
    findings.push_back(Warning(
        "module", "the location has no sha256 checksum: a client cannot detect a changed archive",
        "add ?checksum=sha256:<hex> to the location"));
  }
}

std::string Listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size() && i < 5; ++i) {
    text += (text.empty() ? "\"" : ", \"") + Printable(words[i], 40) + "\"";
  }
  return words.size() > 5 ? text + ", …" : text;
}

}  // namespace

Finding JudgeUnknown(const std::string& step, const RecordedAnswer& exchange, bool token_was_sent) {
  unsigned status = exchange.status;
  if (status == 404) {
    bool json = http::IsJsonMediaType(exchange.Get("Content-Type").value_or(""));
    if (json) return Ok(step, "responds, and returns 404 for missing modules");
    return Warning(
        step,
        fmt::format(
            "{} returns 404, but not as JSON: it may be a web server that does not know the path",
            exchange.final_url().ToString()),
        "check that the service's path reaches the registry");
  }
  if (status == 200) {
    return Warning(step, "it returns 200 for a module that does not exist",
                   "return 404: clients then report that it does not exist");
  }
  return JudgeRefusal(step, exchange, token_was_sent);
}

VersionsVerdict JudgeVersions(const RecordedAnswer& exchange, bool token_was_sent) {
  VersionsVerdict verdict;
  if (exchange.status == 404) {
    verdict.findings.push_back(
        Failed("module", "the registry has no such module (404)", "check the address"));
    return verdict;
  }
  if (exchange.status != 200) {
    verdict.findings.push_back(JudgeRefusal("module", exchange, token_was_sent));
    return verdict;
  }
  Result<wire::ModuleVersions> document = wire::DecodeModuleVersions(exchange.body);
  if (!document) {
    verdict.findings.push_back(Failed("module", document.error().message,
                                      "return {\"modules\":[{\"versions\":[{\"version\":…}]}]}"));
    return verdict;
  }
  std::vector<std::string> odd;
  for (const std::string& text : document->versions) {
    Result<Version> version = Version::Parse(text);
    if (!version) {
      odd.push_back(text);
    } else if (!version->is_prerelease() && (!verdict.newest || *version > *verdict.newest)) {
      verdict.newest = *version;
    }
  }
  if (!odd.empty()) {
    verdict.findings.push_back(
        Warning("module", fmt::format("clients disagree on how to read {}", Listed(odd)),
                "publish versions as MAJOR.MINOR.PATCH[-PRERELEASE] only"));
  }
  if (!verdict.newest) {
    verdict.findings.push_back(Failed("module", "no version that a client would choose by itself",
                                      "publish a version that is not a prerelease"));
    return verdict;
  }
  verdict.findings.push_back(
      Ok("module", fmt::format("{} versions, the newest is {}", document->versions.size(),
                               verdict.newest->ToString())));
  return verdict;
}

DownloadVerdict JudgeDownload(const RecordedAnswer& exchange, ClientKind client) {
  DownloadVerdict verdict;
  if (exchange.status != 200 && exchange.status != 204) {
    verdict.findings.push_back(
        Failed("module", fmt::format("the download returns status {}", exchange.status),
               "respond with 204 and an X-Terraform-Get field"));
    return verdict;
  }
  std::optional<std::string> text = LocationIn(exchange, client, verdict.findings);
  if (!text) return verdict;
  // Relative locations are resolved against the requested URL, not against the target of redirects.
  Result<http::Url> url = http::ParseUrl(*text);
  if (!url && IsRelative(*text)) url = http::ResolveUrl(exchange.first, *text);
  bool fetched = url && (url->scheme == "https" || url->scheme == "http");
  if (!fetched) {
    // "git::https://…", "s3::…", or a scheme of the fetcher's: allowed, but not ours to follow.
    bool other = text->find("::") != std::string::npos || url.has_value();
    verdict.findings.push_back(
        other ? Ok("module",
                   fmt::format("the location \"{}\" is resolved by the client's own fetcher",
                               Printable(*text)))
              : Failed("module",
                       fmt::format("clients cannot follow the location \"{}\"", Printable(*text)),
                       "use an absolute https URL"));
    return verdict;
  }
  if (IsRelative(*text)) {
    verdict.findings.push_back(Warning("module",
                                       "the location is relative: some tools do not "
                                       "resolve it, others do it differently",
                                       "use an absolute https URL"));
  }
  if (url->scheme == "http") {
    verdict.findings.push_back(
        Failed("module", "the archive's location is not https", "serve archives over https"));
  }
  ArchiveLocation archive{.url = *std::move(url), .checksum = {}, .suffix = {}};
  CutSubfolder(archive.url);
  ReadParameters(archive, verdict.findings);
  if (archive.suffix.empty()) {
    verdict.findings.push_back(
        Failed("module",
               fmt::format("\"{}\" does not say what kind of archive it is",
                           Trim(Printable(archive.url.path), '/')),
               "let the path end in .tar.gz or .zip, or add ?archive=tar.gz"));
    return verdict;
  }
  verdict.archive = std::move(archive);
  return verdict;
}

Findings JudgeArchive(const ArchiveLocation& location, const ArchiveFacts& facts) {
  if (facts.status != 200) {
    return {Failed(
        "module",
        fmt::format("the archive returns status {} (clients send no token there)", facts.status),
        "serve archives without authentication, or under signed URLs")};
  }
  Findings findings;
  // The fetcher asks HEAD first and goes on whatever the answer, but proxies and caches may not.
  if (facts.head_status >= 400) {
    findings.push_back(
        Warning("module", fmt::format("HEAD on the archive returns status {}", facts.head_status),
                "respond as to GET, without the body"));
  }
  if (location.checksum && *location.checksum != facts.digest) {
    findings.push_back(Failed("module",
                              fmt::format("the archive's checksum is {}, not {}",
                                          facts.digest.ToString(), location.checksum->ToString()),
                              "the archive was changed or truncated: publish it again"));
  }
  bool zip = facts.first_bytes.starts_with("PK");
  bool gzip = facts.first_bytes.starts_with("\x1f\x8b");
  bool wrong = (location.suffix == ".zip" && !zip) ||
               ((location.suffix == ".tar.gz" || location.suffix == ".tgz") && !gzip);
  if (wrong) {
    findings.push_back(
        Failed("module",
               fmt::format("the archive is not a {}, as its URL says", location.suffix.substr(1)),
               "end the URL with the archive's extension"));
  }
  if (findings.empty()) {
    findings.push_back(
        Ok("module", fmt::format("archive of {} bytes{}", facts.size,
                                 location.checksum ? ", the checksum matches" : "")));
  }
  return findings;
}

}  // namespace koya::doctor
