// One exchange of the client while libcurl works on it, and what libcurl calls meanwhile. Included
// by the client's own files only.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "http/client/client.h"

namespace koya::http {

// What the callbacks of one exchange share. Belongs to the thread that is in Send.
struct Transfer {
  using Time = std::chrono::steady_clock::time_point;

  const ClientRequest* request = nullptr;
  const ClientOptions* options = nullptr;
  CURL* handle = nullptr;
  ClientResponse response;
  std::uint64_t received = 0;
  // Of the body, what the sink has not been given yet.
  std::unique_ptr<char[]> piece;
  std::size_t piece_size = 0;
  std::uint64_t upload_offset = 0;  // in the body, not in the file
  std::size_t head_bytes = 0;
  bool head_told = false;
  bool enough = false;           // the rest of the body is of no use to anybody
  std::optional<Error> failure;  // why a callback ended the exchange
  // Why an address was not connected to; another of the host's may still do.
  std::optional<Error> refusal;
  Time began = std::chrono::steady_clock::now();
  // When a byte last went either way. What the callbacks themselves took is not the peer's delay.
  Time last_byte = began;
  curl_off_t moved = 0;
  // The window that the rate is looked at in.
  Time window_began = last_byte;
  curl_off_t window_moved = 0;

  std::chrono::milliseconds stall_timeout() const;
  // Says so in `failure` when the first byte of the answer should have come by now.
  bool IsFirstByteLate(Time now);
  // How long nobody need look at the times.
  std::chrono::milliseconds UntilNextLook(Time now) const;
};

// Tells the head of a 2xx answer that goes to a sink, once. False: the caller wants no more.
bool TellHead(Transfer& transfer, long status);

// Gives the sink what is gathered for it. False: it failed, as `failure` says.
bool HandOver(Transfer& transfer);

// What libcurl calls; `context` is the Transfer.
std::size_t OnField(char* data, std::size_t size, std::size_t count, void* context);
std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* context);
std::size_t OnRead(char* buffer, std::size_t size, std::size_t count, void* context);
int OnSeek(void* context, curl_off_t offset, int origin);
int OnProgress(void* context, curl_off_t, curl_off_t received, curl_off_t, curl_off_t sent);
curl_socket_t OnOpenSocket(void* context, curlsocktype, curl_sockaddr* address);

}  // namespace koya::http
