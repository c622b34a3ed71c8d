// Location of our part of an object store: endpoint, bucket, prefix, and their form in URLs. Object
// names are relative to the prefix, so that no code outside this folder knows it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya::s3 {

// The address as configured.
struct AddressText {
  std::string url;       // blobs.url: "s3://BUCKET" or "s3://BUCKET/PREFIX"
  std::string endpoint;  // blobs.s3.endpoint: "https://HOST" or "http://HOST:PORT"; "": AWS
  std::string region;    // blobs.s3.region; "": us-east-1
  // blobs.s3.path_style: whether the bucket stands in the path; otherwise in the host name. Absent:
  // in the path with an endpoint, in the host name on AWS.
  std::optional<bool> path_style;
};

// Immutable; any thread.
class Address {
 public:
  // Fails: kInvalid, naming the setting and the fix.
  static Result<Address> Parse(const AddressText& text);

  const std::string& bucket() const { return bucket_; }
  const std::string& prefix() const { return prefix_; }
  const std::string& region() const { return region_; }
  // "s3://BUCKET/PREFIX": the store's name in messages.
  std::string ToString() const;
  // The value signed as `host`: without the scheme's default port.
  const std::string& host() const { return host_; }
  // "https://HOST".
  std::string Origin() const { return scheme_ + "://" + host_; }

  // The key of the object `name`, and the inverse: nullopt when the key is not below the prefix.
  std::string KeyOf(std::string_view name) const;
  std::optional<std::string> NameOf(std::string_view key) const;
  // Paths of the object `name` and of the bucket, percent-encoded once, as they are sent and
  // signed.
  std::string PathOf(std::string_view name) const;
  std::string BucketPath() const;

 private:
  Address() = default;
  std::string bucket_;
  std::string prefix_;  // without slashes at its ends; may be empty
  std::string region_;
  std::string scheme_;
  std::string host_;
  bool path_style_ = false;
};

// A key with its segments percent-encoded and its slashes as they are.
std::string EncodeKey(std::string_view key);

}  // namespace koya::s3
