// What every catalog must do: codes that clients exchange. See catalog_suite_base.h.
#include <algorithm>
#include <string>
#include <vector>

#include "catalog/sign_in_catalog.h"
#include "catalog/sign_in_suite_base.h"
#include "domain/sign_in_record.h"

namespace koya {
namespace {

class LoginCodeSuite : public SignInSuiteBase {
 protected:
  Result<LoginCodeRecord> Take(const std::string& name) {
    return RunTask(login_codes().TakeLoginCode(Digest::Of("code " + name)));
  }
};
INSTANTIATE_CATALOG_SUITE(LoginCodeSuite);

TEST_P(LoginCodeSuite, ACodeIsTakenOnce) {
  this->AddUser("ann");
  this->News();
  int number = 0;
  for (Scope scope : {Scope::kRead, Scope::kPublish, Scope::kAdmin}) {
    const std::string name = std::to_string(++number);
    LoginCodeRecord code = SampleLoginCode(name, "ann");
    code.scope = scope;
    code.expires_at = -5;
    this->ExpectDone(RunTask(login_codes().AddLoginCode(code)));
    EXPECT_EQ(CatalogErrorOf(RunTask(login_codes().AddLoginCode(code))), ErrorKind::kConflict);
    this->ExpectFails(this->Take("another"), ErrorKind::kNotFound, "sign in again");
    EXPECT_EQ(this->Take(name), code) << "an expired one too";
    EXPECT_EQ(CatalogErrorOf(this->Take(name)), ErrorKind::kNotFound);
  }
  EXPECT_EQ(this->News(), Texts{});
}

TEST_P(LoginCodeSuite, ACodeIsOfAnAccountThatIsThere) {
  this->AddUser("ann");
  LoginCodeRecord code = SampleLoginCode("1", "nobody");
  for (const std::string& id : Texts{code.account_id, "", "ann", "%", "\xff"}) {
    code.account_id = id;
    this->ExpectFails(RunTask(login_codes().AddLoginCode(code)), ErrorKind::kNotFound,
                      "the account of the code does not exist");
  }
  for (const std::string& text : kUnstorable) {
    for (std::string LoginCodeRecord::* field :
         {&LoginCodeRecord::client_id, &LoginCodeRecord::redirect_uri,
          &LoginCodeRecord::challenge}) {
      LoginCodeRecord strange = SampleLoginCode("1", "ann");
      strange.*field = text;
      this->ExpectFails(RunTask(login_codes().AddLoginCode(strange)), ErrorKind::kInvalid,
                        "must be UTF-8");
    }
  }
  EXPECT_EQ(CatalogErrorOf(this->Take("1")), ErrorKind::kNotFound);
}

TEST_P(LoginCodeSuite, OfManyWhoBringOneCodeOneGetsIt) {
  this->AddUser("ann");
  for (int round = 0; round < 10; ++round) {
    this->ExpectDone(RunTask(login_codes().AddLoginCode(SampleLoginCode("1", "ann"))));
    Racers racers;
    std::vector<Result<LoginCodeRecord>> taken;
    for (int i = 0; i < 8; ++i) {
      racers.Add(login_codes().TakeLoginCode(Digest::Of("code 1")), &taken);
    }
    racers.Run();
    EXPECT_EQ(std::ranges::count_if(taken, &Result<LoginCodeRecord>::has_value), 1);
    for (const auto& each : taken) {
      if (!each) EXPECT_EQ(each.error().kind, ErrorKind::kNotFound) << each.error().detail;
    }
  }
}

}  // namespace
}  // namespace koya
