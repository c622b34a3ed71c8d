#include "upstream/modules/git_remote.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "base/handle.h"
#include "base/text.h"
#include "http/client/proxy_choice.h"

namespace koya::upstream {
namespace {

constexpr std::string_view kReferences = "/info/refs";
constexpr std::string_view kService = "service=git-upload-pack";
constexpr std::string_view kSmart = "application/x-git-upload-pack-advertisement";

using AddressList = Handle<addrinfo, ::freeaddrinfo>;

Failure BadRemote(std::string words) { return Fail(ErrorKind::kBadUpstream, std::move(words)); }

// A look-up may take as long as the system's resolver needs: the caller may leave earlier.
struct LookedUp {
  std::mutex mutex;
  std::condition_variable_any done;
  std::optional<int> code;
  int system_error = 0;
  AddressList list;
};

void AskResolver(const std::shared_ptr<LookedUp>& answer, const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  int code = ::getaddrinfo(host.c_str(), nullptr, &hints, &list);
  std::lock_guard lock(answer->mutex);
  answer->system_error = errno;
  answer->code = code;
  if (code == 0) answer->list.reset(list);
  answer->done.notify_all();
}

Result<AddressList> LookUp(const std::string& host, std::chrono::nanoseconds time,
                           const std::stop_token& stop) {
  auto answer = std::make_shared<LookedUp>();
  std::thread([answer, host] { AskResolver(answer, host); }).detach();
  std::unique_lock lock(answer->mutex);
  bool done = answer->done.wait_for(lock, stop, time, [&] { return answer->code.has_value(); });
  if (stop.stop_requested()) return GivenUp();
  if (!done) {
    return Fail(ErrorKind::kUpstreamTimeout,
                fmt::format("the host {} was not found in time", host));
  }
  if (*answer->code == 0) return std::move(answer->list);
  return BadRemote(fmt::format("the host {} cannot be found: {}", host,
                               *answer->code == EAI_SYSTEM
                                   ? std::generic_category().message(answer->system_error)
                                   : ::gai_strerror(*answer->code)));
}

// The addresses of `host` that may be connected to. Fails, when there are none, with why not.
Result<std::vector<std::string>> AllowedAddresses(const Fetcher& fetcher, const std::string& host,
                                                  const Deadline& patience) {
  ASSIGN_OR_RETURN(AddressList list,
                   LookUp(host, patience.deadline - fetcher.clock().Now(), patience.stop));
  std::vector<std::string> allowed;
  Status refused = BadRemote(fmt::format("the host {} has no address", host));
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0,
                      NI_NUMERICHOST) != 0) {
      continue;
    }
    if (Status may = fetcher.addresses().Check(text.data()); may) {
      allowed.emplace_back(text.data());
    } else {
      refused = std::move(may);
    }
  }
  if (allowed.empty()) {
    refused.error().message = fmt::format("{}: {}", host, refused.error().message);
    return Failure(std::move(refused).error());
  }
  return allowed;
}

// "ID<TAB>refs/…" in its first line: a list of references that lies there as a file.
bool IsListOfReferences(std::string_view body) {
  std::size_t digits = std::min(body.find_first_not_of("0123456789abcdef"), body.size());
  return (digits == 40 || digits == 64) && body.substr(digits).starts_with("\trefs/");
}

struct FoundRepository {
  http::Url url;        // after redirects
  std::string address;  // of the server that answered
  bool plain_files = false;
};

Result<FoundRepository> AskForReferences(Fetcher& fetcher, http::Url url,
                                         const Deadline& patience) {
  while (url.path.ends_with('/')) url.path.pop_back();
  url.path += kReferences;
  url.query = kService;
  ASSIGN_OR_RETURN(
      Document answer,
      fetcher.Get({.url = url,
                   .what = "the git repository",
                   .fields = {{"Git-Protocol", "version=2"}},
                   .patience = patience,
                   .closed_advice = "repositories are fetched without credentials over https, so "
                                    "this one does not exist or is not public; git::ssh:// uses "
                                    "the keys of the server's user"}));
  http::Url base = answer.url;
  bool smart = answer.content_type == kSmart;
  bool known = smart || IsListOfReferences(answer.body);
  if (!known || !base.path.ends_with(kReferences)) {
    return BadRemote(fmt::format(
        "{} is not a git repository that can be fetched: it responded with the Content-Type \"{}\"",
        PlaceOf(url), Printable(answer.content_type, 80)));
  }
  base.path.resize(base.path.size() - kReferences.size());
  base.query.clear();
  return FoundRepository{std::move(base), std::move(answer.address), !smart};
}

Result<GitRemote> ResolveHttps(Fetcher& fetcher, const GitLocation& location,
                               const Deadline& patience) {
  ASSIGN_OR_RETURN(FoundRepository found, AskForReferences(fetcher, location.url, patience));
  const http::Url& url = found.url;
  const UpstreamOptions& options = fetcher.options();
  auto seconds = std::chrono::ceil<std::chrono::seconds>(options.timeout).count();
  GitRemote remote{.url = url.ToString(), .protocol = "https", .plain_files = found.plain_files};
  remote.configuration = {"http.followRedirects=false", "http.lowSpeedLimit=1",
                          fmt::format("http.lowSpeedTime={}", seconds)};
  if (!options.ca_file.empty()) remote.environment.push_back("GIT_SSL_CAINFO=" + options.ca_file);
  // Who runs the server has chosen the proxy, and it looks names up.
  std::string proxy = http::ProxyFor(url, [](const char* name) { return std::getenv(name); });
  if (!proxy.empty()) {
    remote.environment.push_back("https_proxy=" + proxy);
    return remote;
  }
  // Where our own rules led, and not what the name means by now.
  bool v6 = found.address.find(':') != std::string::npos;
  remote.configuration.push_back(fmt::format("http.curloptResolve={}:{}:{}", url.host,
                                             url.PortNumber(),
                                             v6 ? "[" + found.address + "]" : found.address));
  return remote;
}

std::string Quoted(std::string_view word) {
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Host keys are those that the server's user knows, under the repository's own host name.
Result<GitRemote> ResolveSsh(Fetcher& fetcher, const GitLocation& location,
                             const std::string& ssh_program, const Deadline& patience) {
  const http::Url& url = location.url;
  ASSIGN_OR_RETURN(auto addresses, AllowedAddresses(fetcher, url.host, patience));
  auto seconds = std::chrono::ceil<std::chrono::seconds>(fetcher.options().timeout).count();
  bool usual = url.port.empty() || url.port == "22";
  std::vector<std::string> command{ssh_program};
  for (const std::string& option :
       {std::string("BatchMode=yes"), std::string("StrictHostKeyChecking=yes"),
        "HostName=" + addresses.front(),
        "HostKeyAlias=" + (usual ? url.host : fmt::format("[{}]:{}", url.host, url.port)),
        fmt::format("ConnectTimeout={}", seconds),
        fmt::format("ServerAliveInterval={}", std::max<std::int64_t>(seconds / 2, 1)),
        std::string("ServerAliveCountMax=2"), std::string("UpdateHostKeys=no"),
        std::string("ForwardAgent=no"), std::string("ClearAllForwardings=yes"),
        std::string("PermitLocalCommand=no"), std::string("ControlPath=none")}) {
    command.insert(command.end(), {"-o", option});
  }
  for (std::string& word : command) word = Quoted(word);
  GitRemote remote{.url = url.ToString(), .protocol = "ssh"};
  if (!location.user.empty()) remote.url.insert(remote.url.find("://") + 3, location.user + "@");
  remote.environment = {fmt::format("GIT_SSH_COMMAND={}", fmt::join(command, " ")),
                        "GIT_SSH_VARIANT=ssh"};
  if (const char* agent = std::getenv("SSH_AUTH_SOCK")) {
    remote.environment.push_back(fmt::format("SSH_AUTH_SOCK={}", agent));
  }
  return remote;
}

}  // namespace

Result<GitRemote> ResolveGitRemote(Fetcher& fetcher, const GitLocation& location,
                                   const std::string& ssh_program, const Deadline& patience) {
  if (location.url.scheme == "ssh") return ResolveSsh(fetcher, location, ssh_program, patience);
  RETURN_IF_ERROR(fetcher.CheckUrl("the git repository", location.url));
  return ResolveHttps(fetcher, location, patience);
}

}  // namespace koya::upstream
