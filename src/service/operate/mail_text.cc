#include "service/operate/mail_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <span>

#include "base/base64.h"
#include "base/text.h"
#include "domain/digest.h"
#include "domain/watch_record.h"

namespace koya::service {
namespace {

constexpr std::size_t kMostVersions = 10;  // of a line
constexpr std::size_t kMostLines = 100;    // of a part

std::string Base64Of(std::string_view text) { return Base64Encode(std::as_bytes(std::span(text))); }

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

// RFC 2047: as it is, or in encoded words, none of which cuts a character.
std::string HeaderText(std::string_view text) {
  constexpr std::size_t kMostOfWord = 42;  // 56 characters in base64
  constexpr std::size_t kPlain = 70;
  const bool plain =
      text.size() <= kPlain && !text.contains("=?") &&
      std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c < 0x7F; });
  if (plain) return std::string(text);
  std::string out;
  while (!text.empty()) {
    std::size_t size = std::min(text.size(), kMostOfWord);
    while (size < text.size() && size > 1 && !StartsCharacter(text[size])) --size;
    out +=
        fmt::format("{}=?utf-8?B?{}?=", out.empty() ? "" : "\r\n ", Base64Of(text.substr(0, size)));
    text.remove_prefix(size);
  }
  return out;
}

std::string MailDate(UnixSeconds at) {
  const std::time_t time = at;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} +0000", parts);
}

std::string Wrapped(const std::string& encoded) {
  constexpr std::size_t kLine = 76;
  std::string out;
  for (std::size_t at = 0; at < encoded.size(); at += kLine) {
    out += encoded.substr(at, kLine) + "\r\n";
  }
  return out;
}

std::string_view HeadingOf(NotificationKind kind) {
  switch (kind) {
    case NotificationKind::kPublished:
      return "New versions of what you watch";
    case NotificationKind::kDeprecated:
      return "Deprecated versions of what you watch";
    case NotificationKind::kWithdrawn:
      return "Withdrawn versions of what you watch";
    case NotificationKind::kRestored:
      return "Versions of what you watch that are available again";
    case NotificationKind::kTokenEnds:
      return "Tokens of yours that end soon";
    case NotificationKind::kKeyEnds:
      return "Signing keys of your namespaces that end soon";
  }
  return "";
}

// "acme/vpc/aws" and its versions, oldest first, in the order of addresses.
using VersionsByAddress = std::map<std::string, std::vector<std::string>>;

VersionsByAddress Grouped(const std::vector<Notification>& events) {
  VersionsByAddress groups;
  for (const Notification& each : events) {
    std::vector<std::string>& versions = groups[each.address];
    versions.insert(versions.begin(), each.version);
  }
  return groups;
}

std::string VersionsText(const std::vector<std::string>& versions) {
  std::string text;
  for (std::size_t i = 0; i < std::min(versions.size(), kMostVersions); ++i) {
    text += (i > 0 ? ", " : "") + Printable(versions[i], 100);
  }
  if (versions.size() > kMostVersions) {
    text += fmt::format(" and {} more", versions.size() - kMostVersions);
  }
  return text;
}

void AddPart(std::string& body, std::string_view heading, const std::vector<Notification>& events) {
  const VersionsByAddress groups = Grouped(events);
  if (groups.empty()) return;
  body += fmt::format("{}:\n", heading);
  std::size_t lines = 0;
  for (const auto& [address, versions] : groups) {
    if (++lines > kMostLines) break;
    body += fmt::format("  {} {}\n", Printable(address, 200), VersionsText(versions));
  }
  if (groups.size() > kMostLines) {
    body += fmt::format("  and {} more\n", groups.size() - kMostLines);
  }
  body += "\n";
}

std::vector<Notification> OfKind(const std::vector<Notification>& events, NotificationKind kind) {
  std::vector<Notification> found;
  std::ranges::copy_if(events, std::back_inserter(found),
                       [kind](const Notification& each) { return each.kind == kind; });
  return found;
}

// Tokens and keys, each with the day of its end.
std::vector<Notification> WithDays(std::vector<Notification> reminders) {
  for (Notification& each : reminders) {
    const std::string day = FormatRfc3339(each.at).substr(0, 10);
    each.version = each.version.empty() ? day : fmt::format("{} {}", each.version, day);
  }
  return reminders;
}

}  // namespace

std::string MailText(const MailParts& parts) {
  const std::string domain = parts.from.substr(parts.from.find('@') + 1);
  const std::string id =
      Digest::Of(fmt::format("{} {} {} {}", parts.to, parts.at, parts.subject, parts.body)).hex();
  std::string text = fmt::format(
      "From: Koya <{}>\r\nTo: <{}>\r\nSubject: {}\r\nDate: {}\r\nMessage-ID: <{}@{}>\r\n"
      "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n"
      "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n",
      parts.from, parts.to, HeaderText(parts.subject), MailDate(parts.at), id.substr(0, 32),
      domain);
  if (!parts.end_link.empty()) {
    text += fmt::format(
        "List-Unsubscribe: <{}>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n",
        parts.end_link);
  }
  return text + "\r\n" + Wrapped(Base64Of(parts.body));
}

std::string NewsSubject(const MailNews& news, std::string_view site) {
  const VersionsByAddress watched = Grouped(news.watched), used = Grouped(news.used),
                          ending = Grouped(news.reminders);
  const std::size_t lines = watched.size() + used.size() + ending.size();
  if (lines != 1 || news.has_more) return fmt::format("{}: {} notifications", site, lines);
  const auto& [address, versions] = *(!watched.empty() ? watched
                                      : !used.empty()  ? used
                                                       : ending)
                                         .begin();
  return fmt::format("{}: {} {}", site, Printable(address, 200), VersionsText(versions));
}

std::string NewsBody(const MailNews& news, std::string_view url, std::string_view end_link) {
  std::string body;
  for (NotificationKind kind : {NotificationKind::kPublished, NotificationKind::kDeprecated,
                                NotificationKind::kWithdrawn, NotificationKind::kRestored}) {
    AddPart(body, HeadingOf(kind), OfKind(news.watched, kind));
  }
  AddPart(body, "Deprecated versions that you fetched in the last 30 days", news.used);
  for (NotificationKind kind : {NotificationKind::kTokenEnds, NotificationKind::kKeyEnds}) {
    AddPart(body, HeadingOf(kind), WithDays(OfKind(news.reminders, kind)));
  }
  if (news.has_more) body += "There is more on the page.\n\n";
  body += fmt::format("All notifications: {}/-/notifications\n", url);
  return body + fmt::format("End all mail of this registry: {}\n", end_link);
}

}  // namespace koya::service
