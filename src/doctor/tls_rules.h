// Checks a server's certificate chain as the clients do. Pure: facts in, findings out.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "doctor/finding.h"

namespace koya::doctor {

struct CertificateFacts {
  std::string subject;  // "CN=registry.example.com"
  std::string issuer;
  std::string common_name;         // of the subject
  std::vector<std::string> names;  // subject alternative names: host names and addresses
  UnixSeconds not_before = 0;
  UnixSeconds not_after = 0;
  bool self_signed = false;
};

enum class ChainProblem {
  kExpired,  // a certificate of the chain
  kNotYetValid,
  kSelfSigned,     // the server's certificate is self-signed and not trusted
  kUntrustedRoot,  // the chain ends in a root that is not trusted
  kIssuerUnknown,  // the issuer of the last certificate sent is neither sent nor trusted
  kOther,
};

struct TlsFacts {
  std::string roots_failure;            // why the trusted roots could not be read here
  std::string handshake_failure;        // why the handshake failed; the rest is empty then
  std::string protocol;                 // "TLSv1.3"
  std::vector<CertificateFacts> chain;  // as sent, the server's own first
  std::vector<ChainProblem> problems;   // each once
  std::string other_problem;            // text for kOther
  bool name_matches = false;            // one of the alternative names is the host
  bool common_name_matches = false;
};

Findings JudgeTls(const TlsFacts& facts, const std::string& host, UnixSeconds now);

}  // namespace koya::doctor
