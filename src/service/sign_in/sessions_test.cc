#include "service/sign_in/sessions.h"

#include <array>
#include <chrono>

#include "base/text.h"
#include "catalog/access_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "domain/topic.h"
#include "service/sign_in/sign_in_fixture_fake.h"

namespace koya::service {
namespace {

using auth::CapabilityBearer;
using auth::Principal;

class SessionsTest : public SignInFixture {
 protected:
  ErrorKind Refused(const std::string& cookie) {
    Result<SignedInUser> found = Find(cookie);
    EXPECT_FALSE(found);
    return found ? ErrorKind::kInternal : found.error().kind;
  }
  // The sessions that `by` sees, by their users.
  std::string Seen(const Principal& by, const std::string& user) {
    Result<std::vector<SessionRecord>> list = RunTask(sessions_.List(by, user));
    if (!list) return std::string(ErrorKindName(list.error().kind));
    std::string names;
    for (const SessionRecord& session : *list) names += session.user + " ";
    return names;
  }
  Principal TokenOf(const AccountRecord& account, Scope scope) {
    return {.name = "token",
            .scope = scope,
            .namespaces = {},
            .account = std::make_shared<const AccountRights>(AccountRights{account, {}})};
  }
};

TEST_F(SessionsTest, WhoHasTheCookieIsSignedIn) {
  const AccountRecord ada = AddUser("ada");
  const StartedSession started = Start(ada);
  EXPECT_EQ(started.cookie.size(), 43U);
  EXPECT_EQ(started.record.secret, auth::TokenSecret(started.cookie));
  EXPECT_EQ(started.record.user, "ada");
  EXPECT_EQ(started.record.method, "password");
  EXPECT_EQ(started.record.address, "192.0.2.1");
  EXPECT_EQ(started.record.expires_at, clock_.Now() + 12 * 3600);
  for (const char* when : {"first", "known"}) {
    const Result<SignedInUser> found = Find(started.cookie);
    ASSERT_TRUE(found) << when;
    EXPECT_EQ(found->user, "ada");
    EXPECT_EQ(found->session, started.record.id);
    const Principal& who = *found->principal;
    EXPECT_EQ(who.name, "ada");
    EXPECT_EQ(who.scope, Scope::kAdmin);
    EXPECT_TRUE(who.namespaces.empty());
    EXPECT_EQ(who.account_id(), ada.id);
    EXPECT_EQ(who.expires_at, std::nullopt) << "what it gives may last longer";
    EXPECT_EQ(who.bearer,
              CapabilityBearer::Of(CapabilityBearer::Kind::kSession, started.record.secret));
    EXPECT_FALSE(who.RequireAllNamespaces()) << "the account alone says what it may do";
  }
}

TEST_F(SessionsTest, EachIsAnother) {
  const AccountRecord ada = AddUser("ada");
  const StartedSession first = Start(ada);
  const StartedSession second = Start(ada);
  EXPECT_NE(first.cookie, second.cookie);
  EXPECT_NE(first.record.id, second.record.id);
  ASSERT_TRUE(RunTask(sessions_.End({"192.0.2.1", "Test/1"}, first.cookie)));
  EXPECT_EQ(Refused(first.cookie), ErrorKind::kUnauthenticated);
  EXPECT_TRUE(Find(second.cookie));
}

TEST_F(SessionsTest, WhatIsNoCookieIsRefused) {
  const StartedSession started = Start(AddUser("ada"));
  const std::string token =
      RunTask(tokens_.Create(Principal::Operator(), {.name = "ci"})).value().text;
  ASSERT_TRUE(RunTask(tokens_.Authenticate("Bearer " + token)));
  std::string altered = started.cookie;
  altered.back() = altered.back() == 'A' ? 'E' : 'A';
  for (const std::string& bad :
       {std::string(), std::string("x"), altered, started.cookie + "A", started.cookie.substr(1),
        started.record.id, started.record.secret.hex(), token, token.substr(5, 43),
        std::string(43, 'A'), std::string(43, '\xff'), std::string(100'000, 'A')}) {
    EXPECT_EQ(Refused(bad), ErrorKind::kUnauthenticated) << bad.substr(0, 80);
    EXPECT_TRUE(RunTask(sessions_.End({"192.0.2.1", "Test/1"}, bad))) << "harmless";
  }
  EXPECT_TRUE(Find(started.cookie));
}

TEST_F(SessionsTest, ACookieIsNoToken) {
  const StartedSession started = Start(AddUser("ada"));
  ASSERT_TRUE(Find(started.cookie));
  EXPECT_FALSE(RunTask(tokens_.Authenticate("Bearer " + started.cookie)));
  const auto known = tokens_.Recognise("Bearer " + started.cookie);
  EXPECT_TRUE(!known || !*known);
}

TEST_F(SessionsTest, LastsTwelveHoursToTheSecond) {
  const StartedSession started = Start(AddUser("ada"));
  clock_.now += 12 * 3600 - 1;
  ASSERT_TRUE(Find(started.cookie));
  clock_.now += 1;
  for (const char* when : {"known", "looked up"}) {
    const Result<SignedInUser> found = Find(started.cookie);
    ASSERT_FALSE(found) << when;
    EXPECT_EQ(found.error().kind, ErrorKind::kUnauthenticated);
    EXPECT_TRUE(found.error().message.contains("session expired at")) << found.error().message;
    cache_.Invalidate("");
  }
}

TEST_F(SessionsTest, OfAnAccountThatIsDisabledOrDeletedCountsForNothing) {
  const AccountRecord ada = AddUser("ada");
  const AccountRecord bob = AddUser("bob");
  AddUser("root", true);
  const StartedSession of_ada = Start(ada);
  const StartedSession of_bob = Start(bob);
  ASSERT_TRUE(Find(of_ada.cookie) && Find(of_bob.cookie));
  Disable("ada");
  ASSERT_TRUE(
      RunTask(catalog_.accounts().RemoveAccount(Actor::Server(), AccountKind::kUser, "bob")));
  EXPECT_EQ(Refused(of_ada.cookie), ErrorKind::kUnauthenticated);
  EXPECT_EQ(Refused(of_bob.cookie), ErrorKind::kUnauthenticated);
  ASSERT_TRUE(RunTask(
      catalog_.accounts().SetDisabled(Actor::Server(), AccountKind::kUser, "ada", std::nullopt)));
  EXPECT_TRUE(Find(of_ada.cookie)) << "enabled again";
}

TEST_F(SessionsTest, NoneStartsForAnAccountThatIsDisabledOrGone) {
  AccountRecord ada = AddUser("ada");
  AccountRecord gone = ada;
  gone.id = "gone";
  ada.disabled_at = clock_.Now();
  for (const AccountRecord& account : {ada, gone}) {
    EXPECT_EQ(RunTask(sessions_.Start(account, "password", {})).error().kind,
              ErrorKind::kUnauthenticated);
  }
}

TEST_F(SessionsTest, WhatABrowserSaysOfItselfIsCut) {
  struct Row {
    std::string sent;
    std::string kept;
  };
  const std::string x(249, 'x');
  const std::vector<Row> rows = {
      {"", ""},
      {"Mozilla/5.0 (X11)", "Mozilla/5.0 (X11)"},
      {"a\r\nb\x7f\t", "a\\x0d\\x0ab\\x7f\\x09"},
      {"ü\xff", "ü\\xff"},
      {x, x},
      {x + "yyyy", x + "…"},
      {x.substr(1) + "\xff\xff", x.substr(1) + "\\xff…"},
      {x.substr(1) + "😀😀", x.substr(1) + "😀…"},
  };
  const AccountRecord ada = AddUser("ada");
  for (const Row& row : rows) {
    const StartedSession started = Start(ada, {"192.0.2.1", row.sent});
    EXPECT_EQ(started.record.user_agent, row.kept);
    EXPECT_LE(started.record.user_agent.size(), 256U);
    EXPECT_TRUE(IsPlainText(started.record.user_agent));
    EXPECT_EQ(RunTask(catalog_.sessions().FindSession(started.record.secret))->user_agent,
              row.kept);
  }
}

TEST_F(SessionsTest, ItsUseIsNotedOnceAMinute) {
  const StartedSession started = Start(AddUser("ada"));
  auto last_used = [&] {
    RunTask(uses_.Write());
    return RunTask(catalog_.sessions().FindSession(started.record.secret))->last_used_at;
  };
  EXPECT_EQ(last_used(), std::nullopt);
  const UnixSeconds first = clock_.Now();
  ASSERT_TRUE(Find(started.cookie));
  EXPECT_EQ(last_used(), first);
  clock_.now += 59;
  ASSERT_TRUE(Find(started.cookie));
  EXPECT_EQ(last_used(), first);
  clock_.now += 1;
  ASSERT_TRUE(Find(started.cookie));
  EXPECT_EQ(last_used(), first + 60);
}

// A catalog that can be told to be away.
class AwaySessions final : public SessionCatalog {
 public:
  explicit AwaySessions(SessionCatalog& inner) : inner_(inner) {}
  Task<void> AddSession(Actor by, SessionRecord session) override {
    return inner_.AddSession(std::move(by), std::move(session));
  }
  Task<SessionRecord> FindSession(Digest secret) override {
    if (away) co_return FailUnavailable("the catalog does not answer");
    co_return co_await inner_.FindSession(secret);
  }
  Task<SessionRecord> FindSessionByStart(std::array<std::byte, 16> start) override {
    return inner_.FindSessionByStart(start);
  }
  Task<std::vector<SessionRecord>> ListSessions(std::string account, UnixSeconds now) override {
    return inner_.ListSessions(std::move(account), now);
  }
  Task<void> EndSession(Actor by, std::string id, std::string account) override {
    return inner_.EndSession(std::move(by), std::move(id), std::move(account));
  }
  Task<std::uint64_t> EndSessionsOf(Actor by, std::string user) override {
    return inner_.EndSessionsOf(std::move(by), std::move(user));
  }
  Task<void> TouchSessions(std::vector<Use> uses) override {
    return inner_.TouchSessions(std::move(uses));
  }
  Task<std::uint64_t> RemoveExpiredSignIns(UnixSeconds now) override {
    return inner_.RemoveExpiredSignIns(now);
  }

  bool away = false;

 private:
  SessionCatalog& inner_;
};

TEST_F(SessionsTest, WhileTheCatalogIsAwayItCountsForTheGraceLonger) {
  using std::chrono::seconds;
  const StartedSession ada = Start(AddUser("ada"));
  const StartedSession unknown = Start(AddUser("grace"));
  for (const seconds grace : {seconds(0), seconds(600)}) {
    std::chrono::nanoseconds now = seconds(1000);
    const std::chrono::nanoseconds seen = now;
    TokenCache cache([seen] { return seen; }, [&now] { return now; }, grace);
    AwaySessions catalog(catalog_);
    Sessions sessions(catalog, catalog_, cache, clock_, uses_);
    ASSERT_TRUE(RunTask(sessions.FindUser(ada.cookie)));
    catalog.away = true;
    EXPECT_TRUE(RunTask(sessions.FindUser(ada.cookie))) << "known for a second, whatever happens";
    now += seconds(599);
    const Result<SignedInUser> found = RunTask(sessions.FindUser(ada.cookie));
    EXPECT_EQ(found.has_value(), grace > seconds(0));
    if (found) {
      EXPECT_EQ(found->user, "ada");
    } else {
      EXPECT_EQ(found.error().kind, ErrorKind::kUnavailable);
    }
    EXPECT_EQ(RunTask(sessions.FindUser(unknown.cookie)).error().kind, ErrorKind::kUnavailable);
    now += seconds(2);
    EXPECT_EQ(RunTask(sessions.FindUser(ada.cookie)).error().kind, ErrorKind::kUnavailable);
    now -= seconds(2);
    cache.Invalidate(kEverything);
    EXPECT_FALSE(RunTask(sessions.FindUser(ada.cookie))) << "a change was heard of";
  }
}

TEST_F(SessionsTest, WhoIsKnownIsToldWithoutAsking) {
  const StartedSession ada = Start(AddUser("ada", true));
  EXPECT_FALSE(sessions_.FindCached(ada.cookie)) << "nobody has asked yet";
  ASSERT_TRUE(Find(ada.cookie));
  const std::optional<SignedInUser> known = sessions_.FindCached(ada.cookie);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->user, "ada");
  EXPECT_TRUE(known->principal->RequireAllNamespaces());
  for (const std::string& other : {std::string(), std::string("x"), std::string(43, 'A')}) {
    EXPECT_FALSE(sessions_.FindCached(other)) << other;
  }
  clock_.now += 12 * 3600;
  EXPECT_FALSE(sessions_.FindCached(ada.cookie)) << "it has ended";
  const StartedSession bob = Start(AddUser("bob"));
  ASSERT_TRUE(Find(bob.cookie));
  Disable("bob");
  EXPECT_FALSE(sessions_.FindCached(bob.cookie));
}

TEST_F(SessionsTest, InTheGraceItEndsWhenItWouldHaveEnded) {
  const StartedSession ada = Start(AddUser("ada"));
  std::chrono::nanoseconds now = std::chrono::seconds(1000);
  const std::chrono::nanoseconds seen = now;
  TokenCache cache([seen] { return seen; }, [&now] { return now; }, std::chrono::hours(24));
  AwaySessions catalog(catalog_);
  Sessions sessions(catalog, catalog_, cache, clock_, uses_);
  ASSERT_TRUE(RunTask(sessions.FindUser(ada.cookie)));
  catalog.away = true;
  now += std::chrono::hours(12);
  clock_.now += 12 * 3600;
  EXPECT_EQ(RunTask(sessions.FindUser(ada.cookie)).error().kind, ErrorKind::kUnauthenticated);
}

TEST_F(SessionsTest, AreFoundByWhatUrlsHoldOfThem) {
  const StartedSession started = Start(AddUser("ada"));
  using Kind = CapabilityBearer::Kind;
  const auto bearer = CapabilityBearer::Of(Kind::kSession, started.record.secret);
  EXPECT_FALSE(sessions_.RecogniseBearer(bearer)) << "the catalog was not asked yet";
  const Result<SignedInUser> found = RunTask(sessions_.FindBearer(bearer));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->session, started.record.id);
  const auto known = sessions_.RecogniseBearer(bearer);
  ASSERT_TRUE(known && *known);
  EXPECT_EQ((*known)->principal->name, "ada");
  EXPECT_FALSE(tokens_.RecogniseBearer(bearer));
  EXPECT_EQ(RunTask(tokens_.AuthenticateBearer(bearer)).error().kind, ErrorKind::kForbidden);

  const auto as_token = CapabilityBearer::Of(Kind::kToken, started.record.secret);
  const auto unknown = CapabilityBearer::Of(Kind::kSession, Digest::Of("another"));
  for (const CapabilityBearer& bad : {as_token, unknown}) {
    EXPECT_FALSE(sessions_.RecogniseBearer(bad));
    EXPECT_EQ(RunTask(sessions_.FindBearer(bad)).error().kind, ErrorKind::kForbidden);
  }
}

TEST_F(SessionsTest, AUrlEndsWithItsSession) {
  const AccountRecord ada = AddUser("ada");
  AddUser("root", true);
  auto bearer_of = [](const StartedSession& session) {
    return CapabilityBearer::Of(CapabilityBearer::Kind::kSession, session.record.secret);
  };
  const StartedSession ended = Start(ada);
  ASSERT_TRUE(RunTask(sessions_.FindBearer(bearer_of(ended))));
  ASSERT_TRUE(RunTask(sessions_.End({"192.0.2.1", "Test/1"}, ended.cookie)));
  EXPECT_EQ(RunTask(sessions_.FindBearer(bearer_of(ended))).error().kind, ErrorKind::kForbidden);

  const StartedSession started = Start(ada);
  ASSERT_TRUE(RunTask(sessions_.FindBearer(bearer_of(started))));
  Disable("ada");
  EXPECT_EQ(RunTask(sessions_.FindBearer(bearer_of(started))).error().kind, ErrorKind::kForbidden);
  ASSERT_TRUE(RunTask(
      catalog_.accounts().SetDisabled(Actor::Server(), AccountKind::kUser, "ada", std::nullopt)));
  ASSERT_TRUE(RunTask(sessions_.FindBearer(bearer_of(started))));
  clock_.now += 12 * 3600;
  const auto known = sessions_.RecogniseBearer(bearer_of(started));
  ASSERT_TRUE(known && !*known);
  EXPECT_EQ(known->error().kind, ErrorKind::kForbidden);
}

TEST_F(SessionsTest, WhoSeesWhose) {
  const AccountRecord ada = AddUser("ada");
  AddUser("bob");
  const Principal as_ada = PrincipalOf(ada);
  clock_.now += 1;
  const AccountRecord root = AddUser("root", true);
  const Principal as_root = PrincipalOf(root);
  const Principal patterned{"team", Scope::kAdmin, {"team-*"}};
  struct Row {
    Principal by;
    std::string user;
    std::string seen;
  };
  const std::vector<Row> rows = {
      {as_ada, "", "ada "},
      {as_ada, "ADA", "ada "},
      {as_root, "", "root ada "},
      {as_root, "ada", "ada "},
      {as_root, "bob", ""},
      {Principal::Operator(), "", "root ada "},
      {TokenOf(ada, Scope::kAdmin), "", "ada "},
      {as_ada, "bob", "forbidden"},
      {as_ada, "nobody", "forbidden"},
      {as_root, "nobody", "not_found"},
      {as_root, "no name", "invalid"},
      {TokenOf(ada, Scope::kRead), "", "ada "},
      {TokenOf(ada, Scope::kPublish), "Ada", "ada "},
      {TokenOf(ada, Scope::kAdmin), "bob", "forbidden"},
      {TokenOf(ada, Scope::kRead), "bob", "forbidden"},
      {TokenOf(root, Scope::kPublish), "", "root "},
      {TokenOf(root, Scope::kPublish), "ada", "forbidden"},
      {patterned, "", "unauthenticated"},
      {Principal(), "", "unauthenticated"},
  };
  for (const Row& row : rows) EXPECT_EQ(Seen(row.by, row.user), row.seen) << row.user;
}

TEST_F(SessionsTest, WhoEndsWhose) {
  const AccountRecord ada = AddUser("ada");
  const AccountRecord root = AddUser("root", true);
  const Principal as_ada = PrincipalOf(ada);
  const Principal as_root = PrincipalOf(root);
  const StartedSession mine = Start(ada);
  const StartedSession theirs = Start(root);
  auto end = [&](const Principal& by, const std::string& id) {
    Status ended = RunTask(sessions_.EndById(by, id));
    return ended ? "ended" : std::string(ErrorKindName(ended.error().kind));
  };
  EXPECT_EQ(end(as_ada, theirs.record.id), "not_found") << "whether there is one is not told";
  EXPECT_EQ(end(as_ada, "none"), "not_found");
  EXPECT_EQ(end(as_ada, "\xff"), "not_found");
  EXPECT_EQ(end(as_ada, ""), "not_found");
  EXPECT_EQ(end(TokenOf(ada, Scope::kRead), theirs.record.id), "not_found");
  EXPECT_EQ(end(TokenOf(root, Scope::kPublish), mine.record.id), "not_found");
  EXPECT_EQ(end({"team", Scope::kAdmin, {"team-*"}}, mine.record.id), "unauthenticated");
  EXPECT_TRUE(Find(mine.cookie) && Find(theirs.cookie));
  EXPECT_EQ(end(as_ada, mine.record.id), "ended");
  EXPECT_EQ(end(as_ada, mine.record.id), "not_found");
  EXPECT_EQ(Refused(mine.cookie), ErrorKind::kUnauthenticated);
  const StartedSession again = Start(ada);
  EXPECT_EQ(end(as_root, again.record.id), "ended");
  EXPECT_EQ(end(TokenOf(ada, Scope::kRead), Start(ada).record.id), "ended");
  EXPECT_EQ(Refused(again.cookie), ErrorKind::kUnauthenticated);
}

TEST_F(SessionsTest, AdministratorsEndAllOfSomebody) {
  const AccountRecord ada = AddUser("ada");
  const Principal as_ada = PrincipalOf(ada);
  const StartedSession one = Start(ada);
  ASSERT_TRUE(Find(one.cookie));
  auto end = [&](const Principal& by, const std::string& user) {
    return RunTask(sessions_.EndAllOf(by, user));
  };
  EXPECT_EQ(end(as_ada, "ada").error().kind, ErrorKind::kForbidden);
  EXPECT_EQ(end(TokenOf(AddUser("root", true), Scope::kPublish), "ada").error().kind,
            ErrorKind::kForbidden);
  EXPECT_EQ(end(Principal::Operator(), "nobody").error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(end(Principal::Operator(), "").error().kind, ErrorKind::kInvalid);
  EXPECT_TRUE(Find(one.cookie));
  EXPECT_EQ(end(Principal::Operator(), "ADA").value(), 2U);
  EXPECT_EQ(end(Principal::Operator(), "ada").value(), 0U);
  EXPECT_EQ(Refused(one.cookie), ErrorKind::kUnauthenticated);
}

}  // namespace
}  // namespace koya::service
