// The archives of koya that a server hands out: its own release tree and those beside it, one an
// architecture, each packed once and stored in the data folder.
//
// An archive holds exactly the files of its tree's manifest, whose digests are verified while it is
// packed. Equal trees give equal archives, so servers of one version name one digest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/task.h"
#include "domain/digest.h"

namespace koya {
class WorkerPool;
}

namespace koya::service {

struct ClientArchive {
  std::string arch;        // "amd64", as in platforms
  std::uint64_t size = 0;  // bytes
  Digest digest;
  std::shared_ptr<const UniqueFd> file;  // open for reading

  std::string FileName() const { return "koya-linux-" + arch + ".tar.gz"; }
};
using ClientArchiveList = std::shared_ptr<const std::vector<ClientArchive>>;

struct ClientArchiveSetup {
  std::string version;          // of this program: trees of other versions do not count
  std::filesystem::path tree;   // that this program runs from; empty: none
  std::filesystem::path trees;  // folder with further trees, koya-VERSION-linux-ARCH; empty: none
  std::filesystem::path archives;  // folder for the archives, created when the first is packed
};

class ClientArchives {
 public:
  // Packs on `pool`, which must outlive this.
  ClientArchives(ClientArchiveSetup setup, WorkerPool& pool);
  ~ClientArchives();
  ClientArchives(const ClientArchives&) = delete;
  ClientArchives& operator=(const ClientArchives&) = delete;

  // All archives, by architecture; none for a program that runs from no release tree. The first
  // call packs them, which takes seconds, and others wait for it. A failure is not remembered.
  // Threads: any. Fails: kUnavailable: still packing after half a minute; kCorrupt: a tree differs
  // from its manifest; kStorageFull; kInternal.
  Task<ClientArchiveList> List();

 private:
  struct State;
  std::shared_ptr<State> state_;
  WorkerPool& pool_;
};

}  // namespace koya::service
