#include "blobs/s3/storage_marker.h"

#include <gtest/gtest.h>

#include "base/run_task.h"
#include "blobs/s3/object_client_fake.h"

namespace koya {
namespace {

const StorageMarker kOurs{"9f3a", "https://registry.example.com"};
const std::string kName(kMarkerName);

TEST(StorageMarker, AStoreWithoutOneBecomesOurs) {
  FakeObjectClient objects;
  EXPECT_EQ(RunTask(ReadMarker(objects)).value(), std::nullopt);
  EXPECT_TRUE(RunTask(CheckMarker(objects, kOurs)));
  EXPECT_EQ(objects.Names(), std::vector{kName});
  EXPECT_EQ(RunTask(ReadMarker(objects)), kOurs);
  EXPECT_TRUE(RunTask(CheckMarker(objects, kOurs)));
  EXPECT_EQ(objects.counts().puts, 1);
}

TEST(StorageMarker, AnotherCatalogsStoreIsRefusedUntilItIsAdopted) {
  for (const StorageMarker& theirs :
       {StorageMarker{"0000", kOurs.url}, {kOurs.catalog, "https://other.example.com"}}) {
    FakeObjectClient objects;
    ASSERT_TRUE(RunTask(CheckMarker(objects, theirs)));
    Status refused = RunTask(CheckMarker(objects, kOurs));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kRefused);
    for (const std::string& word : {theirs.catalog, theirs.url, kOurs.catalog, kOurs.url,
                                    std::string("koya admin adopt-storage")}) {
      EXPECT_NE(refused.error().message.find(word), std::string::npos) << word;
    }
    EXPECT_EQ(RunTask(ReadMarker(objects)), theirs) << "nothing was changed";
    ASSERT_TRUE(RunTask(AdoptStorage(objects, kOurs)));
    EXPECT_TRUE(RunTask(CheckMarker(objects, kOurs)));
  }
}

TEST(StorageMarker, WhatIsNotOneIsRefused) {
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("{\"catalog\":\"a\",\"url\":\"b\"}"),
        std::string("{\"catalog\":\"a\",\"url\":\"\"}\n"), std::string("{\"catalog\":\"a\"}\n"),
        std::string("{\"catalog\":\"a\",\"url\":\"}\n"),
        std::string("{\"catalog\":\"a b\",\"url\":\"c\"}\n"), std::string(100'000, ' ')}) {
    FakeObjectClient objects;
    objects.Set(kName, text);
    Status refused = RunTask(CheckMarker(objects, kOurs));
    ASSERT_FALSE(refused) << text.substr(0, 100);
    EXPECT_EQ(refused.error().kind, ErrorKind::kRefused);
    EXPECT_TRUE(RunTask(AdoptStorage(objects, kOurs)));
    EXPECT_TRUE(RunTask(CheckMarker(objects, kOurs)));
  }
}

TEST(StorageMarker, ValuesThatNoUrlHasAreRefused) {
  for (const char* url : {"", "https://a\"b", "https://a\\b", "https://a b", "https://a\n"}) {
    FakeObjectClient objects;
    Status refused = RunTask(CheckMarker(objects, {"9f3a", url}));
    ASSERT_FALSE(refused) << url;
    EXPECT_EQ(refused.error().kind, ErrorKind::kInvalid);
    EXPECT_TRUE(objects.Names().empty());
  }
}

TEST(StorageMarker, AStoreThatCannotBeReachedIsNobodys) {
  FakeObjectClient objects;
  objects.SetDown(true);
  Status failed = RunTask(CheckMarker(objects, kOurs));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kUnavailable);
}

}  // namespace
}  // namespace koya
