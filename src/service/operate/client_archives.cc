#include "service/operate/client_archives.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "archive/entry_name.h"
#include "archive/tar_writer.h"
#include "base/condition.h"
#include "base/file_io.h"
#include "base/offload.h"

namespace koya::service {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPackingTime(30);
constexpr std::uint64_t kManifestBytes = 1 << 20;
constexpr std::string_view kManifestPath = "share/koya/manifest";
constexpr std::string_view kPartName = "koya-part-";

struct ManifestFile {
  std::string path;  // in the tree
  bool executable = false;
  Digest digest;
};
struct ReleaseManifest {
  std::string version;
  std::string arch;
  std::string text;
  std::vector<ManifestFile> files;
};

Failure BadTree(const fs::path& tree, std::string_view why) {
  return Fail(
      ErrorKind::kCorrupt,
      "this server's release is damaged or was moved, so it cannot hand out its client: its "
      "operator must install it again, or restart the server",
      fmt::format("release tree {}: {}", tree.native(), why));
}

Result<UniqueFd> OpenToRead(const fs::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return Failure(ErrnoError("open " + path.native(), errno));
  return fd;
}

// A file of a tree, which may have been moved or removed since the start.
Result<UniqueFd> OpenInTree(const fs::path& tree, const fs::path& path) {
  UniqueFd fd(::open((tree / path).c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.valid()) return fd;
  Error error = ErrnoError("open " + path.native(), errno);
  if (error.kind != ErrorKind::kInternal) return Failure(std::move(error));
  return BadTree(tree, error.detail);
}

Result<std::uint64_t> SizeOf(const UniqueFd& fd) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return Failure(ErrnoError("stat", errno));
  return static_cast<std::uint64_t>(status.st_size);
}

// Hands all bytes of the file to `sink`.
Status ReadFile(const UniqueFd& fd, const ByteSink& sink) {
  std::array<std::byte, 64 * 1024> buffer;
  std::uint64_t offset = 0;
  while (true) {
    std::expected<std::size_t, int> got = ReadSome(fd.get(), buffer, offset);
    if (!got) return Failure(ErrnoError("read", got.error()));
    if (*got == 0) return {};
    offset += *got;
    RETURN_IF_ERROR(sink(std::span(buffer).first(*got)));
  }
}

Result<Digest> DigestOf(const UniqueFd& fd) {
  Sha256Hasher hasher;
  RETURN_IF_ERROR(ReadFile(fd, [&hasher](std::span<const std::byte> bytes) {
    hasher.Update(bytes);
    return Status();
  }));
  return Digest(hasher.Finish());
}

// "755 <64 hex digits> bin/koya"
std::optional<ManifestFile> ParseManifestLine(std::string_view line) {
  const std::size_t mode_end = line.find(' ');
  const std::size_t digest_end = line.find(' ', mode_end + 1);
  if (mode_end == std::string_view::npos || digest_end == std::string_view::npos) return {};
  const std::string_view mode = line.substr(0, mode_end);
  Result<Digest> digest = Digest::Parse(line.substr(mode_end + 1, digest_end - mode_end - 1));
  Result<std::string> path = ParseEntryName(line.substr(digest_end + 1));
  if (!digest || !path || path->empty() || (mode != "755" && mode != "644")) return {};
  return ManifestFile{*std::move(path), mode == "755", *digest};
}

Result<ReleaseManifest> ReadManifest(const fs::path& tree) {
  ReleaseManifest manifest;
  ASSIGN_OR_RETURN(UniqueFd fd, OpenInTree(tree, kManifestPath));
  ASSIGN_OR_RETURN(std::uint64_t size, SizeOf(fd));
  if (size > kManifestBytes) return BadTree(tree, "its manifest is too large");
  RETURN_IF_ERROR(ReadFile(fd, [&manifest](std::span<const std::byte> bytes) {
    manifest.text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Status();
  }));
  std::string_view rest = manifest.text;
  for (std::size_t number = 0; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (number == 0) {  // "koya 0.9.0 linux amd64"
      const std::size_t end = line.find(" linux ");
      if (!line.starts_with("koya ") || end == std::string_view::npos) break;
      manifest.version = line.substr(5, end - 5);
      manifest.arch = line.substr(end + 7);
      continue;
    }
    std::optional<ManifestFile> file = ParseManifestLine(line);
    if (!file) return BadTree(tree, fmt::format("line {} of its manifest", number + 1));
    manifest.files.push_back(*std::move(file));
  }
  if (manifest.files.empty()) return BadTree(tree, "its manifest names no files");
  if (manifest.arch != "amd64" && manifest.arch != "arm64") {
    return BadTree(tree, "its manifest names another architecture");
  }
  return manifest;
}

// A file in a folder that gets its name when it is complete; else it is removed.
class NewFile {
 public:
  // Under a name of its own, since several servers may share the folder.
  static Result<NewFile> Create(const fs::path& folder) {
    std::string path = (folder / kPartName).native() + "XXXXXX";
    UniqueFd fd(::mkostemp(path.data(), O_CLOEXEC));
    if (!fd.valid()) return Failure(ErrnoError("create " + path, errno));
    return NewFile(std::move(fd), std::move(path));
  }
  NewFile(NewFile&&) noexcept = default;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile() {
    if (fd_.valid()) ::unlink(path_.c_str());
  }

  const UniqueFd& fd() const { return fd_; }
  Result<UniqueFd> NameIt(const fs::path& path) && {
    if (::fsync(fd_.get()) != 0) return Failure(ErrnoError("fsync " + path_.native(), errno));
    if (::rename(path_.c_str(), path.c_str()) != 0) {
      return Failure(ErrnoError("rename " + path_.native(), errno));
    }
    return std::move(fd_);
  }

 private:
  NewFile(UniqueFd fd, fs::path path) : fd_(std::move(fd)), path_(std::move(path)) {}

  UniqueFd fd_;
  fs::path path_;
};

Status PackFile(const fs::path& tree, const ManifestFile& file, const std::string& folder,
                TarWriter& tar) {
  ASSIGN_OR_RETURN(UniqueFd fd, OpenInTree(tree, file.path));
  ASSIGN_OR_RETURN(std::uint64_t size, SizeOf(fd));
  RETURN_IF_ERROR(
      tar.BeginFile({.name = folder + file.path, .size = size, .executable = file.executable}));
  Sha256Hasher hasher;
  RETURN_IF_ERROR(ReadFile(fd, [&](std::span<const std::byte> bytes) {
    hasher.Update(bytes);
    return tar.Content(bytes);
  }));
  if (Digest(hasher.Finish()) != file.digest) {
    return BadTree(tree, file.path + " differs from the manifest");
  }
  return {};
}

Status PackTree(const fs::path& tree, const ReleaseManifest& manifest,
                const std::atomic<bool>& stopping, const ByteSink& sink) {
  const std::string folder = fmt::format("koya-{}-linux-{}/", manifest.version, manifest.arch);
  TarWriter tar(sink);
  for (const ManifestFile& file : manifest.files) {
    if (stopping) return FailUnavailable("the server is stopping");
    RETURN_IF_ERROR(PackFile(tree, file, folder, tar));
  }
  RETURN_IF_ERROR(
      tar.BeginFile({.name = folder + std::string(kManifestPath), .size = manifest.text.size()}));
  RETURN_IF_ERROR(tar.Content(std::as_bytes(std::span(manifest.text))));
  return tar.Finish();
}

// "koya-0.9.0-linux-amd64.<digest of the manifest>.", and then the archive's own digest: the name
// says whether the file is of this tree, and undamaged.
std::string ArchivePrefix(const ReleaseManifest& manifest) {
  return fmt::format("koya-{}-linux-{}.{}.", manifest.version, manifest.arch,
                     Digest::Of(manifest.text).hex());
}

Result<ClientArchive> Describe(const ReleaseManifest& manifest, const Digest& digest, UniqueFd fd) {
  ASSIGN_OR_RETURN(std::uint64_t size, SizeOf(fd));
  return ClientArchive{manifest.arch, size, digest,
                       std::make_shared<const UniqueFd>(std::move(fd))};
}

// The archive that was packed before; nullopt: there is none, or it is damaged.
std::optional<ClientArchive> FindPacked(const fs::path& folder, const ReleaseManifest& manifest) {
  const std::string prefix = ArchivePrefix(manifest);
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(prefix)) continue;
    Result<Digest> named = Digest::Parse(std::string_view(name).substr(prefix.size()));
    Result<UniqueFd> fd = OpenToRead(entry.path());
    if (!named || !fd) continue;
    Result<Digest> digest = DigestOf(*fd);
    if (!digest || *digest != *named) continue;
    if (Result<ClientArchive> archive = Describe(manifest, *digest, *std::move(fd))) {
      return *std::move(archive);
    }
  }
  return std::nullopt;
}

Result<ClientArchive> Pack(const fs::path& folder, const fs::path& tree,
                           const ReleaseManifest& manifest, const std::atomic<bool>& stopping) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Failure(ErrnoError("create " + folder.native(), error.value()));
  const std::string prefix = ArchivePrefix(manifest);
  ASSIGN_OR_RETURN(NewFile file, NewFile::Create(folder));
  Sha256Hasher hasher;
  auto write = [&](std::span<const std::byte> bytes) -> Status {
    hasher.Update(bytes);
    const int failed = WriteAll(file.fd().get(), bytes);
    if (failed != 0) return Failure(ErrnoError("write to " + folder.native(), failed));
    return {};
  };
  RETURN_IF_ERROR(PackTree(tree, manifest, stopping, write));
  const Digest digest(hasher.Finish());
  ASSIGN_OR_RETURN(UniqueFd fd, std::move(file).NameIt(folder / (prefix + digest.hex())));
  return Describe(manifest, digest, std::move(fd));
}

// This program's tree, and of the others those of its version, one an architecture.
Result<std::vector<std::pair<fs::path, ReleaseManifest>>> FindTrees(
    const ClientArchiveSetup& setup) {
  std::vector<std::pair<fs::path, ReleaseManifest>> trees;
  if (setup.tree.empty()) return trees;
  ASSIGN_OR_RETURN(ReleaseManifest own, ReadManifest(setup.tree));
  if (own.version != setup.version)
    return BadTree(setup.tree, "its manifest is of another version");
  for (std::string_view arch : {"amd64", "arm64"}) {
    if (arch == own.arch) {
      trees.emplace_back(setup.tree, own);
      continue;
    }
    if (setup.trees.empty()) continue;
    fs::path tree = setup.trees / fmt::format("koya-{}-linux-{}", setup.version, arch);
    std::error_code error;
    if (!fs::exists(tree, error)) continue;
    ASSIGN_OR_RETURN(ReleaseManifest manifest, ReadManifest(tree));
    if (manifest.version != setup.version || manifest.arch != arch) {
      return BadTree(tree, "its manifest is of another tree");
    }
    trees.emplace_back(std::move(tree), std::move(manifest));
  }
  return trees;
}

// Whether another server may be writing it.
bool IsBeingWritten(const fs::directory_entry& entry) {
  std::error_code error;
  const fs::file_time_type written = entry.last_write_time(error);
  return !error && entry.path().filename().native().starts_with(kPartName) &&
         fs::file_time_type::clock::now() - written < std::chrono::hours(1);
}

// Archives of other versions, and parts that a killed process left.
void RemoveOthers(const fs::path& folder, const std::vector<std::string>& prefixes) {
  std::error_code error;
  std::vector<fs::path> others;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    const bool current = std::ranges::any_of(
        prefixes, [&name](const std::string& each) { return name.starts_with(each); });
    if (name.starts_with("koya-") && !current && !IsBeingWritten(entry)) {
      others.push_back(entry.path());
    }
  }
  for (const fs::path& each : others) fs::remove(each, error);
}

Result<ClientArchiveList> PackAll(const ClientArchiveSetup& setup,
                                  const std::atomic<bool>& stopping) {
  ASSIGN_OR_RETURN(auto trees, FindTrees(setup));
  auto archives = std::make_shared<std::vector<ClientArchive>>();
  std::vector<std::string> prefixes;
  for (const auto& [tree, manifest] : trees) {
    prefixes.push_back(ArchivePrefix(manifest));
    if (std::optional<ClientArchive> packed = FindPacked(setup.archives, manifest)) {
      archives->push_back(*std::move(packed));
      continue;
    }
    ASSIGN_OR_RETURN(ClientArchive archive, Pack(setup.archives, tree, manifest, stopping));
    archives->push_back(std::move(archive));
  }
  RemoveOthers(setup.archives, prefixes);
  return ClientArchiveList(std::move(archives));
}

}  // namespace

struct ClientArchives::State {
  ClientArchiveSetup setup;
  std::atomic<bool> stopping = false;
  Condition changed;
  // Under changed.mutex().
  bool packing = false;
  std::optional<Result<ClientArchiveList>> packed;  // of the last run; a failure is tried again
};

ClientArchives::ClientArchives(ClientArchiveSetup setup, WorkerPool& pool)
    : state_(std::make_shared<State>()), pool_(pool) {
  state_->setup = std::move(setup);
}

ClientArchives::~ClientArchives() { state_->stopping = true; }

Task<ClientArchiveList> ClientArchives::List() {
  const std::shared_ptr<State> state = state_;
  {
    std::lock_guard lock(state->changed.mutex());
    if (state->packed && *state->packed) co_return **state->packed;
    if (!state->packing) {
      state->packing = true;
      state->packed.reset();
      pool_.Post([state] {
        Result<ClientArchiveList> packed = PackAll(state->setup, state->stopping);
        {
          std::lock_guard done(state->changed.mutex());
          state->packing = false;
          state->packed = std::move(packed);
        }
        state->changed.NotifyAll();
      });
    }
  }
  const bool in_time =
      co_await state->changed.WaitUntil([state] { return state->packed.has_value(); },
                                        std::chrono::steady_clock::now() + kPackingTime);
  std::lock_guard lock(state->changed.mutex());
  if (in_time && state->packed) co_return *state->packed;
  Error late{ErrorKind::kUnavailable, "the server is still packing its client: try again", {}};
  late.retry_after = 5;
  co_return Failure(std::move(late));
}

}  // namespace koya::service
