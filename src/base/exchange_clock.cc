#include "base/exchange_clock.h"

#include <condition_variable>
#include <mutex>
#include <random>

namespace koya {

SteadyTime SystemExchangeClock::Now() const { return std::chrono::steady_clock::now(); }

UnixSeconds SystemExchangeClock::WallNow() const { return SystemClock().Now(); }

void SystemExchangeClock::Wait(std::chrono::milliseconds duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, duration, [] { return false; });
}

double SystemExchangeClock::Random() {
  std::random_device device;
  return std::uniform_real_distribution<double>(0, 1)(device);
}

}  // namespace koya
