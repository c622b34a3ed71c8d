#include "doctor/network_probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

namespace koya::doctor {
namespace {

// Each may cost a whole timeout; a name with more addresses than this has enough of them tried.
constexpr std::size_t kMaxAddresses = 8;

struct AddressCloser {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, AddressCloser>;

AddressList LookUp(std::string host, std::uint16_t port, std::string& failure) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (code == 0) return AddressList(list);
  failure = code == EAI_SYSTEM ? std::generic_category().message(errno) : ::gai_strerror(code);
  return nullptr;
}

std::string Spell(const addrinfo& address) {
  std::array<char, NI_MAXHOST> text{};
  ::getnameinfo(address.ai_addr, address.ai_addrlen, text.data(), text.size(), nullptr, 0,
                NI_NUMERICHOST);
  return address.ai_family == AF_INET6 ? fmt::format("[{}]", text.data())
                                       : std::string(text.data());
}

// 0, or the errno of the attempt.
int Await(int fd, std::chrono::seconds timeout) {
  pollfd waiting{.fd = fd, .events = POLLOUT, .revents = 0};
  int ready = 0;
  do {
    ready = ::poll(&waiting, 1, static_cast<int>(timeout.count() * 1000));
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) return ETIMEDOUT;
  int outcome = 0;
  socklen_t size = sizeof outcome;
  if (ready < 0 || ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &outcome, &size) != 0) return errno;
  return outcome;
}

// Connects without blocking, to be able to give up, then makes the socket blocking for TLS.
UniqueFd Connect(const addrinfo& address, std::chrono::seconds timeout, std::string& failure) {
  UniqueFd fd(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  int outcome = fd.valid() ? 0 : errno;
  if (fd.valid() && ::connect(fd.get(), address.ai_addr, address.ai_addrlen) != 0) {
    outcome = errno == EINPROGRESS ? Await(fd.get(), timeout) : errno;
  }
  if (outcome != 0) {
    failure = std::generic_category().message(outcome);
    return {};
  }
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) & ~O_NONBLOCK);
  timeval patience{.tv_sec = timeout.count(), .tv_usec = 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  return fd;
}

std::string Addresses(const NetworkFacts& facts) {
  std::string text;
  for (const ConnectionFacts& each : facts.connections) {
    text += (text.empty() ? "" : ", ") + each.address;
  }
  return text;
}

Finding JudgeConnections(const NetworkFacts& facts) {
  std::string broken;
  std::size_t failures = 0;
  for (const ConnectionFacts& each : facts.connections) {
    if (each.failure.empty()) continue;
    ++failures;
    broken += fmt::format("{}{}: {}", broken.empty() ? "" : ", ", each.address, each.failure);
  }
  if (failures == facts.connections.size()) {
    return Failed("tcp", fmt::format("no connection to port {} ({})", facts.port, broken),
                  "check that the server runs and listens there, and that firewalls let it "
                  "through");
  }
  if (failures > 0) {
    return Warning("tcp",
                   fmt::format("not every address responds on port {} ({})", facts.port, broken),
                   "clients lose time there: remove the address from DNS, or make it respond");
  }
  return Ok("tcp", fmt::format("port {} responds", facts.port));
}

}  // namespace

NetworkProbe ProbeNetwork(const std::string& host, std::uint16_t port,
                          std::chrono::seconds timeout) {
  NetworkProbe probe;
  probe.facts.host = host;
  probe.facts.port = port;
  AddressList list = LookUp(host, port, probe.facts.lookup_failure);
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    if (probe.facts.connections.size() == kMaxAddresses) break;
    ConnectionFacts facts{.address = Spell(*each), .failure = {}};
    UniqueFd connection = Connect(*each, timeout, facts.failure);
    probe.facts.connections.push_back(std::move(facts));
    if (!probe.connection.valid()) probe.connection = std::move(connection);
  }
  return probe;
}

Findings JudgeNetwork(const NetworkFacts& facts) {
  if (!facts.lookup_failure.empty() || facts.connections.empty()) {
    return {Failed("dns",
                   fmt::format("{} has no address: {}", facts.host,
                               facts.lookup_failure.empty() ? "none found" : facts.lookup_failure),
                   "check the spelling, and the name servers of this machine")};
  }
  return {Ok("dns", fmt::format("{} is {}", facts.host, Addresses(facts))),
          JudgeConnections(facts)};
}

}  // namespace koya::doctor
