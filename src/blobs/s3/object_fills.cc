#include "blobs/s3/object_fills.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "base/file.h"
#include "base/offload.h"

namespace koya {
namespace {

// Blobs that arrived wrong once and are remembered as such.
constexpr std::size_t kMostWrong = 1024;

// Nothing has to arrive of nothing.
class EmptyBlob final : public Blob {
 public:
  std::uint64_t size() const override { return 0; }
  std::optional<int> file_descriptor() const override { return std::nullopt; }
  Task<std::size_t> ReadAt(std::uint64_t /*offset*/, std::span<std::byte> /*into*/) override {
    co_return std::size_t{0};
  }
};

}  // namespace

// The fills by digest, and how many have ended.
struct ObjectFills::Board {
  struct Entry {
    std::weak_ptr<Fill> fill;
    FillPtr held;  // the same, while a coroutine works for it
  };

  mutable std::mutex mutex;
  std::condition_variable quiet;  // nothing works any more
  std::map<Digest, Entry> entries;
  std::map<Digest, std::size_t> wrong;  // what arrived wrong, and how often
  std::uint64_t ended = 0;              // fills
  std::size_t working = 0;              // coroutines
  bool stopped = false;

  // Whether a coroutine may begin; it leaves when it ends.
  bool Enter() {
    std::lock_guard lock(mutex);
    if (!stopped) ++working;
    return !stopped;
  }
  void Leave() {
    std::lock_guard lock(mutex);
    if (--working == 0) quiet.notify_all();
  }
  // A coroutine works for the fill: it stays until it is settled.
  void Hold(const Digest& digest, const FillPtr& fill) {
    std::lock_guard lock(mutex);
    entries[digest] = {fill, fill};
  }
  // The entry stays as long as the fill has an owner. REQUIRES: the caller owns it.
  void LetGo(const Digest& digest) {
    std::lock_guard lock(mutex);
    entries[digest].held.reset();
  }
  std::size_t TimesWrong(const Digest& digest) const {
    std::lock_guard lock(mutex);
    auto found = wrong.find(digest);
    return found == wrong.end() ? 0 : found->second;
  }
  std::size_t NoteWrong(const Digest& digest) {
    std::lock_guard lock(mutex);
    if (wrong.size() >= kMostWrong) wrong.clear();
    return ++wrong[digest];
  }
  void ForgetWrong(const Digest& digest) {
    std::lock_guard lock(mutex);
    wrong.erase(digest);
  }
};

// Removes a fill's board entry when the last blob of the fill is destroyed and no transfer has
// started.
class ObjectFills::Seat {
 public:
  Seat(std::shared_ptr<Board> board, const Digest& digest, std::shared_ptr<BlobWriter> writer)
      : board_(std::move(board)), digest_(digest), writer_(std::move(writer)) {}
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;
  ~Seat() {
    std::lock_guard lock(board_->mutex);
    auto entry = board_->entries.find(digest_);
    bool gone = entry != board_->entries.end() && entry->second.fill.expired();
    if (gone) board_->entries.erase(entry);
  }

 private:
  const std::shared_ptr<Board> board_;
  const Digest digest_;
  const std::shared_ptr<BlobWriter> writer_;
};

ObjectFills::ObjectFills(const S3BlobParts& parts, CacheDisk& cache, FairPool& errands,
                         FillOptions options)
    : parts_(parts),
      cache_(cache),
      errands_(errands),
      options_(std::move(options)),
      board_(std::make_shared<Board>()) {}

ObjectFills::~ObjectFills() { Stop(); }

void ObjectFills::Stop() {
  std::vector<FillPtr> waiting;
  {
    std::lock_guard lock(board_->mutex);
    board_->stopped = true;
    for (const auto& [digest, entry] : board_->entries) {
      if (!entry.held) waiting.push_back(entry.fill.lock());
    }
  }
  for (const FillPtr& fill : waiting) {
    if (fill) fill->End(Failure(StoppedTransfer()));
  }
  stop_.request_stop();
  {
    // A thread that checked before the request and does not wait yet holds the lock until it does.
    std::lock_guard lock(changed_.mutex());
  }
  changed_.NotifyAll();
  std::unique_lock lock(board_->mutex);
  board_->quiet.wait(lock, [this] { return board_->working == 0; });
}

std::size_t ObjectFills::known() const {
  std::lock_guard lock(board_->mutex);
  return board_->entries.size();
}

std::uint64_t ObjectFills::ended() const {
  std::lock_guard lock(board_->mutex);
  return board_->ended;
}

Task<std::shared_ptr<Blob>> ObjectFills::OpenBlob(Digest digest, std::uint64_t ended) {
  FillPtr fill = Join(digest, ended);
  ASSIGN_OR_CO_RETURN(Fill::Opened opened, co_await fill->OpenAnnounced());
  co_return std::move(opened.blob);
}

// The fill of this blob, or a new one, which is being announced.
ObjectFills::FillPtr ObjectFills::Join(const Digest& digest, std::uint64_t ended) {
  FillPtr fill;
  {
    std::lock_guard lock(board_->mutex);
    Board::Entry& entry = board_->entries[digest];
    if (FillPtr known = entry.fill.lock()) return known;
    fill = std::make_shared<Fill>();
    entry = {fill, fill};
  }
  if (board_->Enter()) {
    errands_.Spawn(Announce(digest, fill, ended));
  } else {
    EndFill(digest, fill, Failure(StoppedTransfer()));
  }
  return fill;
}

// The next request gets `next`, starts another fill, or finds the stored blob.
void ObjectFills::EndFill(const Digest& digest, const FillPtr& fill, Status how,
                          const FillPtr& next) {
  FillPtr held;  // goes without the lock
  {
    std::lock_guard lock(board_->mutex);
    ++board_->ended;
    auto entry = board_->entries.find(digest);
    if (entry != board_->entries.end() && entry->second.fill.lock() == fill) {
      held = std::move(entry->second.held);
      entry->second = {next, next};
      if (!next) board_->entries.erase(entry);
    }
  }
  fill->End(std::move(how));
}

// ---- before bytes are asked for

Awaitable<void> ObjectFills::Announce(Digest digest, FillPtr fill, std::uint64_t ended) {
  ScopeGuard leave([board = board_] { board->Leave(); });
  Result<bool> served = false;
  try {
    served = co_await Prepare(digest, fill, ended);
  } catch (const std::exception& exception) {
    served = Fail(ErrorKind::kInternal, "the blob could not be opened; see the server's log",
                  exception.what());
  }
  const bool over = !served || *served;
  Status how;
  if (!served) how = Failure(std::move(served).error());
  if (over) EndFill(digest, fill, std::move(how));
}

// Returns whether the blob is here already, with nothing to fetch.
Task<bool> ObjectFills::Prepare(Digest digest, FillPtr fill, std::uint64_t ended_then) {
  // Perhaps one of this blob, since the caller looked.
  const bool look_again = ended() != ended_then;
  std::shared_ptr<Blob> here;
  if (look_again) here = co_await cache_.OpenCached(digest);
  if (here) {
    fill->Serve({digest, std::move(here)});
    co_return true;
  }
  ASSIGN_OR_CO_RETURN(LocatedBlob located, co_await LocateBlob(parts_, digest));
  TransferContext context{parts_, options_, counts_, changed_, stop_.get_token()};
  auto transfer = std::make_shared<ObjectTransfer>(std::move(context), std::move(located),
                                                   board_->TimesWrong(digest));
  if (transfer->object().size == 0) {
    fill->Serve({digest, std::make_shared<EmptyBlob>()});
    co_return true;
  }
  CO_RETURN_IF_ERROR(co_await Offer(std::move(transfer), std::move(fill)));
  co_return false;
}

// From here on its readers own the fill: it ends when it has no reader and no waiter.
Task<void> ObjectFills::Offer(TransferPtr transfer, FillPtr fill) {
  auto create = [this] { return cache_.Create(); };
  ASSIGN_OR_CO_RETURN(std::shared_ptr<BlobWriter> writer,
                      co_await Offload(cache_.workers(), std::move(create)));
  transfer->StageIn(writer);
  const BlobObject& object = transfer->object();
  Fill::Arrival arrival{.digest = object.digest,
                        .owner = std::make_shared<Seat>(board_, object.digest, writer),
                        .descriptor = writer->staged_file(),
                        .length = object.size,
                        .parts_wait = true};
  auto begin = [this, board = board_, transfer](FillPtr wanted) {
    if (board->Enter()) {
      Begin(transfer, std::move(wanted));
    } else {
      wanted->End(Failure(StoppedTransfer()));
    }
  };
  board_->LetGo(object.digest);
  fill->Start(std::move(arrival), std::move(begin));
  co_return Status();
}

// ---- the transfer

// Runs on the thread of the reader that waits for bytes.
void ObjectFills::Begin(TransferPtr transfer, FillPtr fill) {
  board_->Hold(transfer->object().digest, fill);
  errands_.Spawn(Run(std::move(transfer), std::move(fill)));
}

Awaitable<void> ObjectFills::Run(TransferPtr transfer, FillPtr fill) {
  ScopeGuard leave([board = board_] { board->Leave(); });
  const Digest digest = transfer->object().digest;
  Status brought;
  try {
    brought = co_await FetchObject(transfer, fill);
  } catch (const std::exception& exception) {
    brought = Fail(ErrorKind::kInternal, "the blob could not be read; see the server's log",
                   exception.what());
  }
  if (!brought) ++counts_.failures;
  const bool told = brought || brought.error().kind == ErrorKind::kCorrupt || stopping();
  if (!told) {
    parts_.log.Failure("a blob could not be read from the store", brought.error(),
                       {{"digest", digest.ToString()}, {"object", transfer->object().name}});
  }
  const bool again = !transfer->wrong().empty() && !told;
  transfer.reset();
  FillPtr next;
  if (again) next = std::make_shared<Fill>();
  EndFill(digest, fill, std::move(brought), next);
  fill.reset();
  if (next) co_await FetchAgain(digest, std::move(next));
}

// Starts at once, so that a reader that was cut off and retries finds the fill.
Awaitable<void> ObjectFills::FetchAgain(Digest digest, FillPtr fill) {
  if (!board_->Enter()) {
    EndFill(digest, fill, Failure(StoppedTransfer()));
    co_return;
  }
  co_await Announce(digest, fill, ended());
  Result<Fill::Opened> opened = co_await fill->OpenAnnounced();
  if (opened) fill->Demand();
}

Task<void> ObjectFills::TakePlace() {
  bool entered = false;
  std::function<bool()> decided = [this, &entered] {
    entered = !stopping() && running_ < options_.most;
    if (entered) ++running_;
    return entered || stopping();
  };
  const auto deadline = std::chrono::steady_clock::now() + options_.patience;
  co_await changed_.WaitUntil(std::move(decided), deadline);
  if (entered) co_return Status();
  if (stopping()) co_return Failure(StoppedTransfer());
  Error busy{ErrorKind::kUnavailable,
             "too many archives are being read from the object store; try again in a moment",
             {}};
  busy.retry_after = 2;
  co_return Failure(std::move(busy));
}

void ObjectFills::LeavePlace() {
  {
    std::lock_guard lock(changed_.mutex());
    --running_;
  }
  changed_.NotifyAll();
}

Task<void> ObjectFills::FetchObject(TransferPtr transfer, FillPtr fill) {
  CO_RETURN_IF_ERROR(co_await TakePlace());
  ScopeGuard leave([this] { LeavePlace(); });
  ++counts_.fills;
  Result<BlobInfo> arrived = co_await transfer->Run(fill);
  if (!arrived) co_return co_await Reject(std::move(transfer), std::move(arrived).error());
  board_->ForgetWrong(arrived->digest);
  fill->Grow(arrived->size);
  fill->Succeed();
  // Before the fill leaves the board: readers join it until then, and find the blob in the cache
  // afterwards.
  co_await cache_.StoreBlob(transfer->writer(), *arrived);
  if (transfer->object().lost) co_await transfer->DeclareFound();
  co_return Status();
}

Task<void> ObjectFills::Reject(TransferPtr transfer, Error error) {
  const Digest digest = transfer->object().digest;
  if (transfer->wrong().empty()) co_return Failure(std::move(error));
  if (board_->NoteWrong(digest) < transfer->attempts()) co_return Failure(std::move(error));
  board_->ForgetWrong(digest);
  co_return co_await transfer->DeclareLost(transfer->wrong());
}

Awaitable<std::shared_ptr<Blob>> CacheDisk::OpenCached(Digest digest) {
  Result<std::shared_ptr<Blob>> found = co_await files_.Open(digest);
  if (found) co_return *std::move(found);
  if (found.error().kind != ErrorKind::kNotFound) {
    log_.Failure("a cached blob cannot be used; reading it from the store", found.error());
  }
  if (found.error().kind == ErrorKind::kCorrupt) co_await Drop(digest);
  co_return nullptr;
}

Awaitable<void> CacheDisk::StoreBlob(BlobWriter& writer, BlobInfo info) {
  Status kept = co_await writer.Commit();
  if (kept) co_return;
  log_.Failure("a blob is not cached", kept.error(),
               {{"digest", info.digest.ToString()}, {"bytes", info.size}});
}

Awaitable<void> CacheDisk::Drop(Digest digest) {
  Result<bool> dropped = co_await files_.RemoveIfOlder(digest, std::chrono::seconds(0));
  if (!dropped) {
    log_.Failure("a blob cannot be removed from the cache", dropped.error(),
                 {{"digest", digest.ToString()}});
  }
}

}  // namespace koya
