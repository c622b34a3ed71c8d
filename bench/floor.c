// The least that a server does: one loop that answers GET for the files of a folder, over plain
// HTTP/1.1. It reads each request, looks for its path among the files, and sends a short head with
// the bytes, small files from memory and large ones by sendfile. No fields, no limits, no
// log. What Koya costs more is what a registry costs.
//
// usage: floor PORT FOLDER
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kMostFiles = 4096, kMostSockets = 4096, kSmall = 16 * 1024 };

struct answer {
  char* path;  // with its leading '/'
  char* bytes;  // the head, and the body of a small file
  size_t size;
  int file;  // -1: all is in `bytes`
  off_t length;
};
struct connection {
  char request[2048];
  size_t received;
  const struct answer* answer;  // what is being sent; null: nothing is
  size_t sent;
  off_t offset;
};

static struct answer answers[kMostFiles];
static int count;
static size_t root;
static struct connection connections[kMostSockets];

static int add(const char* path, const struct stat* status, int type, struct FTW* walk) {
  (void)walk;
  if (type != FTW_F || count == kMostFiles) return 0;
  struct answer* answer = &answers[count++];
  const size_t length = (size_t)status->st_size;
  answer->path = strdup(path + root);
  answer->length = status->st_size;
  answer->file = open(path, O_RDONLY | O_CLOEXEC);
  answer->bytes = malloc(512 + (length <= kSmall ? length : 0));
  answer->size = (size_t)sprintf(answer->bytes,
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nETag: \"%032x\"\r\n"
      "Server: floor\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: %zu\r\n\r\n",
      (unsigned)count, length);
  if (length > kSmall) return 0;
  if (read(answer->file, answer->bytes + answer->size, length) != (ssize_t)length) abort();
  answer->size += length;
  close(answer->file);
  answer->file = -1;
  return 0;
}

static const struct answer* find(const char* request) {
  const char* path = strchr(request, '/');
  const char* end = path ? strchr(path, ' ') : NULL;
  for (int i = 0; end != NULL && i < count; ++i) {
    const size_t size = (size_t)(end - path);
    if (strlen(answers[i].path) == size && memcmp(answers[i].path, path, size) == 0) return &answers[i];
  }
  return NULL;
}

// 0: the socket takes no more for now, or all is sent; -1: it is broken.
static int send_on(int fd, struct connection* c) {
  while (c->answer != NULL) {
    ssize_t sent;
    if (c->sent < c->answer->size) {
      const int flags = MSG_NOSIGNAL | (c->answer->file >= 0 ? MSG_MORE : 0);
      sent = send(fd, c->answer->bytes + c->sent, c->answer->size - c->sent, flags);
      if (sent > 0) c->sent += (size_t)sent;
    } else {
      sent = sendfile(fd, c->answer->file, &c->offset, (size_t)(c->answer->length - c->offset));
    }
    if (sent <= 0) return sent < 0 && errno == EAGAIN ? 0 : -1;
    const int is_sent = c->sent == c->answer->size;
    if (is_sent && (c->answer->file < 0 || c->offset == c->answer->length)) c->answer = NULL;
  }
  return 0;
}

static int serve(int fd, struct connection* c, unsigned events) {
  if (events & EPOLLOUT && send_on(fd, c) < 0) return -1;
  if (c->answer != NULL || !(events & EPOLLIN)) return 0;
  const ssize_t got = recv(fd, c->request + c->received, sizeof c->request - 1 - c->received, 0);
  if (got <= 0) return got < 0 && errno == EAGAIN ? 0 : -1;
  c->received += (size_t)got;
  if (c->received < 4 || memcmp(c->request + c->received - 4, "\r\n\r\n", 4) != 0) {
    return c->received == sizeof c->request - 1 ? -1 : 0;
  }
  c->request[c->received] = '\0';
  c->received = c->sent = 0;
  c->offset = 0;
  c->answer = find(c->request);
  return c->answer == NULL ? -1 : send_on(fd, c);
}

static void take(int epoll, int listener) {
  const int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return;
  if (fd >= kMostSockets) {
    close(fd);
    return;
  }
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  memset(&connections[fd], 0, sizeof connections[fd]);
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.fd = fd};
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  root = strlen(argv[2]);
  if (nftw(argv[2], add, 16, 0) != 0) return 1;
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1])),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(listener, (struct sockaddr*)&address, sizeof address) != 0 || listen(listener, 1024) != 0) {
    return 1;
  }
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, ready[256];
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    const int found = epoll_wait(epoll, ready, 256, -1);
    for (int i = 0; i < found; ++i) {
      const int fd = ready[i].data.fd;
      if (fd == listener) take(epoll, listener);
      else if (serve(fd, &connections[fd], ready[i].events) < 0) close(fd);
    }
  }
}
