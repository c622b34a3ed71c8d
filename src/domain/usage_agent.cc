#include "domain/usage_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace koya {
namespace {

using Product = UsageClient::Product;

constexpr std::string_view kLabel = "koya-consumer";

struct KnownProduct {
  std::string_view name;  // in lower case, before the "/"
  Product product;
};

// Bots may run a client, or name it: they come first.
constexpr KnownProduct kBots[] = {
    {"renovate", Product::kRenovate},     {"renovatebot", Product::kRenovate},
    {"dependabot", Product::kDependabot}, {"dependabot-core", Product::kDependabot},
    {"checkov", Product::kScanner},       {"infracost", Product::kScanner},
    {"kics", Product::kScanner},          {"snyk", Product::kScanner},
    {"terrascan", Product::kScanner},     {"tflint", Product::kScanner},
    {"tfsec", Product::kScanner},         {"trivy", Product::kScanner},
};
constexpr KnownProduct kClients[] = {
    {"terragrunt", Product::kTerragrunt},    {"opentofu", Product::kOpenTofu},
    {"terraform", Product::kTerraform},      {"koya", Product::kKoya},
    {"terraform-ls", Product::kTerraformLs}, {"mozilla", Product::kBrowser},
};

// One "NAME/VERSION", or a bare "NAME".
struct ProductWord {
  std::string_view name;
  std::string_view version;
};

std::string_view TakeUntil(std::string_view& text, std::string_view any_of) {
  std::size_t end = std::min(text.find_first_of(any_of), text.size());
  std::string_view taken = text.substr(0, end);
  text.remove_prefix(end);
  return taken;
}

// Skips comments in parentheses, which may hold personal names. nullopt: there is no further word.
std::optional<ProductWord> NextWord(std::string_view& text) {
  while (!text.empty()) {
    if (text.front() == '(') {
      TakeUntil(text, ")");
    } else if (std::string_view word = TakeUntil(text, " \t("); !word.empty()) {
      std::string_view name = TakeUntil(word, "/");
      if (!word.empty()) word.remove_prefix(1);
      return ProductWord{name, word};
    }
    if (!text.empty() && text.front() != '(') text.remove_prefix(1);
  }
  return std::nullopt;
}

std::optional<unsigned> TakeNumber(std::string_view& text) {
  unsigned number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

UsageClient WithVersion(Product product, std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  std::optional<unsigned> major = TakeNumber(version);
  if (!major || !version.starts_with('.')) return UsageClient(product);
  version.remove_prefix(1);
  std::optional<unsigned> minor = TakeNumber(version);
  return minor ? UsageClient(product, *major, *minor) : UsageClient(product);
}

template <std::size_t kCount>
std::optional<Product> FindProduct(const KnownProduct (&products)[kCount], std::string_view name) {
  auto known = std::ranges::find_if(
      products, [name](const KnownProduct& each) { return EqualsIgnoreCase(each.name, name); });
  if (known == std::end(products)) return std::nullopt;
  return known->product;
}

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsLabel(std::string_view text) {
  constexpr std::string_view kBetween = "._-:@";
  if (text.empty() || text.size() > UsageAgent::kMostLabel) return false;
  return IsLetterOrDigit(text.front()) && std::ranges::all_of(text, [&](char c) {
           return IsLetterOrDigit(c) || kBetween.contains(c);
         });
}

}  // namespace

UsageClient::UsageClient(Product product, unsigned major, unsigned minor) : UsageClient(product) {
  if (major < 10 && minor < 100) number_ += 1 + std::int64_t{major} * 100 + minor;
}

UsageClient UsageClient::FromNumber(std::int64_t number) {
  UsageClient client;
  if (number < 0 || number % kStep > 1000) return client;
  const auto product = static_cast<Product>(number / kStep);
  const bool bot = product >= kFirstBot && product <= Product::kScanner;
  if (product <= Product::kBrowser || bot) client.number_ = number;
  return client;
}

bool UsageClient::is_bot() const { return product() >= kFirstBot; }

std::string UsageClient::ToString() const {
  auto with_version = [this](std::string_view name) {
    const std::int64_t version = number_ % kStep;
    if (version == 0) return std::string(name);
    return fmt::format("{} {}.{}", name, (version - 1) / 100, (version - 1) % 100);
  };
  switch (product()) {
    case Product::kOpenTofu:
      return with_version("OpenTofu");
    case Product::kTerraform:
      return with_version("Terraform");
    case Product::kTerragrunt:
      return "Terragrunt";
    case Product::kTerraformLs:
      return "terraform-ls";
    case Product::kKoya:
      return "Koya";
    case Product::kBrowser:
      return "browser";
    case Product::kRenovate:
      return "Renovate";
    case Product::kDependabot:
      return "Dependabot";
    case Product::kScanner:
      return "scanner";
    case Product::kOther:
      break;
  }
  return "other";
}

UsageAgent UsageAgent::Read(std::string_view user_agent) {
  if (user_agent.size() > kMostText) {
    // Half a word would be another word.
    user_agent = user_agent.substr(0, kMostText);
    user_agent = user_agent.substr(0, user_agent.find_last_of(' ') + 1);
  }
  UsageAgent agent;
  std::optional<Product> bot;
  std::optional<UsageClient> client;
  bool labelled = false;
  while (std::optional<ProductWord> word = NextWord(user_agent)) {
    if (!labelled && word->name == kLabel) {
      labelled = true;
      if (IsLabel(word->version)) agent.label = word->version;
    }
    if (!bot) bot = FindProduct(kBots, word->name);
    if (client) continue;
    if (std::optional<Product> known = FindProduct(kClients, word->name)) {
      const bool versioned = *known == Product::kOpenTofu || *known == Product::kTerraform;
      client = versioned ? WithVersion(*known, word->version) : UsageClient(*known);
    }
  }
  if (client) agent.client = *client;
  if (bot) agent.client = UsageClient(*bot);
  return agent;
}

}  // namespace koya
