// Certificates for tests, made on the spot.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <vector>

namespace koya::upstream {

struct CertificateWish {
  std::string common_name;
  std::string alternative_names = {};  // OpenSSL's form: "IP:127.0.0.1,DNS:a.test"; "" for none
  long valid_from = -3600;             // seconds from now
  long valid_for = 90 * 24 * 3600;     // seconds from now
  bool authority = false;
};

// A certificate with its key. Shared by the copies of a chain.
struct TestCertificate {
  std::shared_ptr<X509> certificate;
  std::shared_ptr<EVP_PKEY> key;
  std::string Pem() const;
};

// Signed by `issuer`, or by itself when there is none.
TestCertificate MakeCertificate(const CertificateWish& wish,
                                const TestCertificate* issuer = nullptr);

// A server's context that shows `chain`, its own certificate first.
std::shared_ptr<SSL_CTX> ServerContext(const std::vector<TestCertificate>& chain);

}  // namespace koya::upstream
