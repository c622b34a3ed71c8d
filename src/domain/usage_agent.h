// With what somebody fetches, as their User-Agent says: a kind of client and no more of it is kept.
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
    kTerraformLs = 4,  // an editor's
    kKoya = 5,         // another Koya that mirrors this one, or its command line
    kBrowser = 6,
    kRenovate = 100,
    kDependabot = 101,
    kScanner = 102,
  };
  // From here on they are bots.
  static constexpr Product kFirstBot = Product::kRenovate;

  UsageClient() = default;
  explicit UsageClient(Product product) : number_(static_cast<std::int64_t>(product) * kStep) {}
  // `minor` of `major`, of OpenTofu and Terraform; numbers beyond 9.99 are no version of theirs.
  UsageClient(Product product, unsigned major, unsigned minor);

  // The reverse of number(); what nobody wrote is kOther.
  static UsageClient FromNumber(std::int64_t number);
  std::int64_t number() const { return number_; }

  Product product() const { return static_cast<Product>(number_ / kStep); }
  // Whether nobody runs it to install something: it looks for updates, or for flaws.
  bool is_bot() const;
  // "OpenTofu 1.12", "Renovate", "other".
  std::string ToString() const;

  friend auto operator<=>(const UsageClient&, const UsageClient&) = default;

 private:
  static constexpr std::int64_t kStep = 10'000;
  std::int64_t number_ = 0;  // the product, and behind it 1 + 100 × major + minor, if known
};

struct UsageAgent {
  // More of a User-Agent is not looked at.
  static constexpr std::size_t kMostText = 512;
  static constexpr std::size_t kMostLabel = 64;

  UsageClient client;
  std::string label;  // "": none, or none that is taken

  // Never fails: what is not understood is kOther. A label comes as "koya-consumer/NAME", which
  // TF_APPEND_USER_AGENT adds to what OpenTofu and Terraform send. NAME is up to kMostLabel
  // letters, digits, ".", "_", "-", ":", "@", beginning with a letter or digit: a label of other
  // characters, or a longer one, is dropped. Of several the first counts.
  static UsageAgent Read(std::string_view user_agent);

  friend bool operator==(const UsageAgent&, const UsageAgent&) = default;
};

}  // namespace koya
