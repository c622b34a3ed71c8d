#include "signing/rnp_session.h"

#include <rnp/rnp_err.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace koya::signing {
namespace {

constinit thread_local int quiet_depth = 0;

}  // namespace

QuietStderr::QuietStderr() { ++quiet_depth; }
QuietStderr::~QuietStderr() { --quiet_depth; }

Status RnpOk(rnp_result_t result, std::string_view doing) {
  if (result == RNP_SUCCESS) return {};
  return Fail(ErrorKind::kInternal, "OpenPGP is unavailable at the moment",
              std::string(doing) + ": " + rnp_result_to_string(result));
}

Result<RnpSession> RnpSession::Open(UnixSeconds now) {
  rnp_ffi_t made = nullptr;
  RETURN_IF_ERROR(
      RnpOk(rnp_ffi_create(&made, RNP_KEYSTORE_GPG, RNP_KEYSTORE_GPG), "rnp_ffi_create"));
  Ffi ffi(made);
  // Zero would be the system's time.
  const auto time = static_cast<std::uint64_t>(std::max<UnixSeconds>(now, 1));
  RETURN_IF_ERROR(RnpOk(rnp_set_timestamp(ffi.get(), time), "rnp_set_timestamp"));
  RETURN_IF_ERROR(RnpOk(rnp_add_security_rule(ffi.get(), RNP_FEATURE_HASH_ALG, "SHA1",
                                              RNP_SECURITY_OVERRIDE, 0, RNP_SECURITY_DEFAULT),
                        "rnp_add_security_rule"));
  return RnpSession(std::move(ffi));
}

bool RnpSession::Import(std::string_view bytes, std::uint32_t kinds) {
  const RnpInput input = RnpBytes(bytes);
  return input != nullptr &&
         rnp_import_keys(ffi_.get(), input.get(), kinds, nullptr) == RNP_SUCCESS;
}

RnpKey RnpSession::PrimaryKey() {
  rnp_identifier_iterator_t made = nullptr;
  if (rnp_identifier_iterator_create(ffi_.get(), &made, "fingerprint") != RNP_SUCCESS) return {};
  const RnpIdentifiers identifiers(made);
  RnpKey primary;
  const char* fingerprint = nullptr;
  while (rnp_identifier_iterator_next(identifiers.get(), &fingerprint) == RNP_SUCCESS &&
         fingerprint != nullptr) {
    rnp_key_handle_t located = nullptr;
    if (rnp_locate_key(ffi_.get(), "fingerprint", fingerprint, &located) != RNP_SUCCESS) return {};
    RnpKey key(located);
    bool is_primary = false;
    if (key == nullptr || rnp_key_is_primary(key.get(), &is_primary) != RNP_SUCCESS) return {};
    if (!is_primary) continue;
    if (primary != nullptr) return {};
    primary = std::move(key);
  }
  return primary;
}

RnpInput RnpBytes(std::string_view bytes) {
  rnp_input_t input = nullptr;
  rnp_input_from_memory(&input, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                        false);
  return RnpInput(input);
}

Result<RnpOutput> RnpBuffer() {
  rnp_output_t output = nullptr;
  RETURN_IF_ERROR(RnpOk(rnp_output_to_memory(&output, 0), "rnp_output_to_memory"));
  return RnpOutput(output);
}

Result<std::string> TakeBytes(const RnpOutput& output) {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  RETURN_IF_ERROR(RnpOk(rnp_output_memory_get_buf(output.get(), &bytes, &size, false),
                        "rnp_output_memory_get_buf"));
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

}  // namespace koya::signing

// Libraries that are compiled with _FORTIFY_SOURCE, as all of Debian's are, print through glibc's
// __fprintf_chk. A definition in the program comes before that of glibc: this one looks at the
// thread's wish and hands everything else on, with its checks.
#ifdef __GLIBC__
// NOLINTBEGIN(bugprone-reserved-identifier): the names are glibc's
extern "C" int __vfprintf_chk(FILE* stream, int flag, const char* format, va_list arguments);
extern "C" int __fprintf_chk(FILE* stream, int flag, const char* format, ...);

extern "C" int __fprintf_chk(FILE* stream, int flag, const char* format, ...) {
  if (stream == stderr && koya::signing::quiet_depth > 0) return 0;
  va_list arguments;
  va_start(arguments, format);
  const int written = __vfprintf_chk(stream, flag, format, arguments);
  va_end(arguments);
  return written;
}
// NOLINTEND(bugprone-reserved-identifier)
#endif
