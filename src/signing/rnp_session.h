// RAII wrapper for one use of librnp: its context, which is never shared, its handles, and its
// silence.
#pragma once

#include <rnp/rnp.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/handle.h"
#include "base/result.h"

namespace koya::signing {

using RnpInput = Handle<rnp_input_st, rnp_input_destroy>;
using RnpOutput = Handle<rnp_output_st, rnp_output_destroy>;
using RnpKey = Handle<rnp_key_handle_st, rnp_key_handle_destroy>;
using RnpUserId = Handle<rnp_uid_handle_st, rnp_uid_handle_destroy>;
using RnpText = Handle<char, rnp_buffer_destroy>;
using RnpGenerate = Handle<rnp_op_generate_st, rnp_op_generate_destroy>;
using RnpSign = Handle<rnp_op_sign_st, rnp_op_sign_destroy>;
using RnpIdentifiers = Handle<rnp_identifier_iterator_st, rnp_identifier_iterator_destroy>;

// librnp as Debian builds it writes remarks about its input directly to stderr, past its
// configurable log, and has no option against it. Koya's stderr is its log, and those remarks are
// about untrusted bytes.
//
// While an object exists, output that libraries write to stderr with fprintf on this thread is
// dropped. Takes no descriptor; other threads, other streams and our own code are not affected. May
// be nested.
class QuietStderr {
 public:
  QuietStderr();
  ~QuietStderr();
  QuietStderr(const QuietStderr&) = delete;
  QuietStderr& operator=(const QuietStderr&) = delete;
};

// kInternal, with rnp's message in the detail.
Status RnpOk(rnp_result_t result, std::string_view doing);

// A key ring in memory. Belongs to the thread that created it, and silences librnp there.
class RnpSession {
 public:
  // rnp takes `now` as the current time. SHA-1 signatures that bind user ids and subkeys count, as
  // they do for clients. Fails: kInternal.
  static Result<RnpSession> Open(UnixSeconds now);

  rnp_ffi_t ffi() const { return ffi_.get(); }
  // Adds the keys in binary `bytes`, which must outlive the session: public or secret, according to
  // `kinds` (RNP_LOAD_SAVE_…). False when rnp cannot read them.
  bool Import(std::string_view bytes, std::uint32_t kinds);
  // The only primary key; nullptr when there is none, or more than one.
  RnpKey PrimaryKey();

 private:
  using Ffi = Handle<rnp_ffi_st, rnp_ffi_destroy>;
  explicit RnpSession(Ffi ffi) : ffi_(std::move(ffi)) {}

  Ffi ffi_;
};

RnpInput RnpBytes(std::string_view bytes);
Result<RnpOutput> RnpBuffer();
Result<std::string> TakeBytes(const RnpOutput& output);

}  // namespace koya::signing
