#include "auth/password.h"

#include <argon2.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "base/encoding.h"
#include "base/secrets.h"
#include "base/sha256.h"
#include "base/text.h"

namespace koya::auth {
namespace {

// What a hash in the catalog may ask for at most.
constexpr unsigned kMostMemoryKib = 256 * 1024;
constexpr unsigned kMostPasses = 16;
constexpr unsigned kLeastMemoryKib = ARGON2_SYNC_POINTS * 2;  // RFC 9106 §3.1: 8 for one lane
constexpr std::size_t kSaltSize = 16;
constexpr std::string_view kPasswordPrefix = "$argon2id$v=19$m=";

constexpr std::size_t kLongestPassword = 1024;

void StartSodium() {
  if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be initialised");
}

// A hash taken apart. Libraries have functions for the text form, but theirs call a password wrong
// when there was no memory to find out.
struct PasswordHash {
  PasswordCost cost;
  std::array<unsigned char, kSaltSize> salt{};
  Sha256Bytes hash{};
};

std::string_view UnpaddedBase64(std::string_view padded) {
  return padded.substr(0, padded.find('='));
}

std::string WritePasswordHash(const PasswordHash& parts) {
  const std::string salt = Base64Encode(std::as_bytes(std::span(parts.salt)));
  const std::string hash = Base64Encode(parts.hash);
  return fmt::format("{}{},t={},p=1${}${}", kPasswordPrefix, parts.cost.memory_kib,
                     parts.cost.passes, UnpaddedBase64(salt), UnpaddedBase64(hash));
}

// Takes `literal` from the front of `text`.
bool TakeLiteral(std::string_view& text, std::string_view literal) {
  if (!text.starts_with(literal)) return false;
  text.remove_prefix(literal.size());
  return true;
}

bool TakeNumber(std::string_view& text, unsigned& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// Takes as much base64 as fills `bytes`.
bool TakeBytes(std::string_view& text, std::span<std::byte> bytes) {
  const std::size_t length = (bytes.size() * 8 + 5) / 6;
  if (text.size() < length) return false;
  const std::string padding((4 - length % 4) % 4, '=');
  const std::optional<std::string> decoded =
      Base64Decode(std::string(text.substr(0, length)) + padding);
  if (!decoded || decoded->size() != bytes.size()) return false;
  std::ranges::copy(std::as_bytes(std::span(*decoded)), bytes.begin());
  text.remove_prefix(length);
  return true;
}

// Nullopt: another form, or an implausible cost.
std::optional<PasswordHash> ParsePasswordHash(std::string_view text) {
  PasswordHash parts;
  const bool whole = TakeLiteral(text, kPasswordPrefix) &&
                     TakeNumber(text, parts.cost.memory_kib) && TakeLiteral(text, ",t=") &&
                     TakeNumber(text, parts.cost.passes) && TakeLiteral(text, ",p=1$") &&
                     TakeBytes(text, std::as_writable_bytes(std::span(parts.salt))) &&
                     TakeLiteral(text, "$") && TakeBytes(text, parts.hash) && text.empty();
  const auto [memory_kib, passes] = parts.cost;
  const bool bounded = memory_kib >= kLeastMemoryKib && memory_kib <= kMostMemoryKib &&
                       passes >= 1 && passes <= kMostPasses;
  return whole && bounded ? std::optional(parts) : std::nullopt;
}

// ---- memory for argon2id, as its library asks for it and gives it back
//
// Populating or unmapping much memory at once blocks all threads of the process that need memory
// mapped, and these low-priority threads may be descheduled in the middle of it. So memory is
// populated page by page as it is used, and as few large pages where the kernel has them.
constexpr std::size_t kHugePage = std::size_t{2} << 20U;

// The mapped size for `bytes`: whole large pages.
std::size_t MappedFor(std::size_t bytes) { return (bytes + kHugePage - 1) / kHugePage * kHugePage; }

int TakePasswordMemory(std::uint8_t** memory, std::size_t bytes) {
  const std::size_t size = MappedFor(bytes);
  void* const mapped =
      ::mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return ARGON2_MEMORY_ALLOCATION_ERROR;
  // Large pages begin at multiples of their size; the parts before and after are unmapped at once.
  auto* const start = static_cast<std::uint8_t*>(mapped);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(start) % kHugePage;
  if (before > 0) ::munmap(start, before);
  *memory = start + before;
  ::munmap(*memory + size, kHugePage - before);
  (void)::madvise(*memory, size, MADV_HUGEPAGE);  // kernels without them refuse, and that is all
  return ARGON2_OK;
}

// The library has wiped it.
void GivePasswordMemoryBack(std::uint8_t* memory, std::size_t bytes) {
  ::munmap(memory, MappedFor(bytes));
}

// The hash of `text` at the cost and with the salt of `parts`. Fails: kUnavailable.
Result<Sha256Bytes> RunArgon2(PasswordHash parts, std::string_view text) {
  Sha256Bytes hash{};
  argon2_context context{};
  context.out = reinterpret_cast<std::uint8_t*>(hash.data());
  context.outlen = hash.size();
  // Read only, since no flag asks for it to be wiped.
  context.pwd = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  context.pwdlen = static_cast<std::uint32_t>(text.size());
  context.salt = parts.salt.data();
  context.saltlen = parts.salt.size();
  context.t_cost = parts.cost.passes;
  context.m_cost = parts.cost.memory_kib;
  context.lanes = context.threads = 1;
  context.version = ARGON2_VERSION_13;
  context.allocate_cbk = TakePasswordMemory;
  context.free_cbk = GivePasswordMemoryBack;
  if (argon2id_ctx(&context) == ARGON2_OK) return hash;
  return Failure(Error{
      .kind = ErrorKind::kUnavailable,
      .message =
          "this server has no memory to verify passwords at the moment: try again in a few seconds",
      .detail = fmt::format("argon2id got no {} KiB", parts.cost.memory_kib),
      .retry_after = 2});
}

Failure InvalidPassword(std::string_view why) { return FailInvalid("the password {}", why); }

}  // namespace

Status CheckNewPassword(std::string_view text, std::string_view name) {
  // Code points, as NIST SP 800-63B §5.1.1.2 counts.
  if (CountCharacters(text) < kShortestPassword) {
    return InvalidPassword(
        fmt::format("is too short: it needs at least {} characters, for example four words",
                    kShortestPassword));
  }
  if (text.size() > kLongestPassword) {
    return InvalidPassword(
        fmt::format("is longer than {} bytes: choose a shorter one", kLongestPassword));
  }
  if (!IsPlainText(text) || text.find_first_of("\t\n") != std::string_view::npos) {
    return InvalidPassword(
        "is not UTF-8 text, or contains control characters, tabs or line breaks: leave those out");
  }
  if (EqualsIgnoreCase(text, name)) {
    return InvalidPassword("is the user's name: choose one that others do not know");
  }
  return {};
}

Result<std::string> HashPassword(std::string_view text, PasswordCost cost) {
  StartSodium();
  PasswordHash parts{.cost = cost};
  randombytes_buf(parts.salt.data(), parts.salt.size());
  ASSIGN_OR_RETURN(parts.hash, RunArgon2(parts, text));
  return WritePasswordHash(parts);
}

Status VerifyPassword(const std::optional<std::string>& hash, std::string_view text,
                      PasswordCost cost) {
  StartSodium();
  // Without a user: salt and hash of zeros.
  const std::optional<PasswordHash> kept =
      hash ? ParsePasswordHash(*hash) : PasswordHash{.cost = cost};
  if (!kept) {
    return Fail(ErrorKind::kCorrupt,
                "this user's stored password is damaged: an administrator sets a new one with koya "
                "user password NAME",
                "the hash in the catalog is not one of argon2id");
  }
  ASSIGN_OR_RETURN(const Sha256Bytes given, RunArgon2(*kept, text));
  if (EqualSecrets(given, kept->hash) && hash) return {};
  return FailUnauthenticated(
      "the user name or the password is wrong: check both; if you forgot the password, ask "
      "an administrator for a new one (koya user password NAME)");
}

bool NeedsRehash(std::string_view hash, PasswordCost cost) {
  const std::optional<PasswordHash> kept = ParsePasswordHash(hash);
  return !kept || kept->cost != cost;
}

}  // namespace koya::auth
