// What every catalog must do: report the time. See catalog_suite_base.h.
#include <chrono>

#include "catalog/catalog_suite_base.h"
#include "catalog/database_time.h"

namespace koya {
namespace {

class DatabaseTimeSuite : public CatalogSuiteBase {};
INSTANTIATE_CATALOG_SUITE(DatabaseTimeSuite);

// The databases of these tests run on this machine.
TEST_P(DatabaseTimeSuite, TheTimeIsThePresentToTheMillisecond) {
  using std::chrono::milliseconds;
  auto here = [] {
    auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<milliseconds>(now);
  };
  for (int i = 0; i < 3; ++i) {
    const milliseconds before = here();
    auto there = RunTask(database_time().AskTime());
    const milliseconds after = here();
    ASSERT_TRUE(there) << there.error().message << there.error().detail;
    EXPECT_GE(*there, before - milliseconds(2));
    EXPECT_LE(*there, after + milliseconds(2));
  }
}

}  // namespace
}  // namespace koya
