#include "base/traced_executor.h"

#include <boost/asio/execution.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <utility>

namespace koya {
namespace asio = boost::asio;

namespace {

// An executor in Asio's sense: it hands all properties on to the one inside.
class Traced {
 public:
  Traced(asio::any_io_executor inner, TracePtr trace)
      : inner_(std::move(inner)), trace_(std::move(trace)) {}

  template <class Property>
    requires asio::can_query_v<asio::any_io_executor, Property>
  decltype(auto) query(const Property& property) const {
    return asio::query(inner_, property);
  }
  template <class Property>
    requires asio::can_require_v<asio::any_io_executor, Property>
  Traced require(const Property& property) const {
    return {asio::require(inner_, property), trace_};
  }
  template <class Property>
    requires(!asio::can_require_v<asio::any_io_executor, Property> &&
             asio::can_prefer_v<asio::any_io_executor, Property>)
  Traced prefer(const Property& property) const {
    return {asio::prefer(inner_, property), trace_};
  }
  template <class Function>
  void execute(Function function) const {
    inner_.execute([trace = trace_, function = std::move(function)]() mutable {
      const TraceScope scope(std::move(trace));
      std::move(function)();
    });
  }

  const TracePtr& trace() const { return trace_; }
  friend bool operator==(const Traced& a, const Traced& b) noexcept {
    return a.inner_ == b.inner_ && a.trace_ == b.trace_;
  }

 private:
  asio::any_io_executor inner_;
  TracePtr trace_;
};

}  // namespace

asio::any_io_executor TracedExecutor(asio::any_io_executor inner, TracePtr trace) {
  return Traced(std::move(inner), std::move(trace));
}

TracePtr TraceOf(const asio::any_io_executor& executor) {
  const Traced* traced = executor.target<Traced>();
  return traced == nullptr ? nullptr : traced->trace();
}

}  // namespace koya
