// Result<T>: a value or an Error, and the macros that propagate errors. The compiler rejects a call
// whose Status is ignored; clang-tidy rejects one whose Result is.
//
//   ASSIGN_OR_RETURN(Version version, Version::Parse(text));        // in a function
//   ASSIGN_OR_CO_RETURN(Blob blob, co_await blobs.Open(digest));    // in a coroutine
//   RETURN_IF_ERROR(Check(x));   CO_RETURN_IF_ERROR(co_await Store(x));
#pragma once

#include <expected>

#include "base/error.h"

namespace koya {

template <class T>
using Result = std::expected<T, Error>;
using Status [[clang::warn_unused_result]] = Result<void>;

}  // namespace koya

#define KOYA_CONCAT_INNER(a, b) a##b
#define KOYA_CONCAT(a, b) KOYA_CONCAT_INNER(a, b)

#define KOYA_ASSIGN_OR(tmp, decl, expr, ret)             \
  auto tmp = (expr);                                     \
  if (!tmp) ret std::unexpected(std::move(tmp).error()); \
  decl = *std::move(tmp)

#define ASSIGN_OR_RETURN(decl, ...) \
  KOYA_ASSIGN_OR(KOYA_CONCAT(koya_tmp_, __LINE__), decl, (__VA_ARGS__), return)
#define ASSIGN_OR_CO_RETURN(decl, ...) \
  KOYA_ASSIGN_OR(KOYA_CONCAT(koya_tmp_, __LINE__), decl, (__VA_ARGS__), co_return)

#define KOYA_IF_ERROR(tmp, expr, ret) \
  if (auto tmp = (expr); !tmp) ret std::unexpected(std::move(tmp).error())

#define RETURN_IF_ERROR(...) KOYA_IF_ERROR(KOYA_CONCAT(koya_tmp_, __LINE__), (__VA_ARGS__), return)
#define CO_RETURN_IF_ERROR(...) \
  KOYA_IF_ERROR(KOYA_CONCAT(koya_tmp_, __LINE__), (__VA_ARGS__), co_return)
