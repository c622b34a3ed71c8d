// The kind of client that fetches, from its User-Agent. Nothing else of the User-Agent is stored.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace koya {

class UsageClient {
 public:
  // Numbers in stored rows: never renumber.
  enum class Product : std::int64_t {
    kOther = 0,
    kOpenTofu = 1,
    kTerraform = 2,
    kTerragrunt = 3,
    kTerraformLs = 4,  // an editor's language server
    kKoya = 5,         // another Koya that mirrors this one, or its command line
    kBrowser = 6,
    kRenovate = 100,
    kDependabot = 101,
    kScanner = 102,
  };
  // Bots from here on.
  static constexpr Product kFirstBot = Product::kRenovate;

  UsageClient() = default;
  explicit UsageClient(Product product) : number_(static_cast<std::int64_t>(product) * kStep) {}
  // `minor` of `major`, for OpenTofu and Terraform; they have no versions beyond 9.99.
  UsageClient(Product product, unsigned major, unsigned minor);

  // The reverse of number(); unknown numbers are kOther.
  static UsageClient FromNumber(std::int64_t number);
  std::int64_t number() const { return number_; }

  Product product() const { return static_cast<Product>(number_ / kStep); }
  // True for programs that do not install anything: they look for updates, or for vulnerabilities.
  bool is_bot() const;
  // "OpenTofu 1.12", "Renovate", "other".
  std::string ToString() const;

  friend auto operator<=>(const UsageClient&, const UsageClient&) = default;

 private:
  static constexpr std::int64_t kStep = 10'000;
  std::int64_t number_ = 0;  // the product, followed by 1 + 100 × major + minor, if known
};

struct UsageAgent {
  // The part of a User-Agent that is examined, in bytes.
  static constexpr std::size_t kMostText = 512;
  static constexpr std::size_t kMostLabel = 64;

  UsageClient client;
  std::string label;  // "": none, or an invalid one

  // Never fails: unknown clients are kOther. A label comes as "koya-consumer/NAME", which
  // TF_APPEND_USER_AGENT adds to the User-Agent of OpenTofu and Terraform. NAME is up to kMostLabel
  // letters, digits, ".", "_", "-", ":", "@", beginning with a letter or digit: a label with other
  // characters, or a longer one, is dropped. Of several labels the first counts.
  static UsageAgent Read(std::string_view user_agent);

  friend bool operator==(const UsageAgent&, const UsageAgent&) = default;
};

}  // namespace koya
