// Documents of backups: the manifest, and those of /api/v1/admin/backup.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"

namespace koya::wire {

// The records of a table.
struct BackupTable {
  std::string name;
  std::uint64_t rows = 0;
  std::string sha256;  // of their lines (wire/record_lines.h), in hex
  friend bool operator==(const BackupTable&, const BackupTable&) = default;
};

// Files or lines, and a digest of all of them in hex.
struct BackupSum {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::string sha256;
  friend bool operator==(const BackupSum&, const BackupSum&) = default;
};

// What a backup is of.
struct BackupOrigin {
  std::string program;       // its version
  std::uint64_t schema = 0;  // the last migration that it knows
  std::string catalog;       // id of the installation
  std::string secret_mark;   // shows which server.secret seals its keys; reveals nothing else
  friend bool operator==(const BackupOrigin&, const BackupOrigin&) = default;
};

// ID/manifest.json.
struct BackupManifest {
  static constexpr std::uint64_t kFormat = 1;
  std::uint64_t format = 0;
  std::string id;
  std::string made_at;  // when its records were read
  BackupOrigin origin;
  BackupSum records;                // ID/catalog.jsonl.gz; `count`: rows
  BackupSum blobs;                  // `bytes`: of the blobs; `sha256`: of ID/blobs.txt.gz
  std::vector<BackupTable> tables;  // in order
  std::vector<std::string>
      missing;  // blobs that the store lacked or had damaged: not in the backup
  friend bool operator==(const BackupManifest&, const BackupManifest&) = default;
};

// The right of a command to read what a backup needs, while nothing is collected.
struct BackupSession {
  std::string id;
  BackupOrigin origin;
  friend bool operator==(const BackupSession&, const BackupSession&) = default;
};

struct BackupBlob {
  std::string digest;  // in hex
  std::uint64_t size = 0;
  friend bool operator==(const BackupBlob&, const BackupBlob&) = default;
};
using BackupBlobs = ListOf<BackupBlob, "blobs", "the list of blobs">;

struct BackupRequest {
  std::string to;  // "s3://BUCKET/PREFIX"
};

// The backups that servers make themselves, by backup.to or on request.
struct BackupState {
  std::string to;              // "": none are set up
  bool running = false;        // on this server
  std::string id;              // the newest in `to`; "": none, or not known yet
  std::uint64_t age = 0;       // seconds since that was made
  std::string last_id;         // that this server made last
  std::string failure;         // of the last attempt of this server; "": it succeeded
  std::uint64_t attempts = 0;  // of this server that have ended
  friend bool operator==(const BackupState&, const BackupState&) = default;
};

// ---- endpoints

// Opens a session, or renews the one whose id the request has.
inline constexpr Endpoint<BackupSession, BackupSession> kOpenBackupSession{
    "POST", "/api/v1/admin/backup/session"};
inline constexpr Endpoint<void, void, 1> kEndBackupSession{"DELETE",
                                                           "/api/v1/admin/backup/session/{id}"};
inline constexpr Endpoint<void, Bytes> kReadBackupRecords{"GET", "/api/v1/admin/backup/records"};
inline constexpr Endpoint<void, BackupBlobs> kListBackupBlobs{"GET", "/api/v1/admin/backup/blobs"};
inline constexpr Endpoint<void, Bytes, 1> kReadBackupBlob{"GET", "/api/v1/admin/backup/blobs/{id}"};
inline constexpr Endpoint<BackupRequest, void> kStartBackup{"POST", "/api/v1/admin/backup"};
inline constexpr Endpoint<void, BackupState> kShowBackup{"GET", "/api/v1/admin/backup"};

}  // namespace koya::wire
