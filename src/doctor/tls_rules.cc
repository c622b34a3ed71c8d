#include "doctor/tls_rules.h"

#include <fmt/format.h>

#include "base/text.h"
#include "wire/admin.h"

namespace koya::doctor {
namespace {

constexpr UnixSeconds kDay = 24 * 60 * 60;
constexpr UnixSeconds kSoon = wire::CertificateState::kSoonDays * kDay;
constexpr std::string_view kTrustFix =
    "on each client, set SSL_CERT_FILE to a PEM file with the authority's certificate, or add it "
    "to the system's certificates";

Finding Fails(std::string message, std::string fix) {
  return Failed("tls", std::move(message), std::move(fix));
}

std::string Names(const CertificateFacts& certificate) {
  std::string text;
  for (const std::string& name : certificate.names) {
    text += (text.empty() ? "" : ", ") + Printable(name, 80);
    if (text.size() > 300) return text + ", …";
  }
  return text.empty() ? "no name" : text;
}

// The clients' TLS library compares with the alternative names alone, and says "relies on legacy
// Common Name field" when there are none.
void JudgeName(const TlsFacts& facts, const std::string& host, Findings& findings) {
  if (facts.name_matches) return;
  const CertificateFacts& leaf = facts.chain.front();
  if (facts.common_name_matches && leaf.names.empty()) {
    findings.push_back(Fails(
        fmt::format("the certificate has \"{}\" only as its common name, which clients ignore",
                    Printable(leaf.common_name)),
        fmt::format("have it issued with {} as a subject alternative name", host)));
    return;
  }
  findings.push_back(Fails(
      fmt::format("the certificate is valid for {}, not for {}", Names(leaf), host),
      fmt::format("use one of those names, or have the certificate issued for {} too", host)));
}

// An expiry that is near; one that has passed shows up as a problem of the chain.
void JudgeTime(const CertificateFacts& leaf, UnixSeconds now, Findings& findings) {
  if (leaf.not_after < now || leaf.not_before > now || leaf.not_after - now > kSoon) return;
  findings.push_back(
      Warning("tls",
              fmt::format("the certificate expires in {} days, on {}",
                          (leaf.not_after - now) / kDay, FormatRfc3339(leaf.not_after)),
              "renew it now, and automate the renewal"));
}

// Names the certificate that expired: it need not be the server's own.
Finding Expired(const TlsFacts& facts, UnixSeconds now) {
  for (const CertificateFacts& each : facts.chain) {
    if (each.not_after >= now) continue;
    return Fails(fmt::format("the certificate {} expired on {}", Printable(each.subject),
                             FormatRfc3339(each.not_after)),
                 "renew it, and make the server load the new one");
  }
  return Fails("a certificate above the chain that the server sends has expired",
               "update the authority's certificate, and the intermediates the server sends");
}

Finding NotYetValid(const TlsFacts& facts) {
  return Fails(fmt::format("the certificate is not valid before {}",
                           FormatRfc3339(facts.chain.front().not_before)),
               "check the clocks of this machine and of the issuer");
}

// The commonest mistake of all: browsers fetch or remember the missing intermediate, so the site
// "works", but clients do neither.
Finding IssuerUnknown(const TlsFacts& facts) {
  const CertificateFacts& last = facts.chain.back();
  if (facts.chain.size() == 1) {
    return Fails(
        fmt::format("the server sends its own certificate alone, and its issuer {} is not trusted "
                    "here: the intermediate certificate is missing, or the authority is a private "
                    "one",
                    Printable(last.issuer)),
        fmt::format("put the intermediates behind the certificate in the server's file (the full "
                    "chain); with a private authority, {}",
                    kTrustFix));
  }
  return Fails(
      fmt::format(
          "the chain of {} certificates ends before a trusted authority: {} is unknown here",
          facts.chain.size(), Printable(last.issuer)),
      std::string(kTrustFix));
}

Finding JudgeProblem(ChainProblem problem, const TlsFacts& facts, UnixSeconds now) {
  switch (problem) {
    case ChainProblem::kExpired:
      return Expired(facts, now);
    case ChainProblem::kNotYetValid:
      return NotYetValid(facts);
    case ChainProblem::kSelfSigned:
      return Fails("the certificate is self-signed, and not trusted here",
                   fmt::format("use a certificate of a known authority; or, {}", kTrustFix));
    case ChainProblem::kUntrustedRoot:
      return Fails(fmt::format("the chain ends in the authority {}, which is not trusted here",
                               Printable(facts.chain.back().subject)),
                   std::string(kTrustFix));
    case ChainProblem::kIssuerUnknown:
      return IssuerUnknown(facts);
    case ChainProblem::kOther:
      break;
  }
  return Fails(fmt::format("the certificate chain does not verify: {}", facts.other_problem),
               "have a new certificate issued by a known authority");
}

}  // namespace

Findings JudgeTls(const TlsFacts& facts, const std::string& host, UnixSeconds now) {
  if (!facts.roots_failure.empty()) {
    return {Fails(facts.roots_failure,
                  "let SSL_CERT_FILE name a PEM file that can be read here, or unset it")};
  }
  if (!facts.handshake_failure.empty() || facts.chain.empty()) {
    return {Fails(fmt::format("no TLS connection: {}", facts.handshake_failure.empty()
                                                           ? "the server sends no certificate"
                                                           : facts.handshake_failure),
                  "clients use only https (TLS 1.2 or 1.3): enable TLS on the port, or put a TLS "
                  "proxy in front of it")};
  }
  Findings findings;
  for (ChainProblem problem : facts.problems) {
    findings.push_back(JudgeProblem(problem, facts, now));
  }
  JudgeName(facts, host, findings);
  JudgeTime(facts.chain.front(), now, findings);
  if (findings.empty()) {
    findings.push_back(Ok("tls", fmt::format("{}, certificate for {} until {}", facts.protocol,
                                             Names(facts.chain.front()),
                                             FormatRfc3339(facts.chain.front().not_after))));
  }
  return findings;
}

}  // namespace koya::doctor
