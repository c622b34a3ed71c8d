#include "service/sign_in/trust.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/principal.h"
#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "domain/identity_record.h"

namespace koya::service {
namespace {

using auth::Principal;

class TrustTest : public testing::Test {
 protected:
  TrustTest() {
    for (std::string_view ns : {"acme", "beta"}) {
      EXPECT_TRUE(RunTask(catalog_.namespaces().AddNamespace(
          Actor::Server(), {.name = std::string(ns), .created_by = "t"})));
    }
  }
  static Principal Owner() { return {"owner", Scope::kAdmin, {"acme"}}; }
  Result<TrustRecord> Add(NewTrust trust, Principal by = Owner(), std::string ns = "acme") {
    return RunTask(trust_.Add(std::move(by), std::move(ns), std::move(trust)));
  }

  ManualClock clock_;
  TestCatalog catalog_;
  Trust trust_{catalog_, catalog_, clock_};
};

TEST_F(TrustTest, OwnersSayWhoIsTrusted) {
  auto added = Add({.github = "acme/infra", .ref = "main"});
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(added->issuer, "https://token.actions.githubusercontent.com");
  EXPECT_EQ(added->rules,
            (std::vector<std::string>{"repository=acme/infra", "ref=refs/heads/main"}));
  EXPECT_EQ(added->created_by, "owner");
  EXPECT_TRUE(Add({.claims = {"actor=ada"}, .github = "acme/infra"}));
  EXPECT_TRUE(Add({.gitlab = "acme/infra", .environment = "prod"}));
  EXPECT_TRUE(Add({.issuer = "https://gitlab.example.com", .gitlab = "acme/infra"}));
  EXPECT_TRUE(Add({.issuer = "https://ci.example.com", .claims = {"sub=job:acme"}}));
  EXPECT_EQ(RunTask(trust_.List(Owner(), "ACME")).value().size(), 5u);
  EXPECT_EQ(RunTask(trust_.List(Principal::Operator(), "beta")).value().size(), 0u);
  ASSERT_TRUE(RunTask(trust_.Remove(Owner(), "acme", added->id)));
  EXPECT_EQ(RunTask(trust_.List(Owner(), "acme")).value().size(), 4u);
  EXPECT_EQ(RunTask(trust_.Remove(Owner(), "acme", added->id)).error().kind, ErrorKind::kNotFound);
}

TEST_F(TrustTest, WhatWouldTrustStrangersIsRefused) {
  const NewTrust rows[] = {
      {},
      {.github = "acme"},
      {.github = "*/infra"},
      {.github = "acme/infra", .gitlab = "acme/infra"},
      {.gitlab = "infra"},
      {.claims = {"repository=acme/infra"}},
      {.issuer = "https://ci.example.com"},
      {.issuer = "http://ci.example.com", .claims = {"sub=job:acme"}},
      {.issuer = "https://ci.example.com", .claims = {"sub=*"}},
      {.issuer = "https://ci.example.com", .claims = {"sub=a"}, .ref = "main"},
      {.issuer = "https://ci.example.com", .claims = {"sub=a"}, .environment = "prod"},
      {.issuer = "https://gitlab.com", .claims = {"ref=main"}},
      {.claims = {"repository=evil/x"}, .github = "acme/infra"},
      {.claims = {"no rule"}, .github = "acme/infra"},
      {.github = "acme/infra", .ref = "refs/pull/1"},
      {.issuer = "https://ci.example.com", .claims = {"pipeline=release"}},
      {.issuer = "https://ci.example.com", .claims = {"sub=a"}, .unprotected = true},
  };
  for (const NewTrust& row : rows) {
    auto added = Add(row);
    ASSERT_FALSE(added) << row.github << row.gitlab << row.issuer;
    EXPECT_EQ(added.error().kind, ErrorKind::kInvalid) << added.error().message;
  }
  EXPECT_TRUE(RunTask(trust_.List(Owner(), "acme")).value().empty());
  EXPECT_TRUE(Add(
      {.issuer = "https://ci.example.com", .claims = {"pipeline=release"}, .own_issuer = true}));
}

TEST_F(TrustTest, ARefOfGitLabIsProtectedUnlessTheOppositeIsSaid) {
  using Rules = std::vector<std::string>;
  const Rules open{"project_path=acme/infra", "ref=main", "ref_type=branch"};
  Rules protected_ones = open;
  protected_ones.push_back("ref_protected=true");
  EXPECT_EQ(Add({.gitlab = "acme/infra", .ref = "main"})->rules, protected_ones);
  EXPECT_EQ(Add({.gitlab = "acme/infra", .ref = "main", .unprotected = true})->rules, open);
  Rules any = open;
  any.push_back("ref_protected=*");
  const auto said = Add({.claims = {"ref_protected=*"}, .gitlab = "acme/infra", .ref = "main"});
  EXPECT_EQ(said->rules, any);
  EXPECT_FALSE(TakesAnyRef(*said));
  EXPECT_TRUE(TakesAnyRef(*Add({.gitlab = "acme/infra"})));
}

TEST_F(TrustTest, OnlyOwnersHaveToDoWithIt) {
  const NewTrust good{.github = "acme/infra"};
  auto added = Add(good);
  ASSERT_TRUE(added);
  EXPECT_EQ(Add(good).error().kind, ErrorKind::kConflict);
  for (const Principal& by : {Principal{"publisher", Scope::kPublish, {"acme"}},
                              Principal{"other", Scope::kAdmin, {"beta"}}, Principal{}}) {
    EXPECT_EQ(Add(good, by).error().kind, ErrorKind::kForbidden);
    EXPECT_EQ(RunTask(trust_.List(by, "acme")).error().kind, ErrorKind::kForbidden);
    EXPECT_EQ(RunTask(trust_.Remove(by, "acme", added->id)).error().kind, ErrorKind::kForbidden);
  }
  EXPECT_EQ(Add(good, Principal::Operator(), "nowhere").error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(Add(good, Principal::Operator(), "a b").error().kind, ErrorKind::kInvalid);
}

TEST_F(TrustTest, ThereIsAnEndToIt) {
  for (std::size_t each = 0; each < Trust::kMost; ++each) {
    ASSERT_TRUE(Add({.github = fmt::format("acme/repository{}", each)}));
  }
  auto beyond = Add({.github = "acme/infra"});
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().kind, ErrorKind::kConflict);
  EXPECT_TRUE(Add({.github = "acme/infra"}, Principal::Operator(), "beta"));
}

}  // namespace
}  // namespace koya::service
