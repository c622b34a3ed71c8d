#include "http/server/http2_client_fake.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace koya::http {
namespace {

RawClient::Options OverTls(RawClient::Options options) {
  options.tls = true;
  options.protocols = {"h2"};
  return options;
}

nghttp2_nv ToField(const std::pair<std::string, std::string>& field) {
  auto bytes = [](const std::string& text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(field.first), bytes(field.second), field.first.size(), field.second.size(),
          NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

struct Http2ClientCallbacks {
  static Http2Client& Of(void* client) { return *static_cast<Http2Client*>(client); }

  static int Header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                    std::uint8_t, void* user) {
    Http2Answer& answer = Of(user).answers_[frame->hd.stream_id];
    const std::string key(reinterpret_cast<const char*>(name), name_size);
    const std::string text(reinterpret_cast<const char*>(value), value_size);
    if (key != ":status") {
      answer.fields.emplace(key, text);
    } else if (text == "100") {
      answer.was_continued = true;
    } else {
      answer.status = static_cast<unsigned>(std::stoul(text));
    }
    return 0;
  }

  static int FrameReceived(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Http2Client& client = Of(user);
    const bool is_last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    const bool has_flag = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (has_flag && is_last) client.answers_[frame->hd.stream_id].complete = true;
    if (frame->hd.type == NGHTTP2_RST_STREAM) {
      client.answers_[frame->hd.stream_id].reset = frame->rst_stream.error_code;
    }
    return 0;
  }

  static int DataReceived(nghttp2_session* session, std::uint8_t, std::int32_t id,
                          const std::uint8_t* data, std::size_t size, void* user) {
    Http2Client& client = Of(user);
    client.answers_[id].body.append(reinterpret_cast<const char*>(data), size);
    if (client.requests_[id].reads) nghttp2_session_consume(session, id, size);
    return 0;
  }

  static ssize_t ReadBody(nghttp2_session*, std::int32_t id, std::uint8_t* out, std::size_t most,
                          std::uint32_t* flags, nghttp2_data_source*, void* user) {
    Http2Client& client = Of(user);
    std::string_view& left = client.unsent_[id];
    const std::size_t count = std::min(most, left.size());
    std::memcpy(out, left.data(), count);
    left.remove_prefix(count);
    client.body_bytes_sent_ += count;
    if (left.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }
};

std::string Http2Answer::Get(const std::string& name) const {
  auto found = fields.find(name);
  return found == fields.end() ? "" : found->second;
}

Http2Client::Http2Client(std::uint16_t port, RawClient::Options options)
    : raw_(port, OverTls(std::move(options))), session_(nullptr, nghttp2_session_del) {
  if (!raw_.connected() || raw_.negotiated_protocol() != "h2") {
    throw std::runtime_error("the server does not speak HTTP/2");
  }
  std::signal(SIGPIPE, SIG_IGN);  // the server may end the connection while this client sends
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, Http2ClientCallbacks::Header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks,
                                                       Http2ClientCallbacks::FrameReceived);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks,
                                                            Http2ClientCallbacks::DataReceived);
  nghttp2_option* option = nullptr;
  nghttp2_option_new(&option);
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_session* session = nullptr;
  nghttp2_session_client_new2(&session, callbacks, this, option);
  session_.reset(session);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
  Flush();
}

Http2Client::~Http2Client() = default;

void Http2Client::Flush() {
  std::string out;
  const std::uint8_t* bytes = nullptr;
  for (ssize_t size = 0; (size = nghttp2_session_mem_send(session_.get(), &bytes)) > 0;) {
    out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }
  raw_.Send(out);
}

std::int32_t Http2Client::Send(const Http2Request& request) {
  std::vector<std::pair<std::string, std::string>> fields{{":method", request.method},
                                                          {":scheme", "https"},
                                                          {":authority", "h"},
                                                          {":path", request.path}};
  fields.insert(fields.end(), request.fields.begin(), request.fields.end());
  std::vector<nghttp2_nv> views;
  for (const auto& field : fields) views.push_back(ToField(field));
  nghttp2_data_provider provider{};
  provider.read_callback = Http2ClientCallbacks::ReadBody;
  const std::int32_t id =
      nghttp2_submit_request(session_.get(), nullptr, views.data(), views.size(),
                             request.body ? &provider : nullptr, nullptr);
  if (id < 0) return id;
  Http2Request& kept = requests_[id] = request;
  if (kept.body) unsent_[id] = *kept.body;
  Flush();
  return id;
}

bool Http2Client::ReadMore() {
  const std::string bytes = raw_.ReadSome();
  if (bytes.empty()) return false;
  NoteGoaway(bytes);
  nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()),
                           bytes.size());
  Flush();
  return true;
}

// Not left to nghttp2, which reads no further after an answer to a request that it has not made.
void Http2Client::NoteGoaway(std::string_view bytes) {
  constexpr std::size_t kFrameHead = 9;
  frames_.append(bytes);
  auto number = [&](std::size_t at, std::size_t size) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + size; ++i) {
      value = value << 8 | static_cast<std::uint8_t>(frames_[i]);
    }
    return value;
  };
  while (frames_.size() >= kFrameHead && frames_.size() >= kFrameHead + number(0, 3)) {
    if (frames_[3] == NGHTTP2_GOAWAY) {
      goaway_last_ = static_cast<std::int32_t>(number(kFrameHead, 4));
      goaway_ = number(kFrameHead + 4, 4);
    }
    frames_.erase(0, kFrameHead + number(0, 3));
  }
}

void Http2Client::SendFirst(std::string_view frames) {
  nghttp2_session_upgrade2(session_.get(), nullptr, 0, 0, nullptr);
  Flush();
  raw_.Send(frames);
}

bool Http2Client::ReadUntil(const std::function<bool()>& reached) {
  while (!reached()) {
    if (!ReadMore()) return reached();
  }
  return true;
}

Http2Answer Http2Client::Finish(std::int32_t id) {
  ReadUntil([&] { return answers_[id].complete || answers_[id].reset; });
  return answers_[id];
}

void Http2Client::Reset(std::int32_t id) {
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  Flush();
}

std::int32_t Http2Client::connection_window() const {
  return nghttp2_session_get_remote_window_size(session_.get());
}

std::string MakeFrame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                      std::string_view payload) {
  const auto size = static_cast<std::uint32_t>(payload.size());
  std::string frame;
  for (int shift : {16, 8, 0}) frame.push_back(static_cast<char>(size >> shift));
  frame.push_back(static_cast<char>(type));
  frame.push_back(static_cast<char>(flags));
  for (int shift : {24, 16, 8, 0}) frame.push_back(static_cast<char>(stream >> shift));
  return frame.append(payload);
}

std::string MakeHeaderBlock(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string block;
  auto append = [&](std::string_view text) {
    constexpr std::size_t kPrefix = 127;  // RFC 7541 §5.1, seven bits
    if (text.size() < kPrefix) {
      block.push_back(static_cast<char>(text.size()));
    } else {
      block.push_back(static_cast<char>(kPrefix));
      std::size_t rest = text.size() - kPrefix;
      for (; rest >= 128; rest /= 128) block.push_back(static_cast<char>(rest % 128 + 128));
      block.push_back(static_cast<char>(rest));
    }
    block.append(text);
  };
  for (const auto& [name, value] : fields) {
    block.push_back('\0');  // a literal that is not indexed
    append(name);
    append(value);
  }
  return block;
}

std::string Http2Preface() {
  return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + MakeFrame(NGHTTP2_SETTINGS, 0, 0, "");
}

}  // namespace koya::http
