#include "service/usage/callers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/offload.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/access_suite_base.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/contents_catalog.h"
#include "catalog/key_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/upstream_catalog.h"
#include "catalog/upstream_samples_fake.h"
#include "domain/usage_record.h"
#include "inspect/module_files_fake.h"
#include "service/common/module_reading.h"
#include "service/search/search_entries.h"

namespace koya::service {
namespace {

class CallersTest : public ::testing::Test {
 protected:
  CallersTest() {}

  void Publish(std::string_view address, std::string_view version, const inspect::Texts& files) {
    const inspect::ModuleContents contents = inspect::ReadTexts(files);
    VersionExtras extras{.contents = KeepContents(contents),
                         .entries = ModuleSearchEntries(Address(address), "", contents)};
    ModuleVersionRecord record = Record(address, version, std::string(version));
    EXPECT_TRUE(RunTask(catalog_.modules().AddVersion(Tester(), record, std::move(extras))));
  }
  void PublishVpc(std::initializer_list<std::string_view> versions) {
    for (std::string_view each : versions) Publish("acme/vpc/aws", each, {{"main.tf", ""}});
  }
  static std::string Call(std::string_view source, std::string_view constraint) {
    return fmt::format("module \"x\" {{\n  source = \"{}\"\n{}}}\n", source,
                       constraint.empty() ? "" : fmt::format("  version = \"{}\"\n", constraint));
  }

  // "acme/net/aws 1.0.0 modules/a [~> 1.2] 1.3.0", of each.
  Texts Of(std::string_view version, ReadableNamespaces readable = {}) {
    Callers callers(catalog_, workers_);
    return Told(RunTask(
        callers.OfModule(std::move(readable), hosts_, Address("acme/vpc/aws"), V(version))));
  }
  Texts OfProvider(std::string_view version) {
    Callers callers(catalog_, workers_);
    return Told(RunTask(callers.OfProvider({}, hosts_, Provider("acme/demo"), V(version))));
  }
  // Of any version.
  Texts OfAny(ReadableNamespaces readable = {}) {
    Callers callers(catalog_, workers_);
    return Told(RunTask(
        callers.OfModule(std::move(readable), hosts_, Address("acme/vpc/aws"), std::nullopt)));
  }
  // Of any version, in mirrored modules too.
  Texts Dependents(UsageKind kind, std::string address, ReadableNamespaces readable = {}) {
    Callers callers(catalog_, workers_);
    return Told(
        RunTask(callers.FindDependents(std::move(readable), hosts_, kind, std::move(address))));
  }
  static Texts Told(const Result<CallerReport>& report) {
    if (!report) return {report.error().message};
    Texts texts;
    for (const ModuleCaller& each : report->callers) {
      texts.push_back(fmt::format("{} {} {} [{}] {}", each.address, each.version, each.part,
                                  each.constraint, each.instead));
    }
    if (report->more) texts.emplace_back("…");
    if (report->unknown > 0) {
      texts.push_back(
          fmt::format("{} unknown{}", report->unknown, report->unknown_more ? "…" : ""));
    }
    return texts;
  }

  WorkerPool workers_{1};
  TestCatalog catalog_;
  const std::vector<HostName> hosts_ = {*HostName::Parse("registry.example.com"),
                                        *HostName::Parse("koya.example.com:8443")};
};

TEST_F(CallersTest, AreModulesWhoseNewestVersionTakesIt) {
  PublishVpc({"1.2.0", "1.3.0", "2.0.0"});
  Publish("acme/exact/aws", "1.0.0",
          {{"main.tf", Call("registry.example.com/acme/vpc/aws", "1.2.0")}});
  Publish("acme/range/aws", "1.0.0",
          {{"main.tf", Call("koya.example.com:8443/Acme/vpc/aws", "~> 1.2")}});
  Publish("acme/any/aws", "1.0.0", {{"main.tf", Call("registry.example.com/acme/vpc/aws", "")}});
  Publish("acme/newer/aws", "1.0.0",
          {{"main.tf", Call("registry.example.com/acme/vpc/aws", ">= 1.3")}});
  Publish("acme/moved/aws", "1.0.0",
          {{"main.tf", Call("registry.example.com/acme/vpc/aws", "1.2.0")}});
  Publish("acme/moved/aws", "1.1.0", {{"main.tf", ""}});
  Publish("acme/inside/aws", "1.0.0",
          {{"main.tf", ""},
           {"modules/a/main.tf", Call("registry.example.com/acme/vpc/aws//modules/x", "= 1.2.0")},
           {"examples/b/main.tf", Call("registry.example.com/acme/vpc/aws", "1.2.0")}});
  Publish("acme/others/aws", "1.0.0",
          {{"main.tf", Call("acme/vpc/aws", "1.2.0")},
           {"more.tf", "module \"y\" {\n  source = \"other.example.com/acme/vpc/aws\"\n}\n"}});
  EXPECT_EQ(Of("1.2.0"),
            (Texts{"acme/exact/aws 1.0.0  [1.2.0] ", "acme/inside/aws 1.0.0 modules/a [= 1.2.0] ",
                   "acme/any/aws 1.0.0  [] 2.0.0", "acme/range/aws 1.0.0  [~> 1.2] 1.3.0"}));
  EXPECT_EQ(Of("2.0.0"),
            (Texts{"acme/any/aws 1.0.0  [] 1.3.0", "acme/newer/aws 1.0.0  [>= 1.3] 1.3.0"}));
}

TEST_F(CallersTest, AWithdrawnVersionIsNoWayOut) {
  PublishVpc({"1.2.0", "1.3.0"});
  Publish("acme/net/aws", "1.0.0",
          {{"main.tf", Call("registry.example.com/acme/vpc/aws", "~> 1.2")}});
  EXPECT_EQ(Of("1.2.0"), Texts{"acme/net/aws 1.0.0  [~> 1.2] 1.3.0"});
  ASSERT_TRUE(RunTask(catalog_.modules().Withdraw(Tester(), Address("acme/vpc/aws"), V("1.3.0"),
                                                  {.at = 5, .by = "ann", .reason = "bad"})));
  EXPECT_EQ(Of("1.2.0"), Texts{"acme/net/aws 1.0.0  [~> 1.2] "});
}

TEST_F(CallersTest, PrivateOnesAreForThoseWhoMayReadThem) {
  PublishVpc({"1.2.0"});
  for (const char* ns : {"open", "closed"}) {
    Publish(std::string(ns) + "/net/aws", "1.0.0",
            {{"main.tf", Call("registry.example.com/acme/vpc/aws", "1.2.0")}});
  }
  NamespaceRecord closed{.name = "closed", .visibility = Visibility::kPrivate};
  ASSERT_TRUE(RunTask(catalog_.namespaces().AddNamespace(Tester(), closed)));
  EXPECT_EQ(Of("1.2.0", Stranger()), Texts{"open/net/aws 1.0.0  [1.2.0] "});
  EXPECT_EQ(Of("1.2.0", Stranger({"closed"})).size(), 2U);
  EXPECT_EQ(Of("1.2.0").size(), 2U);
}

TEST_F(CallersTest, DependentsIncludeMirroredModulesForThoseWhoMayReadThem) {
  PublishVpc({"1.2.0"});
  const std::string main = Call("koya.example.com:8443/acme/vpc/aws", "~> 1.0") +
                           "module \"any\" {\n  source = var.source\n}\n";
  Publish("acme/net/aws", "1.0.0", {{"main.tf", main}});
  Publish("acme/other/aws", "1.0.0", {{"main.tf", Call("acme/vpc/aws", "~> 1.0")}});
  const UpstreamModuleVersion pinned =
      SampleUpstreamModule("modules.example.org/acme/net/aws", "3.0.0");
  ASSERT_TRUE(RunTask(catalog_.upstream_modules().PinModule(pinned)));
  const inspect::ModuleContents contents = inspect::ReadTexts({{"main.tf", main}});
  VersionExtras extras{.contents = KeepContents(contents),
                       .entries = ModuleSearchEntries(pinned.module.address, "", contents)};
  ASSERT_TRUE(RunTask(catalog_.contents().PutContents(
      {pinned.module.host.ascii(), pinned.module.address, pinned.version}, std::move(extras))));
  const std::string here = "acme/net/aws 1.0.0  [~> 1.0] ";
  EXPECT_EQ(Dependents(UsageKind::kModule, "acme/vpc/aws"),
            (Texts{here, "modules.example.org/acme/net/aws 3.0.0  [~> 1.0] "}));
  EXPECT_EQ(Dependents(UsageKind::kModule, "acme/vpc/aws", Stranger()), Texts{here})
      << "the mirror is not for strangers";
  EXPECT_EQ(Dependents(UsageKind::kModule, "acme/none/aws"), Texts{});
  EXPECT_EQ(Dependents(UsageKind::kProvider, "acme/vpc"), Texts{});
  EXPECT_EQ(OfAny(), (Texts{here, "1 unknown"})) << "callers are those published here";
}

TEST_F(CallersTest, OfProvidersAreModulesThatRequireThem) {
  const ProviderRelease first = SampleRelease("acme/demo", "1.0.0", "1");
  const ProviderRelease second = SampleRelease("acme/demo", "1.1.0", "2");
  ASSERT_TRUE(RunTask(catalog_.keys().AddKey(Tester(), SampleKey("acme"))));
  ASSERT_TRUE(RunTask(catalog_.providers().AddRelease(Tester(), first, std::nullopt)));
  ASSERT_TRUE(RunTask(catalog_.providers().AddRelease(Tester(), second, std::nullopt)));
  auto needs = [](std::string_view source, std::string_view constraint) {
    return fmt::format(
        "terraform {{\n  required_providers {{\n    demo = {{\n      source = "
        "\"{}\"\n      version = \"{}\"\n    }}\n  }}\n}}\n",
        source, constraint);
  };
  Publish("acme/pinned/aws", "1.0.0",
          {{"main.tf", needs("registry.example.com/acme/demo", "1.0.0")}});
  Publish("acme/loose/aws", "1.0.0",
          {{"main.tf", needs("registry.example.com/acme/demo", "~> 1.0")}});
  Publish("acme/other/aws", "1.0.0", {{"main.tf", needs("acme/demo", "1.0.0")}});
  EXPECT_EQ(OfProvider("1.0.0"),
            (Texts{"acme/pinned/aws 1.0.0  [1.0.0] ", "acme/loose/aws 1.0.0  [~> 1.0] 1.1.0"}));
  EXPECT_EQ(OfProvider("1.1.0"), Texts{"acme/loose/aws 1.0.0  [~> 1.0] 1.0.0"});
}

// Such a call may lead to any module, and to one that requires a provider.
TEST_F(CallersTest, ACallWithAnExpressionAsSourceIsUnknown) {
  PublishVpc({"1.2.0", "1.3.0"});
  constexpr std::string_view kUnknown =
      "module \"a\" {\n  source = var.source\n}\n"
      "module \"b\" {\n  source = \"${var.host}/acme/vpc/aws\"\n  version = \"1.2.0\"\n}\n";
  Publish("acme/net/aws", "1.0.0",
          {{"main.tf", std::string(kUnknown)},
           {"vpc.tf", Call("registry.example.com/acme/vpc/aws", "1.2.0")},
           {"modules/a/main.tf", std::string(kUnknown)},
           {"examples/b/main.tf", std::string(kUnknown)}});
  Publish("closed/net/aws", "1.0.0", {{"main.tf", std::string(kUnknown)}});
  ASSERT_TRUE(RunTask(catalog_.namespaces().AddNamespace(
      Tester(), {.name = "closed", .visibility = Visibility::kPrivate})));
  Publish("acme/past/aws", "1.0.0", {{"main.tf", std::string(kUnknown)}});
  Publish("acme/past/aws", "1.1.0", {{"main.tf", ""}});
  const std::string caller = "acme/net/aws 1.0.0  [1.2.0] ";
  EXPECT_EQ(Of("1.2.0"), (Texts{caller, "6 unknown"}));
  EXPECT_EQ(Of("1.3.0"), Texts{"6 unknown"});
  EXPECT_EQ(OfAny(), (Texts{caller, "6 unknown"}));
  EXPECT_EQ(OfAny(Stranger()), (Texts{caller, "4 unknown"}));
  ASSERT_TRUE(RunTask(catalog_.keys().AddKey(Tester(), SampleKey("acme"))));
  ASSERT_TRUE(RunTask(catalog_.providers().AddRelease(
      Tester(), SampleRelease("acme/demo", "1.0.0", "1"), std::nullopt)));
  EXPECT_EQ(OfProvider("1.0.0"), Texts{"6 unknown"});
}

// It calls the module, but which version is known only where it runs.
TEST_F(CallersTest, AnExpressionAsVersionIsUnknownForAVersionAlone) {
  PublishVpc({"1.2.0"});
  Publish("acme/net/aws", "1.0.0",
          {{"main.tf",
            "module \"a\" {\n  source = \"registry.example.com/acme/vpc/aws\"\n  version = "
            "var.version\n}\n"}});
  EXPECT_EQ(Of("1.2.0"), Texts{"1 unknown"});
  EXPECT_EQ(OfAny(), Texts{"acme/net/aws 1.0.0  [var.version] "});
}

TEST_F(CallersTest, ManyUnknownOnesAreCutAndSaySo) {
  PublishVpc({"1.2.0"});
  for (std::size_t i = 0; i <= Callers::kMostModules; ++i) {
    Publish(fmt::format("acme/net{}/aws", i), "1.0.0",
            {{"main.tf", "module \"a\" {\n  source = var.source\n}\n"}});
  }
  EXPECT_EQ(OfAny(), Texts{fmt::format("{} unknown…", Callers::kMostModules)});
}

TEST_F(CallersTest, ManyAreCutAndSaySo) {
  PublishVpc({"1.2.0"});
  for (std::size_t i = 0; i <= Callers::kMostModules; ++i) {
    Publish(fmt::format("acme/net{}/aws", i), "1.0.0",
            {{"main.tf", Call("registry.example.com/acme/vpc/aws", "1.2.0")}});
  }
  const Texts told = Of("1.2.0");
  ASSERT_EQ(told.size(), Callers::kMostModules + 1);
  EXPECT_EQ(told.back(), "…");
  Callers callers(catalog_, workers_);
  auto none = RunTask(callers.OfModule({}, hosts_, Address("acme/none/aws"), V("1.0.0")));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kNotFound);
}

}  // namespace
}  // namespace koya::service
