#include "hcl/config_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"

namespace koya::hcl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFolders = 10'000;

// How a file of a module's folder is taken.
enum class FileKind { kRead, kJson, kOverride, kNone };

FileKind KindOf(const std::string& name) {
  // Other editors' copies ("x.tf~", "#x.tf#") have none of the endings; "#x.tf" is read by clients.
  if (name.starts_with('.')) return FileKind::kNone;
  if (name.ends_with(".tf.json") || name.ends_with(".tofu.json")) return FileKind::kJson;
  if (!name.ends_with(".tf") && !name.ends_with(".tofu")) return FileKind::kNone;
  std::string stem = name.substr(0, name.rfind('.'));
  return stem == "override" || stem.ends_with("_override") ? FileKind::kOverride : FileKind::kRead;
}

class Reader {
 public:
  Reader(fs::path root, const HostName& default_host)
      : root_(std::move(root)), default_host_(default_host) {}

  Requirements Run() {
    Enqueue(root_, {});
    while (!waiting_.empty()) {
      fs::path folder = std::move(waiting_.front());
      waiting_.pop_front();
      ReadModule(folder);
    }
    return std::move(out_);
  }

 private:
  // As people see it from where they stand: below the root, relative to it.
  std::string Shown(const fs::path& path) const {
    fs::path relative = path.lexically_relative(root_);
    return Printable(relative.empty() ? path.string() : relative.string(), 400);
  }
  void Problem(std::string_view place, std::string_view what) {
    out_.problems.push_back(fmt::format("{}: {}", place, what));
  }

  // Each folder once, by whatever way it was reached.
  void Enqueue(const fs::path& folder, std::string_view place) {
    std::error_code error;
    fs::path real = fs::canonical(folder, error);
    if (error || !fs::is_directory(real, error)) {
      Problem(place, fmt::format("there is no folder {}", Printable(folder.string(), 400)));
    } else if (seen_.size() >= kMaxFolders) {
      Problem(place, fmt::format("more than {} folders are not read", kMaxFolders));
    } else if (seen_.insert(real).second) {
      waiting_.push_back(folder.lexically_normal());
    }
  }

  std::vector<std::string> FilesOf(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      std::string name = at->path().filename().string();
      if (KindOf(name) != FileKind::kNone) names.push_back(std::move(name));
    }
    if (error) Problem(Shown(folder), error.message());
    std::ranges::sort(names);
    return names;
  }

  void ReadModule(const fs::path& folder) {
    ModuleScan scan(default_host_, out_);
    std::vector<std::string> names = FilesOf(folder);
    for (const std::string& name : names) {
      std::string shown = Shown(folder / name);
      FileKind kind = KindOf(name);
      bool hidden = name.ends_with(".tf") &&
                    std::ranges::count(names, name.substr(0, name.size() - 2) + "tofu") > 0;
      if (kind == FileKind::kJson) {
        Problem(shown, "configurations in JSON are not read: name their requirements by ADDRESS");
      } else if (kind == FileKind::kOverride) {
        Problem(shown, "override files are not read: name their requirements by ADDRESS");
      } else if (!hidden) {
        ReadFile(folder / name, shown, scan);
      }
    }
    scan.Finish();
    for (const ModuleScan::LocalCall& call : scan.local_calls()) {
      Enqueue(folder / call.source.substr(0, call.source.find("//")), call.place);
    }
  }

  void ReadFile(const fs::path& path, const std::string& shown, ModuleScan& scan) {
    Result<std::string> text = ReadTextFile(path);
    if (!text) {
      Problem(shown, text.error().message);
      return;
    }
    Result<Body> body = Parse(*text);
    if (body) {
      scan.AddFile(*body, shown);
    } else {
      Problem(shown, body.error().message);
    }
  }

  fs::path root_;
  const HostName& default_host_;
  Requirements out_;
  std::set<fs::path> seen_;
  std::deque<fs::path> waiting_;
};

}  // namespace

Result<std::string> ReadTextFile(const fs::path& path) {
  std::error_code error;
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path, error)) {
    return Fail(ErrorKind::kInvalid, fmt::format("cannot read {}", Printable(path.string(), 400)));
  }
  std::string text(kMaxText + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxText) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("{} has more than {} bytes", Printable(path.string(), 400), kMaxText));
  }
  return text;
}

Result<Requirements> ReadConfiguration(const fs::path& folder, const HostName& default_host) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("{} is not a folder", Printable(folder.string(), 400)));
  }
  return Reader(folder.lexically_normal(), default_host).Run();
}

}  // namespace koya::hcl
