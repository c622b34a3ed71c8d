#include "doctor/network_probe.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <memory>
#include <system_error>

#include "base/handle.h"

namespace koya::doctor {
namespace {

using Context = Handle<SSL_CTX, SSL_CTX_free>;
using Session = Handle<SSL, SSL_free>;
using AlternativeNames = Handle<GENERAL_NAMES, GENERAL_NAMES_free>;

std::string LastError() {
  unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason != nullptr ? reason : "the connection was closed";
}

std::string Spell(const X509_NAME* name) {
  Handle<BIO, BIO_free_all> text(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(text.get(), name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  char* data = nullptr;
  long size = BIO_get_mem_data(text.get(), &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

std::string CommonName(X509* certificate) {
  std::array<char, 256> text{};
  int size = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName,
                                       text.data(), text.size());
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string();
}

std::string SpellAddress(const ASN1_OCTET_STRING* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  int family = ASN1_STRING_length(address) == 4 ? AF_INET : AF_INET6;
  bool sized = ASN1_STRING_length(address) == 4 || ASN1_STRING_length(address) == 16;
  if (!sized ||
      ::inet_ntop(family, ASN1_STRING_get0_data(address), text.data(), text.size()) == nullptr) {
    return "an address that cannot be read";
  }
  return text.data();
}

std::vector<std::string> NamesOf(X509* certificate) {
  std::vector<std::string> names;
  AlternativeNames found(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; found && i < sk_GENERAL_NAME_num(found.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(found.get(), i);
    if (name->type == GEN_DNS) {
      const ASN1_STRING* text = name->d.dNSName;
      names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                         static_cast<std::size_t>(ASN1_STRING_length(text)));
    } else if (name->type == GEN_IPADD) {
      names.push_back(SpellAddress(name->d.iPAddress));
    }
  }
  return names;
}

UnixSeconds Seconds(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? static_cast<UnixSeconds>(::timegm(&parts)) : 0;
}

// A certificate whose issuer bears its own name; whether it really signed itself is for the chain's
// verification to say.
CertificateFacts Describe(X509* certificate) {
  bool own =
      X509_NAME_cmp(X509_get_subject_name(certificate), X509_get_issuer_name(certificate)) == 0;
  return {.subject = Spell(X509_get_subject_name(certificate)),
          .issuer = Spell(X509_get_issuer_name(certificate)),
          .common_name = CommonName(certificate),
          .names = NamesOf(certificate),
          .not_before = Seconds(X509_get0_notBefore(certificate)),
          .not_after = Seconds(X509_get0_notAfter(certificate)),
          .self_signed = own};
}

ChainProblem ProblemOf(int code) {
  switch (code) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return ChainProblem::kExpired;
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return ChainProblem::kNotYetValid;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return ChainProblem::kSelfSigned;
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return ChainProblem::kUntrustedRoot;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return ChainProblem::kIssuerUnknown;
    default:
      return ChainProblem::kOther;
  }
}

// Called for every problem of the chain; going on finds them all.
int CollectProblem(int good, X509_STORE_CTX* store) {
  if (good == 1) return 1;
  auto* ssl =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto& facts = *static_cast<TlsFacts*>(SSL_get_app_data(ssl));
  int code = X509_STORE_CTX_get_error(store);
  ChainProblem problem = ProblemOf(code);
  if (problem == ChainProblem::kOther) facts.other_problem = X509_verify_cert_error_string(code);
  if (std::ranges::count(facts.problems, problem) == 0) facts.problems.push_back(problem);
  return 1;
}

// As the clients do it: SSL_CERT_FILE replaces the system's file, SSL_CERT_DIR its folder.
bool LoadRoots(SSL_CTX* context, const TrustedRoots& roots) {
  if (roots.ca_file.empty()) {
    if (SSL_CTX_set_default_verify_file(context) != 1) return false;
  } else if (SSL_CTX_load_verify_file(context, roots.ca_file.c_str()) != 1) {
    return false;
  }
  if (roots.ca_directory.empty()) return SSL_CTX_set_default_verify_dir(context) == 1;
  return SSL_CTX_load_verify_dir(context, roots.ca_directory.c_str()) == 1;
}

std::string WithoutBrackets(const std::string& host) {
  return host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
}

bool IsAddress(const std::string& host) {
  std::array<unsigned char, 16> bytes{};
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

// Two answers, so that a certificate of the old style, with a common name alone, can be told from
// one that is made for another host.
void MatchName(X509* leaf, const std::string& host, TlsFacts& facts) {
  if (IsAddress(host)) {
    facts.name_matches = X509_check_ip_asc(leaf, host.c_str(), 0) == 1;
    facts.common_name_matches = facts.chain.front().common_name == host;
    return;
  }
  auto matches = [&](unsigned flags) {
    return X509_check_host(leaf, host.c_str(), host.size(), flags, nullptr) == 1;
  };
  facts.name_matches = matches(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  facts.common_name_matches = matches(X509_CHECK_FLAG_ALWAYS_CHECK_SUBJECT);
}

void ReadChain(SSL* ssl, const std::string& host, TlsFacts& facts) {
  facts.protocol = SSL_get_version(ssl);
  STACK_OF(X509)* chain = SSL_get_peer_cert_chain(ssl);
  for (int i = 0; chain != nullptr && i < sk_X509_num(chain); ++i) {
    facts.chain.push_back(Describe(sk_X509_value(chain, i)));
  }
  if (!facts.chain.empty()) MatchName(sk_X509_value(chain, 0), host, facts);
}

}  // namespace

TlsFacts ProbeTls(int fd, const std::string& url_host, const TrustedRoots& roots) {
  TlsFacts facts;
  std::string host = WithoutBrackets(url_host);
  Context context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // The handshake goes on in spite of problems: they are collected, not obeyed.
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, &CollectProblem);
  if (!LoadRoots(context.get(), roots)) {
    facts.roots_failure = fmt::format("the root certificates in \"{}\" cannot be read: {}",
                                      roots.ca_file, LastError());
    return facts;
  }
  Session session(SSL_new(context.get()));
  SSL_set_app_data(session.get(), &facts);
  SSL_set_fd(session.get(), fd);
  // RFC 6066 allows names only, no addresses, as server name.
  if (!IsAddress(host)) SSL_set_tlsext_host_name(session.get(), host.c_str());
  ERR_clear_error();
  if (SSL_connect(session.get()) != 1) {
    facts.handshake_failure = LastError();
    return facts;
  }
  ReadChain(session.get(), host, facts);
  SSL_shutdown(session.get());
  return facts;
}

namespace {

// Each may cost a whole timeout; a name with more addresses than this has enough of them tried.
constexpr std::size_t kMaxAddresses = 8;

using AddressList = Handle<addrinfo, ::freeaddrinfo>;

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
