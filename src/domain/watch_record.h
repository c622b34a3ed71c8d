// What users watch, and what happened to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "domain/access.h"

namespace koya {

enum class WatchKind { kModule, kProvider, kNamespace };

constexpr std::string_view WatchKindName(WatchKind kind) {
  switch (kind) {
    case WatchKind::kModule:
      return "module";
    case WatchKind::kProvider:
      return "provider";
    case WatchKind::kNamespace:
      return "namespace";
  }
  return "module";
}

constexpr std::optional<WatchKind> ParseWatchKind(std::string_view name) {
  for (auto each : {WatchKind::kModule, WatchKind::kProvider, WatchKind::kNamespace}) {
    if (name == WatchKindName(each)) return each;
  }
  return std::nullopt;
}

// When a user gets mail about a watch.
enum class WatchMail { kOff, kNow, kDaily };

constexpr std::string_view WatchMailName(WatchMail mail) {
  switch (mail) {
    case WatchMail::kOff:
      return "off";
    case WatchMail::kNow:
      return "now";
    case WatchMail::kDaily:
      return "daily";
  }
  return "off";
}

constexpr std::optional<WatchMail> ParseWatchMail(std::string_view name) {
  for (auto each : {WatchMail::kOff, WatchMail::kNow, WatchMail::kDaily}) {
    if (name == WatchMailName(each)) return each;
  }
  return std::nullopt;
}

// What a watch is about: by its key, in lower case.
struct WatchSubject {
  WatchKind kind = WatchKind::kModule;
  std::string key;  // "acme/vpc/aws", "acme/demo", "acme"
  std::string ns;   // its namespace, as NamespaceKey
};

struct WatchRecord {
  WatchKind kind = WatchKind::kModule;
  std::string address;  // "Acme/vpc/aws", as published
  std::string ns;       // as NamespaceKey
  WatchMail mail = WatchMail::kOff;
  UnixSeconds since = 0;
  friend bool operator==(const WatchRecord&, const WatchRecord&) = default;
};

enum class NotificationKind {
  kPublished,
  kDeprecated,
  kWithdrawn,
  kRestored,
  kTokenEnds,
  kKeyEnds,
};

constexpr std::string_view NotificationKindName(NotificationKind kind) {
  switch (kind) {
    case NotificationKind::kPublished:
      return "published";
    case NotificationKind::kDeprecated:
      return "deprecated";
    case NotificationKind::kWithdrawn:
      return "withdrawn";
    case NotificationKind::kRestored:
      return "restored";
    case NotificationKind::kTokenEnds:
      return "token_ends";
    case NotificationKind::kKeyEnds:
      return "key_ends";
  }
  return "published";
}

struct Notification {
  std::uint64_t id = 0;  // grows with time; 0: a reminder, which no change of a version is behind
  NotificationKind kind = NotificationKind::kPublished;
  WatchKind of = WatchKind::kModule;  // of a reminder: kNamespace for a key, no meaning for a token
  std::string address;                // of a reminder: a token's name, a key's namespace
  std::string version;                // of a reminder: "", or the ID of a key
  UnixSeconds at = 0;                 // when it happened; of a reminder: when it ends
  friend bool operator==(const Notification&, const Notification&) = default;
};

// Selects changes of versions that a user watches.
struct NotificationFilter {
  std::string account_id;
  ReadableNamespaces readable;            // of the user, now
  std::uint64_t after = 0;                // ids beyond this one
  std::uint64_t before = UINT64_MAX / 2;  // and below this one
  UnixSeconds since = 0;
  // Of watches with this setting, since they began; nullopt: of all, whenever they began.
  std::optional<WatchMail> mail = {};
};

// Up to where a user saw notifications.
struct SeenMark {
  std::uint64_t id = 0;
  UnixSeconds at = 0;
};

// ---- users who get mail about what they watch and use

// Up to where a user got mail: IDs of the audit log, and times.
struct MailMarks {
  std::uint64_t mailed_id = 0;  // mail at once; 0: before the first look, nothing is due
  std::uint64_t digest_id = 0;
  UnixSeconds digest_at = 0;
  UnixSeconds reminded_at = 0;
  friend bool operator==(const MailMarks&, const MailMarks&) = default;
};

struct MailRecipient {
  std::string account_id;
  std::string name;
  std::string email;
  std::string language;  // as AccountRecord::language
  MailMarks marks;
  friend bool operator==(const MailRecipient&, const MailRecipient&) = default;
};

// The address of a user, as the user's settings show it.
struct MailAddress {
  std::string email;  // "": none is known
  std::string asked;  // to be confirmed; "": none
  UnixSeconds asked_until = 0;
  bool is_ended = false;  // the user wants no mail
};

}  // namespace koya
