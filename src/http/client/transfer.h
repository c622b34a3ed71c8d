// The state of one exchange of the client while libcurl works on it, and libcurl's callbacks.
// Included by the client's own files only.
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

// State that the callbacks of one exchange share. Belongs to the thread that is in Send.
struct Transfer {
  using Time = std::chrono::steady_clock::time_point;

  const ClientRequest* request = nullptr;
  const ClientOptions* options = nullptr;
  CURL* handle = nullptr;
  ClientResponse response;
  std::uint64_t received = 0;
  // Bytes of the body that were not passed to the sink yet.
  std::unique_ptr<char[]> piece;
  std::size_t piece_size = 0;
  std::uint64_t upload_offset = 0;  // in the body, not in the file
  std::size_t head_bytes = 0;
  bool head_told = false;
  bool enough = false;           // the rest of the body is not needed
  std::optional<Error> failure;  // why a callback ended the exchange
  // Why an address was not connected to; another address of the host may still be allowed.
  std::optional<Error> refusal;
  Time began = std::chrono::steady_clock::now();
  // When a byte last moved either way. Time spent in the callbacks is not the peer's delay.
  Time last_byte = began;
  curl_off_t moved = 0;
  // The window in which the rate is measured.
  Time window_began = last_byte;
  curl_off_t window_moved = 0;

  std::chrono::milliseconds stall_timeout() const;
  // If the first byte of the response is overdue: returns true and sets `failure`.
  bool IsFirstByteLate(Time now);
  // How long the times need not be checked.
  std::chrono::milliseconds UntilNextLook(Time now) const;
};

// Passes the head of a 2xx response that goes to a sink to on_head, once. False: stop the transfer.
bool TellHead(Transfer& transfer, long status);

// Passes the gathered bytes to the sink. False: it failed; `failure` has the error.
bool HandOver(Transfer& transfer);

// The callbacks of libcurl; `context` is the Transfer.
std::size_t OnField(char* data, std::size_t size, std::size_t count, void* context);
std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* context);
std::size_t OnRead(char* buffer, std::size_t size, std::size_t count, void* context);
int OnSeek(void* context, curl_off_t offset, int origin);
int OnProgress(void* context, curl_off_t, curl_off_t received, curl_off_t, curl_off_t sent);
curl_socket_t OnOpenSocket(void* context, curlsocktype, curl_sockaddr* address);

}  // namespace koya::http
