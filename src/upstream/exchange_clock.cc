#include "upstream/exchange_clock.h"

#include <random>
#include <thread>

namespace koya::upstream {

SteadyTime SystemExchangeClock::Now() const { return std::chrono::steady_clock::now(); }

UnixSeconds SystemExchangeClock::WallNow() const { return SystemClock().Now(); }

void SystemExchangeClock::Wait(std::chrono::milliseconds duration) {
  std::this_thread::sleep_for(duration);
}

double SystemExchangeClock::Random() {
  std::random_device device;
  return std::uniform_real_distribution<double>(0, 1)(device);
}

}  // namespace koya::upstream
