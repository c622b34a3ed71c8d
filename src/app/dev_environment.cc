#include "app/dev_environment.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <memory>
#include <system_error>
#include <vector>

#include "app/private_file.h"
#include "base/encoding.h"
#include "base/handle.h"
#include "http/url.h"

namespace koya {
namespace {

using Key = Handle<EVP_PKEY, EVP_PKEY_free>;
using Certificate = Handle<X509, X509_free>;
using Bio = Handle<BIO, BIO_free_all>;
using Names = Handle<GENERAL_NAMES, GENERAL_NAMES_free>;
using Extension = Handle<X509_EXTENSION, X509_EXTENSION_free>;

constexpr UnixSeconds kDay = 86400;
constexpr UnixSeconds kClockSkew = 3600;  // a client whose clock is behind trusts it all the same
constexpr UnixSeconds kAuthorityLife = 3650 * kDay;
constexpr UnixSeconds kServerLife = 397 * kDay;
constexpr UnixSeconds kRenewBefore = 30 * kDay;

Failure CryptoFailure(std::string_view what) {
  std::array<char, 256> reason{};
  ERR_error_string_n(ERR_get_error(), reason.data(), reason.size());
  ERR_clear_error();
  return Fail(ErrorKind::kInternal, "the development certificates could not be created",
              std::string(what) + ": " + reason.data());
}

std::string Contents(BIO* memory) {
  char* data = nullptr;
  long size = BIO_get_mem_data(memory, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

Key ReadKey(const std::string& pem) {
  Bio memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Key key(PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  return key;
}

Certificate ReadCertificate(const std::string& pem) {
  Bio memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Certificate certificate(PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  return certificate;
}

Result<CertifiedKey> WritePem(X509* certificate, EVP_PKEY* key) {
  Bio certificate_text(BIO_new(BIO_s_mem()));
  Bio key_text(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_text.get(), certificate) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return CryptoFailure("write PEM");
  }
  return CertifiedKey{Contents(certificate_text.get()), Contents(key_text.get())};
}

// 127 random bits, as RFC 5280 §4.1.2.2 wants: positive and never used twice.
Result<std::string> SetRandomSerial(X509* certificate) {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) return CryptoFailure("random serial");
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7F) | 0x40);
  std::unique_ptr<BIGNUM, Freed<BN_free>> number(BN_bin2bn(bytes.data(), bytes.size(), nullptr));
  if (!number || !BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate))) {
    return CryptoFailure("serial");
  }
  return HexEncode(std::as_bytes(std::span(bytes)));
}

Status SetName(X509_NAME* name, const std::string& common_name) {
  auto add = [name](const char* field, const std::string& text) {
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                      reinterpret_cast<const unsigned char*>(text.data()),
                                      static_cast<int>(text.size()), -1, 0) == 1;
  };
  if (!add("O", "Koya development") || !add("CN", common_name)) return CryptoFailure("name");
  return {};
}

Status SetValidity(X509* certificate, UnixSeconds now, UnixSeconds life) {
  std::time_t begin = now - kClockSkew;
  std::time_t end = now + life;
  if (ASN1_TIME_set(X509_getm_notBefore(certificate), begin) == nullptr ||
      ASN1_TIME_set(X509_getm_notAfter(certificate), end) == nullptr) {
    return CryptoFailure("validity");
  }
  return {};
}

// An extension in OpenSSL's configuration language; `text` is a literal of ours.
Status AddExtension(X509* certificate, X509* issuer, int id, const char* text) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  Extension extension(X509V3_EXT_conf_nid(nullptr, &context, id, text));
  if (!extension || X509_add_ext(certificate, extension.get(), -1) != 1) {
    return CryptoFailure(text);
  }
  return {};
}

// The address's bytes in network order, or "" when `name` is not one.
std::string AddressBytes(const std::string& name) {
  std::array<char, 16> bytes{};
  if (::inet_pton(AF_INET, name.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  if (::inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1) return {bytes.data(), 16};
  return {};
}

bool AddAlternativeName(GENERAL_NAMES* names, const std::string& name) {
  std::string address = AddressBytes(name);
  const std::string& text = address.empty() ? name : address;
  std::unique_ptr<ASN1_STRING, Freed<ASN1_STRING_free>> value(
      ASN1_STRING_type_new(address.empty() ? V_ASN1_IA5STRING : V_ASN1_OCTET_STRING));
  std::unique_ptr<GENERAL_NAME, Freed<GENERAL_NAME_free>> entry(GENERAL_NAME_new());
  if (!value || !entry ||
      ASN1_STRING_set(value.get(), text.data(), static_cast<int>(text.size())) != 1) {
    return false;
  }
  GENERAL_NAME_set0_value(entry.get(), address.empty() ? GEN_DNS : GEN_IPADD, value.release());
  if (sk_GENERAL_NAME_push(names, entry.get()) <= 0) return false;
  static_cast<void>(entry.release());  // the stack owns it now
  return true;
}

Status AddAlternativeNames(X509* certificate, const std::vector<std::string>& wanted) {
  Names names(GENERAL_NAMES_new());
  if (!names) return CryptoFailure("names");
  for (const std::string& name : wanted) {
    if (!AddAlternativeName(names.get(), name)) return CryptoFailure("name " + name);
  }
  if (X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, X509V3_ADD_DEFAULT) !=
      1) {
    return CryptoFailure("alternative names");
  }
  return {};
}

struct Draft {
  Certificate certificate;
  Key key;
  std::string serial;
};

// A version 3 certificate with a new key and everything but names, extensions and signature.
Result<Draft> NewDraft(UnixSeconds now, UnixSeconds life) {
  Draft draft{Certificate(X509_new()), Key(EVP_EC_gen("P-256")), {}};
  if (!draft.certificate || !draft.key) return CryptoFailure("new key");
  X509* certificate = draft.certificate.get();
  if (X509_set_version(certificate, X509_VERSION_3) != 1 ||
      X509_set_pubkey(certificate, draft.key.get()) != 1) {
    return CryptoFailure("new certificate");
  }
  ASSIGN_OR_RETURN(draft.serial, SetRandomSerial(certificate));
  RETURN_IF_ERROR(SetValidity(certificate, now, life));
  return draft;
}

bool LastsUntil(X509* certificate, UnixSeconds end) {
  std::time_t time = end;
  return X509_cmp_time(X509_get0_notAfter(certificate), &time) > 0;
}

bool HasBegun(X509* certificate, UnixSeconds now) {
  std::time_t time = now;
  return X509_cmp_time(X509_get0_notBefore(certificate), &time) < 0;
}

bool IsFor(X509* certificate, const std::string& name) {
  if (!AddressBytes(name).empty()) return X509_check_ip_asc(certificate, name.c_str(), 0) == 1;
  return X509_check_host(certificate, name.data(), name.size(), 0, nullptr) == 1;
}

}  // namespace

Result<CertifiedKey> MakeCertificateAuthority(UnixSeconds now) {
  ASSIGN_OR_RETURN(Draft draft, NewDraft(now, kAuthorityLife));
  X509* certificate = draft.certificate.get();
  // A part of the serial in the name: two such CAs in one store are not taken for each other.
  X509_NAME* name = X509_get_subject_name(certificate);
  RETURN_IF_ERROR(SetName(name, "Koya development CA " + draft.serial.substr(0, 8)));
  if (X509_set_issuer_name(certificate, name) != 1) return CryptoFailure("issuer");
  RETURN_IF_ERROR(
      AddExtension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0"));
  RETURN_IF_ERROR(
      AddExtension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign"));
  RETURN_IF_ERROR(AddExtension(certificate, certificate, NID_subject_key_identifier, "hash"));
  if (X509_sign(certificate, draft.key.get(), EVP_sha256()) == 0) return CryptoFailure("sign");
  return WritePem(certificate, draft.key.get());
}

Result<CertifiedKey> IssueServerCertificate(const CertifiedKey& authority,
                                            const std::vector<std::string>& names,
                                            UnixSeconds now) {
  Certificate issuer = ReadCertificate(authority.certificate);
  Key issuer_key = ReadKey(authority.key);
  if (!issuer || !issuer_key) return CryptoFailure("read the CA");
  ASSIGN_OR_RETURN(Draft draft, NewDraft(now, kServerLife));
  X509* certificate = draft.certificate.get();
  // A common name has at most 64 characters, and clients look at the alternative names only.
  RETURN_IF_ERROR(SetName(X509_get_subject_name(certificate), "Koya development server"));
  if (X509_set_issuer_name(certificate, X509_get_subject_name(issuer.get())) != 1) {
    return CryptoFailure("issuer");
  }
  struct {
    int id;
    const char* text;
  } extensions[] = {{NID_basic_constraints, "critical,CA:FALSE"},
                    {NID_key_usage, "critical,digitalSignature"},
                    {NID_ext_key_usage, "serverAuth"},
                    {NID_subject_key_identifier, "hash"},
                    {NID_authority_key_identifier, "keyid:always"}};
  for (const auto& [id, text] : extensions) {
    RETURN_IF_ERROR(AddExtension(certificate, issuer.get(), id, text));
  }
  RETURN_IF_ERROR(AddAlternativeNames(certificate, names));
  if (X509_sign(certificate, issuer_key.get(), EVP_sha256()) == 0) return CryptoFailure("sign");
  return WritePem(certificate, draft.key.get());
}

bool IsUsableAuthority(const CertifiedKey& authority, UnixSeconds now) {
  Certificate certificate = ReadCertificate(authority.certificate);
  Key key = ReadKey(authority.key);
  bool usable = certificate && key && X509_check_private_key(certificate.get(), key.get()) == 1 &&
                X509_check_ca(certificate.get()) == 1 && HasBegun(certificate.get(), now) &&
                LastsUntil(certificate.get(), now + kServerLife);
  ERR_clear_error();
  return usable;
}

bool IsUsableServerCertificate(const CertifiedKey& server, const CertifiedKey& authority,
                               const std::vector<std::string>& names, UnixSeconds now) {
  Certificate certificate = ReadCertificate(server.certificate);
  Key key = ReadKey(server.key);
  Certificate issuer = ReadCertificate(authority.certificate);
  bool usable =
      certificate && key && issuer && X509_check_private_key(certificate.get(), key.get()) == 1 &&
      X509_verify(certificate.get(), X509_get0_pubkey(issuer.get())) == 1 &&
      HasBegun(certificate.get(), now) && LastsUntil(certificate.get(), now + kRenewBefore) &&
      std::ranges::all_of(names,
                          [&](const std::string& name) { return IsFor(certificate.get(), name); });
  ERR_clear_error();
  return usable;
}

namespace {

constexpr mode_t kSecret = 0600;
constexpr mode_t kPublic = 0644;

Status MakeFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder.parent_path(), error);
  if (error) return Failure(ErrnoError("create " + folder.parent_path().string(), error.value()));
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return Failure(ErrnoError("create " + folder.string(), errno));
  }
  // It may have been made by hand, with the usual mode.
  if (::chmod(folder.c_str(), 0700) != 0) {
    return Failure(ErrnoError("chmod " + folder.string(), errno));
  }
  return {};
}

Result<CertifiedKey> ReadPair(const std::filesystem::path& certificate,
                              const std::filesystem::path& key) {
  CertifiedKey pair;
  ASSIGN_OR_RETURN(pair.certificate, ReadSmallFile(certificate));
  ASSIGN_OR_RETURN(pair.key, ReadSmallFile(key));
  return pair;
}

// Replaces the key first: if only it is replaced, the pair does not match and is made again next
// time.
Status WritePair(const CertifiedKey& pair, const std::filesystem::path& certificate,
                 const std::filesystem::path& key) {
  RETURN_IF_ERROR(WriteFileAtomically(key, pair.key, kSecret));
  return WriteFileAtomically(certificate, pair.certificate, kPublic);
}

std::vector<std::string> CertificateNames(const http::Url& url) {
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  std::string host = url.host;
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  if (std::ranges::find(names, host) == names.end()) names.push_back(host);
  return names;
}

// In single quotes, for a POSIX shell.
std::string ShellQuoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string EnvironmentText(const DevPaths& paths, const DevAccess& access) {
  std::string text = fmt::format(
      "# Written by `koya serve --dev` when it starts. Use it: . {}\n"
      "export SSL_CERT_FILE={}\nexport KOYA_URL={}\nexport KOYA_TOKEN={}\n",
      ShellQuoted(paths.environment.string()), ShellQuoted(paths.ca_certificate.string()),
      ShellQuoted(access.url), ShellQuoted(access.token));
  if (!access.metrics_url.empty()) {
    text += fmt::format("export KOYA_METRICS={}\n", ShellQuoted(access.metrics_url));
  }
  return text;
}

// The names under which clients on this machine know the server. Clients refuse a credentials
// block for an IPv6 address.
std::vector<std::string> CredentialHosts(const http::Url& url) {
  std::vector<std::string> hosts;
  if (!url.host.starts_with('[')) hosts.push_back(url.Authority());
  if (!http::IsLoopbackHost(url.host)) return hosts;
  std::string port = url.port.empty() ? "" : ":" + url.port;
  for (std::string name : {"127.0.0.1" + port, "localhost" + port}) {
    if (std::ranges::find(hosts, name) == hosts.end()) hosts.push_back(std::move(name));
  }
  return hosts;
}

std::string ClientConfigurationText(const http::Url& url, const std::string& token) {
  std::string text =
      "# Written by `koya serve --dev` when it starts. Use it: export TF_CLI_CONFIG_FILE=…/"
      "client.tfrc\n";
  for (const std::string& host : CredentialHosts(url)) {
    text += fmt::format("credentials \"{}\" {{\n  token = \"{}\"\n}}\n", host, token);
  }
  return text;
}

}  // namespace

DevPaths::DevPaths(const std::filesystem::path& data)
    : folder(std::filesystem::absolute(data).lexically_normal() / "dev"),
      ca_certificate(folder / "ca.pem"),
      ca_key(folder / "ca.key"),
      certificate(folder / "server.pem"),
      key(folder / "server.key"),
      admin_token(folder / "admin.token"),
      environment(folder / "env"),
      client_configuration(folder / "client.tfrc") {}

Status EnsureDevCertificates(const DevPaths& paths, std::string_view url, const Clock& clock) {
  ASSIGN_OR_RETURN(http::Url parsed, http::ParseUrl(url));
  RETURN_IF_ERROR(MakeFolder(paths.folder));
  UnixSeconds now = clock.Now();
  ASSIGN_OR_RETURN(CertifiedKey authority, ReadPair(paths.ca_certificate, paths.ca_key));
  if (!IsUsableAuthority(authority, now)) {
    ASSIGN_OR_RETURN(authority, MakeCertificateAuthority(now));
    RETURN_IF_ERROR(WritePair(authority, paths.ca_certificate, paths.ca_key));
  }
  std::vector<std::string> names = CertificateNames(parsed);
  ASSIGN_OR_RETURN(CertifiedKey server, ReadPair(paths.certificate, paths.key));
  if (IsUsableServerCertificate(server, authority, names, now)) return {};
  ASSIGN_OR_RETURN(server, IssueServerCertificate(authority, names, now));
  return WritePair(server, paths.certificate, paths.key);
}

Result<std::string> ReadDevToken(const DevPaths& paths) {
  ASSIGN_OR_RETURN(std::string token, ReadSmallFile(paths.admin_token));
  token.erase(token.find_last_not_of("\r\n \t") + 1);
  return token;
}

Status WriteDevFiles(const DevPaths& paths, const DevAccess& access) {
  ASSIGN_OR_RETURN(http::Url url, http::ParseUrl(access.url));
  RETURN_IF_ERROR(MakeFolder(paths.folder));
  RETURN_IF_ERROR(WriteFileAtomically(paths.admin_token, access.token + "\n", kSecret));
  RETURN_IF_ERROR(WriteFileAtomically(paths.environment, EnvironmentText(paths, access), kSecret));
  return WriteFileAtomically(paths.client_configuration, ClientConfigurationText(url, access.token),
                             kSecret);
}

}  // namespace koya
