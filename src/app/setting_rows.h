// Declares a setting as one row of the table, and has the rows for storage: blobs.*, blobs.s3.*,
// cache.*, backup.*. Internal to the settings.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "app/setting_kinds.h"
#include "app/setting_table.h"
#include "app/settings.h"

namespace koya {

struct SettingRow {
  SettingInfo info;
  SettingDefinition definition;
};

// The texts of a row; the rest of SettingInfo comes from its kind.
struct SettingWords {
  std::string_view key;
  std::string_view alias{};
  std::string_view text{};
  std::string_view default_note{};
  bool secret = false;
};

template <auto kGroup, auto kMember, const auto& kKind>
bool AssignSetting(Settings& settings, std::string_view text) {
  auto value = kKind.parse(text);
  if (!value) return false;
  settings.*kGroup.*kMember = *std::move(value);
  return true;
}

template <auto kGroup, auto kMember, const auto& kKind>
std::string FormatSetting(const Settings& settings) {
  return kKind.format(settings.*kGroup.*kMember);
}

template <auto kGroup, auto kMember, const auto& kKind>
constexpr SettingRow Declare(SettingWords words) {
  bool is_switch = static_cast<const void*>(&kKind) == static_cast<const void*>(&kSwitch);
  return {{words.key, words.alias, words.text, kKind.allowed, words.default_note, is_switch,
           words.secret},
          {AssignSetting<kGroup, kMember, kKind>, FormatSetting<kGroup, kMember, kKind>}};
}

inline constexpr std::array kStorageRows{
    Declare<&Settings::blobs, &BlobSettings::url, kBlobsUrl>({
        .key = "blobs.url",
        .text = "Where archives are stored: in the data folder, or in a bucket of an S3-compatible "
                "store, below a prefix.",
    }),
    Declare<&Settings::blobs, &BlobSettings::gc_grace, kAge>({
        .key = "blobs.gc_grace",
        .text = "How old unreferenced archives must be before they are removed: from a folder at "
                "once, from a bucket after blobs.trash_for.",
    }),
    Declare<&Settings::blobs, &BlobSettings::trash_for, kAge>({
        .key = "blobs.trash_for",
        .text = "How long a bucket keeps removed archives. A database backup that is not older can "
                "be restored with all its archives.",
    }),
    Declare<&Settings::blobs, &BlobSettings::gc_every, kAge>({
        .key = "blobs.gc_every",
        .text = "How often one server of the cluster looks for unreferenced archives.",
    }),
    Declare<&Settings::s3, &S3Settings::endpoint, kOrigin>({
        .key = "blobs.s3.endpoint",
        .text = "The URL of the store, if it is not AWS.",
        .default_note = "AWS, in blobs.s3.region",
    }),
    Declare<&Settings::s3, &S3Settings::region, kS3Word>({
        .key = "blobs.s3.region",
        .text = "The bucket's region. R2 and GCS require auto, others accept any.",
    }),
    Declare<&Settings::s3, &S3Settings::path_style, kS3PathStyle>({
        .key = "blobs.s3.path_style",
        .text = "Whether the bucket is in the path of URLs (true) or before the host (false); "
                "auto: in the path if blobs.s3.endpoint is set.",
    }),
    Declare<&Settings::s3, &S3Settings::ca_file, kPath>({
        .key = "blobs.s3.ca_file",
        .text = "Certificate authorities for connections to the store, PEM.",
        .default_note = "SSL_CERT_FILE, or else the system's",
    }),
    Declare<&Settings::s3, &S3Settings::access_key_file, kPath>({
        .key = "blobs.s3.access_key_file",
        .text = "A file with the access key's ID on its first line and the secret on its second. "
                "Reloaded when it changes.",
        .default_note = "AWS_ACCESS_KEY_ID…, or else web identity, the container's or the "
                        "machine's role",
    }),
    Declare<&Settings::s3, &S3Settings::sse, kS3Encryption>({
        .key = "blobs.s3.sse",
        .text = "The encryption requested for every object, if the bucket's policy requires it.",
        .default_note = "as the bucket does",
    }),
    Declare<&Settings::s3, &S3Settings::sse_kms_key, kS3Word>({
        .key = "blobs.s3.sse_kms_key",
        .text = "The key for aws:kms.",
        .default_note = "the bucket's",
    }),
    Declare<&Settings::s3, &S3Settings::part_bytes, kPartSize>({
        .key = "blobs.s3.part_bytes",
        .text = "Larger objects are sent in parts of this size.",
    }),
    Declare<&Settings::s3, &S3Settings::parallel_parts, kParallelParts>({
        .key = "blobs.s3.parallel_parts",
        .text = "Parts of one object that are sent at once.",
    }),
    Declare<&Settings::s3, &S3Settings::connect_timeout, kTimeout>({
        .key = "blobs.s3.connect_timeout",
        .text = "How long connecting to the store may take.",
    }),
    Declare<&Settings::s3, &S3Settings::first_byte_timeout, kTimeout>({
        .key = "blobs.s3.first_byte_timeout",
        .text = "How long the store may take to start sending an object, before the request is "
                "retried once on another connection.",
    }),
    Declare<&Settings::s3, &S3Settings::stall_timeout, kTimeout>({
        .key = "blobs.s3.stall_timeout",
        .text = "How long a transfer from or to the store may go without a byte.",
    }),
    Declare<&Settings::s3, &S3Settings::complete_timeout, kTimeout>({
        .key = "blobs.s3.complete_timeout",
        .text = "How long the store may take to put an object's parts together.",
    }),
    Declare<&Settings::s3, &S3Settings::redirect, kS3Redirect>({
        .key = "blobs.s3.redirect",
        .text = "Whether clients are redirected to the store for archives: never, for those not in "
                "this server's cache, or always. They then need the store's name, certificate and "
                "proxy rules.",
    }),
    Declare<&Settings::s3, &S3Settings::redirect_min, kSize>({
        .key = "blobs.s3.redirect_min",
        .text = "Smaller archives are never redirected.",
    }),
    Declare<&Settings::s3, &S3Settings::redirect_ttl, kTimeout>({
        .key = "blobs.s3.redirect_ttl",
        .text = "How long a redirect's URL is valid.",
    }),
    Declare<&Settings::s3, &S3Settings::public_endpoint, kOrigin>({
        .key = "blobs.s3.public_endpoint",
        .text = "The URL where clients reach the store.",
        .default_note = "blobs.s3.endpoint",
    }),
    Declare<&Settings::cache, &CacheSettings::documents_bytes, kSize>({
        .key = "cache.documents_bytes",
        .text = "Memory for cached responses (version lists, discovery) and for files of at most "
                "64 KiB (checksums, signatures) that were requested.",
    }),
    Declare<&Settings::cache, &CacheSettings::folder, kPath>({
        .key = "cache.folder",
        .text = "Where a bucket's recently used archives are cached. Can be deleted at any time. "
                "Must be apart from the data folder's blobs.",
        .default_note = "cache in the data folder",
    }),
    Declare<&Settings::cache, &CacheSettings::archives_bytes, kSize>({
        .key = "cache.archives_bytes",
        .text = "The most that cache.folder may take, running uploads included; the least recently "
                "used archives are evicted first.",
    }),
    Declare<&Settings::cache, &CacheSettings::scrub, kSizeOrOff>({
        .key = "cache.scrub",
        .text = "How many bytes of cache.folder are verified each second, to find archives that "
                "the disk has damaged.",
    }),
    Declare<&Settings::backup, &BackupSettings::to, kBackupPlace>({
        .key = "backup.to",
        .text = "Where the server writes backups of the catalog and all archives: an absolute path "
                "outside of server.data, or a bucket with the access of blobs.s3.*.",
        .default_note = "none",
    }),
    Declare<&Settings::backup, &BackupSettings::every, kAge>({
        .key = "backup.every",
        .text = "How old the newest backup in backup.to is when one server makes the next.",
    }),
    Declare<&Settings::backup, &BackupSettings::keep, kPositive>({
        .key = "backup.keep",
        .text = "How many backups stay in backup.to. Archives that none of them needs are removed "
                "with the older ones.",
    }),
};

}  // namespace koya
