// Converts the text of a setting to a value and back. Internal to the settings.
//
// A parser returns nullopt for text that is not allowed; format(x) is text that parse accepts, or
// empty for a value that only a default can have.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/settings.h"
#include "domain/access.h"
#include "obs/log.h"

namespace koya {

template <class T>
struct SettingKind {
  std::string_view allowed;  // completes "write …"
  std::optional<T> (*parse)(std::string_view);
  std::string (*format)(const T&);
};

using TextList = std::vector<std::string>;  // one value, written with commas between the texts

std::optional<bool> ParseSwitch(std::string_view text);
std::string FormatSwitch(const bool& value);
inline constexpr SettingKind<bool> kSwitch{"true or false", ParseSwitch, FormatSwitch};

std::optional<std::filesystem::path> ParsePath(std::string_view text);
std::string FormatPath(const std::filesystem::path& value);
inline constexpr SettingKind<std::filesystem::path> kPath{"a path", ParsePath, FormatPath};

std::string FormatHostPort(const HostPort& value);
inline constexpr SettingKind<HostPort> kHostPort{
    "HOST:PORT, for example 127.0.0.1:8443 or [::]:443", HostPort::Parse, FormatHostPort};

std::optional<std::optional<HostPort>> ParseHostPortOrOff(std::string_view text);
std::string FormatHostPortOrOff(const std::optional<HostPort>& value);
inline constexpr SettingKind<std::optional<HostPort>> kHostPortOrOff{
    "HOST:PORT, for example 127.0.0.1:9090, or off", ParseHostPortOrOff, FormatHostPortOrOff};

// An address that others connect to: neither a wildcard nor port 0.
std::optional<std::optional<HostPort>> ParseReachable(std::string_view text);
std::string FormatReachable(const std::optional<HostPort>& value);
inline constexpr SettingKind<std::optional<HostPort>> kReachable{
    "HOST:PORT that other servers connect to, for example koya-0.example.com:8444", ParseReachable,
    FormatReachable};

std::optional<std::string> ParseOrigin(std::string_view text);
std::string FormatText(const std::string& value);
inline constexpr SettingKind<std::string> kOrigin{
    "https://HOST or https://HOST:PORT, without a path", ParseOrigin, FormatText};

std::optional<std::string> ParseSecretText(std::string_view text);
inline constexpr SettingKind<std::string> kSecretText{"16 to 1024 characters", ParseSecretText,
                                                      FormatText};

std::optional<std::string> ParseAudience(std::string_view text);
inline constexpr SettingKind<std::string> kAudience{"1 to 1024 characters without spaces",
                                                    ParseAudience, FormatText};

std::optional<std::string> ParseSentence(std::string_view text);
inline constexpr SettingKind<std::string> kSentence{"1 to 200 bytes of text on one line",
                                                    ParseSentence, FormatText};

// The address of a link on a page.
std::optional<std::string> ParseWebAddress(std::string_view text);
inline constexpr SettingKind<std::string> kWebAddress{
    "https://HOST/PATH or http://HOST/PATH, for example https://status.example.com",
    ParseWebAddress, FormatText};

std::optional<std::string> ParseMailServer(std::string_view text);
std::string FormatMailServer(const std::string& value);
inline constexpr SettingKind<std::string> kMailServer{"smtp://HOST:PORT, smtps://HOST:PORT, or off",
                                                      ParseMailServer, FormatMailServer};

std::optional<std::string> ParseMailAddress(std::string_view text);
inline constexpr SettingKind<std::string> kMailAddress{"NAME@DOMAIN", ParseMailAddress, FormatText};

std::optional<std::string> ParseCatalogUrl(std::string_view text);
std::string FormatCatalogUrl(const std::string& value);
inline constexpr SettingKind<std::string> kCatalogUrl{
    "postgresql://USER:PASSWORD@HOST:PORT/DATABASE, or sqlite for the file in the data folder",
    ParseCatalogUrl, FormatCatalogUrl};

// S3Address checks the bucket's name.
std::optional<std::string> ParseBlobsUrl(std::string_view text);
std::string FormatBlobsUrl(const std::string& value);
inline constexpr SettingKind<std::string> kBlobsUrl{"s3://BUCKET or s3://BUCKET/PREFIX, or folder",
                                                    ParseBlobsUrl, FormatBlobsUrl};

std::optional<std::string> ParseBackupPlace(std::string_view text);
inline constexpr SettingKind<std::string> kBackupPlace{
    "an absolute path, s3://BUCKET or s3://BUCKET/PREFIX", ParseBackupPlace, FormatText};

std::optional<std::string> ParseS3Word(std::string_view text);
inline constexpr SettingKind<std::string> kS3Word{"1 to 2048 characters without spaces",
                                                  ParseS3Word, FormatText};

std::optional<std::string> ParseS3Encryption(std::string_view text);
inline constexpr SettingKind<std::string> kS3Encryption{"AES256 or aws:kms", ParseS3Encryption,
                                                        FormatText};

// nullopt inside: auto.
std::optional<std::optional<bool>> ParseS3PathStyle(std::string_view text);
std::string FormatS3PathStyle(const std::optional<bool>& value);
inline constexpr SettingKind<std::optional<bool>> kS3PathStyle{"auto, true or false",
                                                               ParseS3PathStyle, FormatS3PathStyle};

std::optional<RedirectMode> ParseS3Redirect(std::string_view text);
std::string FormatS3Redirect(const RedirectMode& value);
inline constexpr SettingKind<RedirectMode> kS3Redirect{"off, misses or all", ParseS3Redirect,
                                                       FormatS3Redirect};

std::optional<TextList> ParseNetworks(std::string_view text);
std::string FormatList(const TextList& value);
inline constexpr SettingKind<TextList> kNetworks{
    "addresses or networks separated by commas, for example 10.0.0.0/8,::1", ParseNetworks,
    FormatList};

std::optional<TextList> ParseRegistries(std::string_view text);
inline constexpr SettingKind<TextList> kRegistries{
    "host names, with their port if it is not 443, separated by commas, for example "
    "registry.opentofu.org",
    ParseRegistries, FormatList};

std::optional<TextList> ParsePatterns(std::string_view text);
inline constexpr SettingKind<TextList> kPatterns{
    "patterns HOST/NAMESPACE/TYPE (providers) or HOST/NAMESPACE/NAME/SYSTEM (modules) separated by "
    "commas, \"*\" for any characters",
    ParsePatterns, FormatList};

std::optional<std::string> ParseMirrorUrl(std::string_view text);
inline constexpr SettingKind<std::string> kMirrorUrl{
    "https://HOST[:PORT]/PATH/, as in a client's network_mirror block", ParseMirrorUrl, FormatText};

std::optional<TextList> ParseTokens(std::string_view text);
inline constexpr SettingKind<TextList> kTokens{
    "HOST=TOKEN separated by commas, for example registry.example.com=secret", ParseTokens,
    FormatList};

std::optional<std::string> ParseCommand(std::string_view text);
inline constexpr SettingKind<std::string> kCommand{
    "a program and its arguments, separated by spaces", ParseCommand, FormatText};

std::string FormatLogLevel(const LogLevel& value);
inline constexpr SettingKind<LogLevel> kLogLevel{"debug, info, warn or error", ParseLogLevel,
                                                 FormatLogLevel};

std::string FormatVisibility(const Visibility& value);
inline constexpr SettingKind<Visibility> kVisibility{"public, internal or private", ParseVisibility,
                                                     FormatVisibility};
std::optional<ModuleLocationForm> ParseModuleLocation(std::string_view text);
std::string FormatModuleLocation(const ModuleLocationForm& value);
inline constexpr SettingKind<ModuleLocationForm> kModuleLocation{
    "indirect, direct or auto", ParseModuleLocation, FormatModuleLocation};
// nullopt inside: not set.
std::optional<std::optional<Visibility>> ParseNewVisibility(std::string_view text);
std::string FormatNewVisibility(const std::optional<Visibility>& value);
inline constexpr SettingKind<std::optional<Visibility>> kNewVisibility{
    "public, internal or private", ParseNewVisibility, FormatNewVisibility};
std::string FormatSemverRule(const SemverRule& value);
inline constexpr SettingKind<SemverRule> kSemverRule{"off, warn, refuse-breaking or refuse",
                                                     ParseSemverRule, FormatSemverRule};
std::optional<SemverRule> ParseSecretsRule(std::string_view text);
inline constexpr SettingKind<SemverRule> kSecretsRule{"off, warn or refuse", ParseSecretsRule,
                                                      FormatSemverRule};
// No role can be granted for mirrored contents, so private is not allowed.
std::optional<Visibility> ParseMirrorVisibility(std::string_view text);
inline constexpr SettingKind<Visibility> kMirrorVisibility{"public or internal",
                                                           ParseMirrorVisibility, FormatVisibility};
// What anonymous callers may do; true: read.
std::optional<bool> ParseAnonymous(std::string_view text);
std::string FormatAnonymous(const bool& value);
inline constexpr SettingKind<bool> kAnonymous{"read or none", ParseAnonymous, FormatAnonymous};

// Numbers have limits, so that a slip (a zero, a size without its unit) is reported at the start.
std::optional<std::uint64_t> ParseCount(std::string_view text, std::uint64_t min,
                                        std::uint64_t max);
std::string FormatCount(const std::uint64_t& value);
template <std::uint64_t kMin, std::uint64_t kMax>
std::optional<std::uint64_t> ParseCountBetween(std::string_view text) {
  return ParseCount(text, kMin, kMax);
}
inline constexpr SettingKind<std::uint64_t> kThreadsOrAuto{"a whole number from 0 to 1024",
                                                           ParseCountBetween<0, 1024>, FormatCount};
inline constexpr SettingKind<std::uint64_t> kThreads{"a whole number from 1 to 1024",
                                                     ParseCountBetween<1, 1024>, FormatCount};
inline constexpr SettingKind<std::uint64_t> kPositive{
    "a whole number from 1 to 100000000", ParseCountBetween<1, 100'000'000>, FormatCount};

// 0: off.
std::optional<std::uint64_t> ParseRateOrOff(std::string_view text);
std::string FormatRateOrOff(const std::uint64_t& value);
inline constexpr SettingKind<std::uint64_t> kRateOrOff{"a whole number from 1 to 1000000, or off",
                                                       ParseRateOrOff, FormatRateOrOff};

// Percent, from 0 to 50.
std::optional<std::uint64_t> ParsePercent(std::string_view text);
std::string FormatPercent(const std::uint64_t& value);
inline constexpr SettingKind<std::uint64_t> kPercent{"a share from 0% to 50%, for example 5%",
                                                     ParsePercent, FormatPercent};

std::optional<std::uint64_t> ParseBoundedSize(std::string_view text, std::uint64_t min,
                                              std::uint64_t max);
std::string FormatByteSize(const std::uint64_t& value);
template <std::uint64_t kMin, std::uint64_t kMax>
std::optional<std::uint64_t> ParseSizeBetween(std::string_view text) {
  return ParseBoundedSize(text, kMin, kMax);
}
inline constexpr SettingKind<std::uint64_t> kSize{
    "a size from 1KiB to 1024TiB with its unit, for example 500MiB",
    ParseSizeBetween<1ULL << 10, 1ULL << 50>, FormatByteSize};
std::optional<std::uint64_t> ParseSizeOrOff(std::string_view text);
std::string FormatSizeOrOff(const std::uint64_t& value);
inline constexpr SettingKind<std::uint64_t> kSizeOrOff{
    "a size from 1KiB to 1024TiB with its unit, for example 500GiB, or off", ParseSizeOrOff,
    FormatSizeOrOff};
inline constexpr SettingKind<std::uint64_t> kHeaderSize{
    "a size from 1KiB to 1MiB with its unit, for example 16KiB",
    ParseSizeBetween<1ULL << 10, 1ULL << 20>, FormatByteSize};
// Stores accept parts of 5 MiB and more, and at most 10,000 of them.
inline constexpr SettingKind<std::uint64_t> kPartSize{
    "a size from 5MiB to 5GiB with its unit, for example 16MiB",
    ParseSizeBetween<5ULL << 20, 5ULL << 30>, FormatByteSize};
inline constexpr SettingKind<std::uint64_t> kParallelParts{"a whole number from 1 to 16",
                                                           ParseCountBetween<1, 16>, FormatCount};
// With less, readers of ordinary modules would wait for each other.
inline constexpr SettingKind<std::uint64_t> kReadingBytes{
    "a size from 32MiB to 1TiB with its unit, for example 256MiB",
    ParseSizeBetween<32ULL << 20, 1ULL << 40>, FormatByteSize};
// With less, git cannot even start.
inline constexpr SettingKind<std::uint64_t> kGitMemory{
    "a size from 128MiB to 1TiB with its unit, for example 1GiB",
    ParseSizeBetween<128ULL << 20, 1ULL << 40>, FormatByteSize};

std::optional<std::chrono::seconds> ParseTimeout(std::string_view text);
std::optional<std::chrono::seconds> ParseAge(std::string_view text);
std::string FormatSeconds(const std::chrono::seconds& value);
inline constexpr SettingKind<std::chrono::seconds> kTimeout{
    "a duration from 1s to 1h with its unit, for example 10s", ParseTimeout, FormatSeconds};
inline constexpr SettingKind<std::chrono::seconds> kAge{
    "a duration from 1s to 3650d with its unit, for example 24h", ParseAge, FormatSeconds};

// 0 and more.
std::optional<std::chrono::seconds> ParseTimeoutOrNone(std::string_view text);
inline constexpr SettingKind<std::chrono::seconds> kTimeoutOrNone{
    "a duration from 0s to 1h with its unit, for example 5s", ParseTimeoutOrNone, FormatSeconds};
std::optional<std::chrono::seconds> ParseAgeOrNone(std::string_view text);
inline constexpr SettingKind<std::chrono::seconds> kAgeOrNone{
    "a duration from 0s to 3650d with its unit, for example 1h", ParseAgeOrNone, FormatSeconds};

// Who runs missing migrations; true: another program, for which the server waits.
std::optional<bool> ParseMigrate(std::string_view text);
std::string FormatMigrate(const bool& value);
inline constexpr SettingKind<bool> kMigrate{"auto or wait", ParseMigrate, FormatMigrate};

}  // namespace koya
