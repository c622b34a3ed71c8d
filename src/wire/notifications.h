// Documents of /api/v1/watches and /api/v1/notifications.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"

namespace koya::wire {

// An empty body means the defaults.
struct WatchRequest {
  std::string mail;  // "now", "daily" or "off"; "": as before, off for a new watch
};

struct Watch {
  std::string kind;  // "module", "provider" or "namespace"
  std::string address;
  std::string mail;
  std::string since;  // RFC 3339
  friend bool operator==(const Watch&, const Watch&) = default;
};
using WatchList = ListOf<Watch, "watches", "the list of watches">;

struct NotificationEvent {
  std::string kind;     // "published", "deprecated", "withdrawn", "restored", or "token_ends",
                        // "key_ends"
  std::string of;       // "module" or "provider"; of a key "namespace"; of a token "token"
  std::string address;  // of a token its name, of a key its namespace
  std::string version;  // of a key its ID; "" for a token, left out
  std::string at;       // RFC 3339: when it happened, or will end
  bool unseen = false;
  friend bool operator==(const NotificationEvent&, const NotificationEvent&) = default;
};

struct NotificationList {
  std::vector<NotificationEvent> events;
  std::uint64_t unseen = 0;
  std::uint64_t latest = 0;             // to mark these as seen
  std::optional<std::uint64_t> before;  // of the next page; left out on the last one
  std::string email = {};               // where mail goes; "": nowhere, null on the wire
  bool mail_ended = false;              // the user wants no mail
};

struct SeenRequest {
  std::uint64_t latest = 0;
};

struct EmailRequest {
  std::string email;  // "": as a sign-in provider says
};

// ---- endpoints

inline constexpr Endpoint<EmailRequest, void, 1> kSetEmail{"PUT", "/api/v1/users/{name}/email"};

inline constexpr Endpoint<WatchRequest, Watch, 3> kWatchModule{
    "PUT", "/api/v1/watches/modules/{namespace}/{name}/{system}"};
inline constexpr Endpoint<WatchRequest, Watch, 2> kWatchProvider{
    "PUT", "/api/v1/watches/providers/{namespace}/{type}"};
inline constexpr Endpoint<WatchRequest, Watch, 1> kWatchNamespace{
    "PUT", "/api/v1/watches/namespaces/{namespace}"};
inline constexpr Endpoint<void, void, 3> kEndModuleWatch{
    "DELETE", "/api/v1/watches/modules/{namespace}/{name}/{system}"};
inline constexpr Endpoint<void, void, 2> kEndProviderWatch{
    "DELETE", "/api/v1/watches/providers/{namespace}/{type}"};
inline constexpr Endpoint<void, void, 1> kEndNamespaceWatch{
    "DELETE", "/api/v1/watches/namespaces/{namespace}"};
inline constexpr Endpoint<void, WatchList> kListWatches{"GET", "/api/v1/watches"};
inline constexpr Endpoint<void, NotificationList> kListNotifications{"GET",
                                                                     "/api/v1/notifications"};
inline constexpr Endpoint<SeenRequest, void> kMarkNotificationsSeen{"PUT",
                                                                    "/api/v1/notifications/seen"};

}  // namespace koya::wire
