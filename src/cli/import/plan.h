// Plans an import: the address of each package on the target, the versions that can come, and what
// is refused, with the reason. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "domain/version.h"
#include "wire/foreign/foreign_listings.h"

namespace koya::cli {

// Renames addresses: rules "THEIRS=OURS", of which the first that fits counts. A part of an address
// may end in "*", which stands for any characters; as the last part, "*" alone stands for all parts
// that are left: "platform/*=acme/*". OURS has as many stars as THEIRS.
class AddressMap {
 public:
  // Fails: kInvalid.
  Status Add(std::string_view rule);
  // The address on the target; the same if no rule fits.
  std::string Apply(std::string_view theirs) const;

 private:
  struct Rule {
    std::vector<std::string> theirs;
    std::vector<std::string> ours;
  };
  std::vector<Rule> rules_;
};

struct PlannedVersion {
  Version version;
  wire::ListedVersion listed;
};

struct PlannedPackage {
  bool is_module = false;
  std::string theirs;                    // "acme/vpc/aws" at the source
  std::string ours;                      // on the target
  std::vector<PlannedVersion> versions;  // ascending, so that each is compared with the one before
};

struct RefusedImport {
  std::string address;  // at the source
  std::string version;  // "": the whole package
  std::string why;
};

struct ImportPlan {
  std::vector<PlannedPackage> packages;
  std::vector<RefusedImport> refused;
  // Packages that would have one address on the target: "Acme/vpc/aws and acme/vpc/aws". Each of
  // them is refused, too.
  std::vector<std::string> clashes;
};

// Joins entries of one package in a list; the order stays.
std::vector<wire::ListedPackage> JoinPackages(std::vector<wire::ListedPackage> listed);

// Refused are addresses and versions that the target cannot have, reserved ones, packages with one
// address on the target, and versions that differ only in build metadata.
ImportPlan PlanImport(std::vector<wire::ListedPackage> listed, const AddressMap& map);

}  // namespace koya::cli
