#include "base/trace.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <mutex>

#include "base/fair_pool.h"
#include "base/offload.h"
#include "base/traced_executor.h"

namespace koya {
namespace {
namespace asio = boost::asio;

TEST(TraceId, IsReadFromASoundField) {
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  for (const std::string& field :
       {"00-" + trace + "-00f067aa0ba902b7-01", "00-" + trace + "-00f067aa0ba902b7-ff",
        "cc-" + trace + "-00f067aa0ba902b7-01", "01-" + trace + "-00f067aa0ba902b7-01-more"}) {
    EXPECT_EQ(TraceIdOf(field), trace) << field;
  }
}

TEST(TraceId, IsLeftOutOtherwise) {
  for (std::string_view field : {"", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011",
                                 "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
                                 "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                 "0G-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                 "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                                 "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067aa0ba902b7-01",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
                                 "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01"}) {
    EXPECT_EQ(TraceIdOf(field), "") << field;
  }
  EXPECT_EQ(TraceIdOf(std::string(8000, '0')), "");
}

class KeptSpans final : public SpanSink {
 public:
  void AcceptSpan(Span span) override {
    const std::lock_guard lock(mutex_);
    spans_.insert_or_assign(span.name, std::move(span));
  }
  std::map<std::string, Span, std::less<>> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(spans_, {});
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Span, std::less<>> spans_;
};

constexpr std::string_view kSampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
constexpr std::string_view kUnsampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02";

TEST(Trace, ASpanIsAChildOfItsRequests) {
  KeptSpans kept;
  const auto trace = std::make_shared<const Trace>(kept, kSampled);
  std::string sent;
  {
    SpanScope step(trace, "step");
    step.Describe("status", std::int64_t{200});
    step.SetFailed();
    sent = step.traceparent();
  }
  const Span request = trace->RequestSpan("GET /", 1'000'000);
  const Span step = kept.Take().at("step");
  EXPECT_EQ(request.parent_id, "00f067aa0ba902b7");
  EXPECT_EQ(request.kind, Span::Kind::kServer);
  EXPECT_EQ(request.end - request.begin, 1'000'000);
  EXPECT_EQ(step.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(step.parent_id, request.span_id);
  EXPECT_EQ(sent, "00-" + step.trace_id + "-" + step.span_id + "-01");
  EXPECT_NE(step.span_id, request.span_id);
  EXPECT_TRUE(step.failed);
  EXPECT_LE(step.begin, step.end);
  ASSERT_EQ(step.attributes.size(), 1U);
  EXPECT_EQ(step.attributes[0].second, (std::variant<std::string, std::int64_t>(200)));
}

TEST(Trace, WithoutAClientThatRecordsThereIsNoSpan) {
  KeptSpans kept;
  {
    const SpanScope none(nullptr, "none");
    EXPECT_EQ(none.traceparent(), "");
    SpanScope unsampled(std::make_shared<const Trace>(kept, kUnsampled), "unsampled");
    unsampled.Describe("status", std::int64_t{200});
    EXPECT_TRUE(unsampled.traceparent().ends_with("-00")) << unsampled.traceparent();
  }
  EXPECT_TRUE(kept.Take().empty());
}

Awaitable<void> BlockForABit(bool* traced) {
  *traced = CurrentTrace() != nullptr;
  co_return;
}

// Goes through everything that a handler awaits: a timer, a pool of workers, a fair pool.
Awaitable<void> WorkTraced(WorkerPool& workers, FairPool& pool, bool* traced) {
  asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(1));
  co_await timer.async_wait(asio::use_awaitable);
  auto work = [] { return SpanScope(CurrentTrace(), "worker").traceparent(); };
  const std::string sent = co_await Offload(workers, work);
  EXPECT_EQ(sent.empty(), CurrentTrace() == nullptr);
  pool.Spawn(BlockForABit(traced));
}

TEST(Trace, GoesAlongWithACoroutine) {
  KeptSpans kept;
  bool traced = false;
  bool untraced = true;
  {
    WorkerPool workers(1);
    FairPool pool(2, 1);
    asio::io_context loop;
    auto rethrow = [](const std::exception_ptr& failure) {
      if (failure) std::rethrow_exception(failure);
    };
    asio::co_spawn(
        TracedExecutor(loop.get_executor(), std::make_shared<const Trace>(kept, kSampled)),
        WorkTraced(workers, pool, &traced), rethrow);
    asio::co_spawn(loop, WorkTraced(workers, pool, &untraced), rethrow);
    loop.run();
    EXPECT_EQ(CurrentTrace(), nullptr);
  }
  EXPECT_TRUE(traced);
  EXPECT_FALSE(untraced);
  EXPECT_EQ(kept.Take().count("worker"), 1U);
}

}  // namespace
}  // namespace koya
