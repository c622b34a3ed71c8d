#include "upstream/upstream_fixture_fake.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace koya::upstream {
namespace {

void Require(bool done) {
  if (!done) throw std::runtime_error("OpenSSL could not make the test's certificate");
}

void AddExtension(X509* certificate, X509* issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
  Require(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

void NameIt(X509* certificate, const std::string& common_name) {
  Require(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                                     reinterpret_cast<const unsigned char*>(common_name.c_str()),
                                     -1, -1, 0) == 1);
}

void SetSerial(X509* certificate) {
  std::uint64_t serial = 0;
  Require(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1);
}

}  // namespace

std::string TestCertificate::Pem() const {
  BIO* text = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(text, certificate.get());
  char* data = nullptr;
  long size = BIO_get_mem_data(text, &data);
  std::string pem(data, static_cast<std::size_t>(size));
  BIO_free(text);
  return pem;
}

TestCertificate MakeCertificate(const CertificateWish& wish, const TestCertificate* issuer) {
  TestCertificate made{{X509_new(), X509_free}, {EVP_EC_gen("P-256"), EVP_PKEY_free}};
  X509* certificate = made.certificate.get();
  X509_set_version(certificate, 2);
  SetSerial(certificate);
  X509_gmtime_adj(X509_getm_notBefore(certificate), wish.valid_from);
  X509_gmtime_adj(X509_getm_notAfter(certificate), wish.valid_for);
  X509_set_pubkey(certificate, made.key.get());
  NameIt(certificate, wish.common_name);
  X509* signer = issuer != nullptr ? issuer->certificate.get() : certificate;
  X509_set_issuer_name(certificate, X509_get_subject_name(signer));
  if (wish.authority) {
    AddExtension(certificate, signer, NID_basic_constraints, "critical,CA:TRUE");
    AddExtension(certificate, signer, NID_key_usage, "critical,keyCertSign");
  }
  if (!wish.alternative_names.empty()) {
    AddExtension(certificate, signer, NID_subject_alt_name, wish.alternative_names);
  }
  EVP_PKEY* key = issuer != nullptr ? issuer->key.get() : made.key.get();
  Require(X509_sign(certificate, key, EVP_sha256()) > 0);
  return made;
}

std::shared_ptr<SSL_CTX> ServerContext(const std::vector<TestCertificate>& chain) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  Require(SSL_CTX_use_certificate(context.get(), chain.at(0).certificate.get()) == 1);
  Require(SSL_CTX_use_PrivateKey(context.get(), chain.at(0).key.get()) == 1);
  for (std::size_t i = 1; i < chain.size(); ++i) {
    Require(SSL_CTX_add1_chain_cert(context.get(), chain[i].certificate.get()) == 1);
  }
  return context;
}

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

UpstreamTest::UpstreamTest() { folder_.Write("ca.pem", root_.Pem()); }

std::unique_ptr<ScriptedServer> UpstreamTest::Serve(Respond respond) {
  return std::make_unique<ScriptedServer>(std::move(respond), context_.get());
}

std::unique_ptr<ScriptedServer> UpstreamTest::Serve(ScriptedAnswer answer) {
  return Serve(Respond([answer = std::move(answer)](const ScriptedRequest&) { return answer; }));
}

UpstreamOptions UpstreamTest::Options() const {
  UpstreamOptions options;
  options.user_agent = "koya-test";
  options.ca_file = (folder_ / "ca.pem").string();
  options.timeout = std::chrono::seconds(30);
  options.allow_private_addresses = {"127.0.0.0/8"};
  return options;
}

UpstreamOptions UpstreamTest::HastyOptions(std::chrono::milliseconds timeout) const {
  UpstreamOptions options = Options();
  options.timeout = timeout;
  return options;
}

std::unique_ptr<Fetcher> UpstreamTest::MakeFetcher(UpstreamOptions options) {
  auto fetcher = Fetcher::Create(std::move(options), clock_);
  if (!fetcher) {
    ADD_FAILURE() << fetcher.error().message;
    return nullptr;
  }
  return *std::move(fetcher);
}

}  // namespace koya::upstream
