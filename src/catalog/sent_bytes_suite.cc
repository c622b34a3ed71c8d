// What every catalog must do: sums of bytes that were sent. See catalog_suite_base.h.
#include <algorithm>
#include <string>
#include <vector>

#include "base/clock.h"
#include "catalog/catalog_suite_base.h"
#include "catalog/change_log.h"
#include "catalog/sent_bytes_catalog.h"

namespace koya {
namespace {

class SentBytesSuite : public CatalogSuiteBase {
 protected:
  using Sums = std::vector<std::uint64_t>;

  Sums Add(std::int64_t day, std::vector<SentBytes> more) {
    auto sums = RunTask(sent_bytes().AddSentBytes(day, std::move(more)));
    EXPECT_TRUE(sums) << sums.error().message << sums.error().detail;
    return sums ? *sums : Sums();
  }

  const std::int64_t today_ = SystemClock().Now() / 86'400;
};
INSTANTIATE_CATALOG_SUITE(SentBytesSuite);

TEST_P(SentBytesSuite, WhatServersAddIsSummedUpForEachDay) {
  using Sums = std::vector<std::uint64_t>;
  const std::int64_t today = this->today_;
  EXPECT_EQ(this->Add(today, {{"token:b", 10}, {"token:a", 5}}), (Sums{10, 5}));
  EXPECT_EQ(this->Add(today, {{"token:a", 1}, {"address:192.0.2.7", 3}, {"token:b", 0}}),
            (Sums{6, 3, 10}));
  EXPECT_EQ(this->Add(today, {{"token:a", 5'000'000'000}}), Sums{5'000'000'006});
  EXPECT_EQ(this->Add(today - 1, {{"token:a", 2}}), Sums{2});
  EXPECT_EQ(this->Add(today + 1, {{"token:a", 7}}), Sums{7});
  EXPECT_EQ(this->Add(today, {{"token:a", 0}, {"token:%' \"é豆", 4}}), (Sums{5'000'000'006, 4}));
  EXPECT_EQ(this->Add(today, {}), Sums{});
  EXPECT_EQ(RunTask(changes().LatestChange())->sequence, 0) << "nothing that is served changed";
}

TEST_P(SentBytesSuite, OldSumsGo) {
  using Sums = std::vector<std::uint64_t>;
  const std::int64_t today = this->today_;
  this->Add(today - 2, {{"token:a", 10}});
  this->Add(today, {{"token:a", 10}});
  EXPECT_EQ(this->Add(today - 2, {{"token:a", 0}}), Sums{0});
  EXPECT_EQ(this->Add(today, {{"token:a", 0}}), Sums{10});
}

TEST_P(SentBytesSuite, WhatCannotBeKeptIsRefused) {
  for (const std::string& text :
       {std::string("a\0b", 3), std::string("\xff"), std::string(201, 'a')}) {
    EXPECT_EQ(CatalogErrorOf(RunTask(sent_bytes().AddSentBytes(this->today_, {{text, 1}}))),
              ErrorKind::kInvalid);
  }
  std::vector<SentBytes> many(1'001, SentBytes{"token:a", 1});
  EXPECT_EQ(CatalogErrorOf(RunTask(sent_bytes().AddSentBytes(this->today_, many))),
            ErrorKind::kInvalid);
}

TEST_P(SentBytesSuite, NothingIsLostWhenServersAddAtOnce) {
  Racers racers;
  std::vector<Result<std::vector<std::uint64_t>>> sums;
  for (int i = 0; i < 20; ++i) {
    std::vector<SentBytes> more = {{"token:a", 1}, {"token:b", 2}, {"token:c", 3}};
    if (i % 2 == 0) std::ranges::reverse(more);
    racers.Add(sent_bytes().AddSentBytes(this->today_, std::move(more)), &sums);
  }
  racers.Run();
  for (const auto& each : sums) EXPECT_TRUE(each) << each.error().message << each.error().detail;
  EXPECT_EQ(this->Add(this->today_, {{"token:a", 0}, {"token:b", 0}, {"token:c", 0}}),
            (std::vector<std::uint64_t>{20, 40, 60}));
}

}  // namespace
}  // namespace koya
