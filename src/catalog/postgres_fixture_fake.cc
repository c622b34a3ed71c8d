#include "catalog/postgres_fixture_fake.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/temp_folder_fake.h"

namespace koya {
namespace {

constexpr const char* kPrograms = "/usr/lib/postgresql/15/bin";
constexpr std::string_view kReady = "database system is ready to accept connections";
constexpr std::string_view kStandbyReady = "ready to accept read-only connections";

// What a spawned program writes on stderr, and its process.
struct Child {
  pid_t pid = -1;
  UniqueFd errors;
};

// PostgreSQL refuses to run as root: then another user's id. Null when there is none to take.
const passwd* OrdinaryUser() {
  const passwd* user = ::getpwnam("postgres");
  return user != nullptr ? user : ::getpwnam("nobody");
}

// setpriv (util-linux) changes the user and makes the child end with the test, however that ends.
std::vector<std::string> WithPrivileges(std::vector<std::string> command) {
  std::vector<std::string> full = {"setpriv", "--pdeathsig", "INT"};
  if (::geteuid() == 0) {
    const passwd* user = OrdinaryUser();
    full.insert(full.end(), {"--reuid", std::to_string(user->pw_uid), "--regid",
                             std::to_string(user->pw_gid), "--clear-groups"});
  }
  full.emplace_back("--");
  full.insert(full.end(), command.begin(), command.end());
  return full;
}

Result<Child> Spawn(std::vector<std::string> command) {
  command = WithPrivileges(std::move(command));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Failure(ErrnoError("pipe", errno));
  Child child{.errors = UniqueFd(ends[0])};
  UniqueFd writing(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, writing.get(), 2);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int code = ::posix_spawnp(&child.pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (code != 0) return Failure(ErrnoError("start " + command[0], code));
  return child;
}

// Reads what the child writes until it says `word` or ends. Returns all of it.
std::string ReadUntil(const Child& child, std::string_view word) {
  std::string text;
  char buffer[4096];
  while (word.empty() || !text.contains(word)) {
    ssize_t count = ::read(child.errors.get(), buffer, sizeof buffer);
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

Result<int> FreePort() {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd.get(), plain, length) != 0 || ::getsockname(fd.get(), plain, &length) != 0) {
    return Failure(ErrnoError("find a free port", errno));
  }
  return ntohs(address.sin_port);
}

std::shared_ptr<void> FreezeProcesses(std::vector<pid_t> pids) {
  for (pid_t pid : pids) ::kill(pid, SIGSTOP);
  return {nullptr, [pids = std::move(pids)](void*) {
            for (pid_t pid : pids) ::kill(pid, SIGCONT);
          }};
}

std::string AbsentReason() {
  std::string program = fmt::format("{}/postgres", kPrograms);
  if (::access(program.c_str(), X_OK) != 0) {
    return fmt::format("skipped: {} is not there; install the package postgresql-15", program);
  }
  if (::geteuid() == 0 && OrdinaryUser() == nullptr) {
    return "skipped: PostgreSQL does not run as root, and there is no other user";
  }
  return "";
}

}  // namespace

struct PostgresServer::Impl {
  ~Impl() { Stop(); }

  // Makes the folder "data" with one of PostgreSQL's programs.
  Status MakeCluster(std::vector<std::string> command);
  Status StartOn(int port, std::string_view ready);
  void Stop();

  TempFolder folder;
  Child child;
  std::thread drain;  // of the server's messages: a full pipe would stop it
  int port = 0;
  int databases = 0;
};

void PostgresServer::Impl::Stop() {
  if (child.pid > 0) {
    ::kill(child.pid, SIGQUIT);  // nothing in it is worth an orderly end
    ::waitpid(child.pid, nullptr, 0);
    child.pid = -1;
  }
  if (drain.joinable()) drain.join();
}

Status PostgresServer::Impl::MakeCluster(std::vector<std::string> command) {
  if (::geteuid() == 0) {
    const passwd* user = OrdinaryUser();
    if (::chown(folder.path().c_str(), user->pw_uid, user->pw_gid) != 0) {
      return Failure(ErrnoError("chown", errno));
    }
  }
  command[0] = fmt::format("{}/{}", kPrograms, command[0]);
  command.insert(command.end(), {"-D", folder / "data", "--no-sync"});
  ASSIGN_OR_RETURN(Child made, Spawn(command));
  std::string words = ReadUntil(made, "");
  int status = 0;
  ::waitpid(made.pid, &status, 0);
  if (status != 0) return Fail(ErrorKind::kInternal, command[0] + " failed", words);
  return {};
}

Status PostgresServer::Impl::StartOn(int wanted, std::string_view ready) {
  std::vector<std::string> command = {fmt::format("{}/postgres", kPrograms), "-D", folder / "data",
                                      "-p", std::to_string(wanted)};
  for (const char* setting :
       {"listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off",
        "synchronous_commit=off", "full_page_writes=off", "shared_buffers=16MB",
        "max_connections=100", "autovacuum=off", "log_min_messages=log"}) {
    command.insert(command.end(), {"-c", setting});
  }
  ASSIGN_OR_RETURN(Child started, Spawn(std::move(command)));
  std::string words = ReadUntil(started, ready);
  if (!words.contains(ready)) {
    ::waitpid(started.pid, nullptr, 0);
    return Fail(ErrorKind::kInternal, "PostgreSQL did not start", words);
  }
  child = std::move(started);
  port = wanted;
  drain = std::thread([this] { ReadUntil(child, ""); });
  return {};
}

PostgresServer::PostgresServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PostgresServer::~PostgresServer() = default;

Result<std::unique_ptr<PostgresServer>> PostgresServer::Start() {
  if (std::string reason = AbsentReason(); !reason.empty()) {
    return Fail(ErrorKind::kUnavailable, reason);
  }
  return Make({"initdb", "-U", "koya", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"}, kReady);
}

Result<std::unique_ptr<PostgresServer>> PostgresServer::Make(std::vector<std::string> command,
                                                             std::string_view ready) {
  auto impl = std::make_unique<Impl>();
  RETURN_IF_ERROR(impl->MakeCluster(std::move(command)));
  Status started;
  for (int attempt = 0; attempt < 5; ++attempt) {  // another process may take the port in between
    ASSIGN_OR_RETURN(int port, FreePort());
    started = impl->StartOn(port, ready);
    if (started) return std::unique_ptr<PostgresServer>(new PostgresServer(std::move(impl)));
  }
  return Failure(std::move(started).error());
}

Result<std::unique_ptr<PostgresServer>> PostgresServer::StartStandby() {
  return Make({"pg_basebackup", "-R", "-c", "fast", "-h", "127.0.0.1", "-U", "koya", "-p",
               std::to_string(impl_->port)},
              kStandbyReady);
}

void PostgresServer::Promote() {
  Run(fmt::format("postgresql://koya@{}/postgres", host()), "SELECT pg_promote()");
}

void PostgresServer::Stop() { impl_->Stop(); }

std::string PostgresServer::host() const { return fmt::format("127.0.0.1:{}", impl_->port); }

PostgresServer* PostgresServer::Shared(std::string* reason) {
  static const Result<std::unique_ptr<PostgresServer>> server = Start();
  if (server) return server->get();
  *reason = server.error().message;
  if (server.error().kind == ErrorKind::kUnavailable) return nullptr;
  throw std::runtime_error(server.error().message + ": " + server.error().detail);
}

std::string PostgresServer::Run(const std::string& url, const std::string& sql) {
  std::unique_ptr<PGconn, void (*)(PGconn*)> connection(PQconnectdb(url.c_str()), &PQfinish);
  std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(connection.get(), sql.c_str()),
                                                        &PQclear);
  ExecStatusType status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    throw std::runtime_error(PQerrorMessage(connection.get()));
  }
  bool value = PQntuples(result.get()) > 0 && PQnfields(result.get()) > 0;
  return value ? PQgetvalue(result.get(), 0, 0) : "";
}

std::string PostgresServer::MakeDatabase() {
  std::string base = fmt::format("postgresql://koya@127.0.0.1:{}/", impl_->port);
  std::string name = fmt::format("koya_{}", ++impl_->databases);
  Run(base + "postgres", "CREATE DATABASE " + name);
  return base + name;
}

void PostgresServer::CutConnections(const std::string& url) {
  Run(url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
      "WHERE datname = current_database() AND pid <> pg_backend_pid()");
}

std::shared_ptr<void> PostgresServer::Freeze() {
  const pid_t postmaster = impl_->child.pid;
  ::kill(postmaster, SIGSTOP);  // first: it starts no further children
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", postmaster));
  std::vector<pid_t> pids(std::istream_iterator<pid_t>(children), {});
  pids.push_back(postmaster);
  return FreezeProcesses(std::move(pids));
}

std::shared_ptr<void> PostgresServer::FreezeConnections(const std::string& url) {
  std::istringstream list(Run(url,
                              "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity "
                              "WHERE datname = current_database() AND application_name = 'koya'"));
  return FreezeProcesses({std::istream_iterator<pid_t>(list), {}});
}

}  // namespace koya
