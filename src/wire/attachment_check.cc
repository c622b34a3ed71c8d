#include "wire/attachment_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/encoding.h"
#include "base/text.h"
#include "wire/json_reader.h"

namespace koya::wire {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 8> kAttestationMembers{
    "algorithm",        "digest",  "dsseEnvelope", "messageDigest",
    "messageSignature", "payload", "sha256",       "subject"};
constexpr std::array<std::string_view, 2> kSbomMembers{"bomFormat", "spdxVersion"};

// Only wanted members take memory, and that in proportion to the text.
Result<json::object> ParsePart(std::string_view what, std::string_view text,
                               std::span<const std::string_view> members) {
  constexpr std::size_t kLeastStorage = std::size_t{1} << 20;
  Result<json::object> object =
      ParseObject(what, text, {.members = members, .storage = kLeastStorage + 4 * text.size()});
  if (!object) object.error().kind = ErrorKind::kRefused;
  return object;
}

const json::object* ObjectIn(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}

std::optional<std::string_view> TextIn(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  if (text == nullptr) return std::nullopt;
  return std::string_view(text->data(), text->size());
}

// Looks for a subject that is a file of the version, in all attestations of one attachment.
class SubjectSearch {
 public:
  SubjectSearch(std::string_view name, std::span<const Digest> files)
      : name_(name), files_(files.begin(), files.end()) {}

  Status ReadBundle(const json::object& bundle) {
    if (const json::object* envelope = ObjectIn(bundle, "dsseEnvelope")) {
      return ReadEnvelope(*envelope);
    }
    if (const json::object* signature = ObjectIn(bundle, "messageSignature")) {
      return ReadMessageDigest(*signature);
    }
    return FailRefused(
        "{} is no Sigstore bundle: it has neither \"dsseEnvelope\" nor \"messageSignature\"",
        name_);
  }

  Status ReadLines(std::string_view lines) {
    bool empty = true;
    while (!lines.empty()) {
      const std::size_t end = std::min(lines.find('\n'), lines.size());
      const std::string_view line = lines.substr(0, end);
      lines.remove_prefix(std::min(end + 1, lines.size()));
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      empty = false;
      RETURN_IF_ERROR(ReadLine(line));
    }
    if (empty) return FailRefused("{} is empty", name_);
    return {};
  }

  Status Verdict() const {
    if (found_) return {};
    return FailRefused(
        "{} names no file of this version: none of its {} has the SHA-256 of one; attach the "
        "attestation of the files that are published",
        name_, subjects_ == 1 ? std::string("1 subject") : fmt::format("{} subjects", subjects_));
  }

 private:
  Status ReadLine(std::string_view line) {
    ASSIGN_OR_RETURN(json::object object,
                     ParsePart(fmt::format("a line of {}", name_), line, kAttestationMembers));
    if (object.contains("payload")) return ReadEnvelope(object);
    if (object.contains("subject")) return ReadStatement(object);
    return ReadBundle(object);
  }

  Status ReadEnvelope(const json::object& envelope) {
    const std::optional<std::string_view> payload = TextIn(envelope, "payload");
    const std::optional<std::string> statement =
        payload ? Base64Decode(*payload) : std::optional<std::string>();
    if (!statement) return FailRefused("{}: its \"payload\" must be a statement in base64", name_);
    ASSIGN_OR_RETURN(json::object object, ParsePart(fmt::format("the statement in {}", name_),
                                                    *statement, kAttestationMembers));
    return ReadStatement(object);
  }

  Status ReadStatement(const json::object& statement) {
    const json::value* list = statement.if_contains("subject");
    if (list == nullptr || !list->is_array()) {
      return FailRefused("{}: its in-toto statement has no list \"subject\"", name_);
    }
    for (const json::value& subject : list->get_array()) {
      const json::object* digests =
          subject.is_object() ? ObjectIn(subject.get_object(), "digest") : nullptr;
      if (digests == nullptr) {
        return FailRefused("{}: each subject must be an object with a \"digest\"", name_);
      }
      ++subjects_;
      const std::optional<std::string_view> sha256 = TextIn(*digests, "sha256");
      const Result<Digest> subject_digest = Digest::Parse(AsciiLower(sha256.value_or("")));
      found_ = found_ || (subject_digest && files_.contains(*subject_digest));
    }
    return {};
  }

  Status ReadMessageDigest(const json::object& signature) {
    const json::object* digest = ObjectIn(signature, "messageDigest");
    const std::optional<std::string_view> text =
        digest == nullptr ? std::nullopt : TextIn(*digest, "digest");
    const std::optional<std::string> bytes =
        text ? Base64Decode(*text) : std::optional<std::string>();
    if (!bytes || TextIn(*digest, "algorithm") != "SHA2_256") {
      return FailRefused(
          "{}: its \"messageDigest\" must have the algorithm SHA2_256 and a digest in base64",
          name_);
    }
    ++subjects_;
    Sha256Bytes sha256{};
    if (bytes->size() != sha256.size()) return {};
    std::ranges::copy(std::as_bytes(std::span(*bytes)), sha256.begin());
    found_ = files_.contains(Digest(sha256));
    return {};
  }

  std::string_view name_;
  std::unordered_set<Digest> files_;
  std::size_t subjects_ = 0;
  bool found_ = false;
};

Status CheckSbom(std::string_view name, AttachmentKind kind, const json::object& sbom) {
  if (kind == AttachmentKind::kSpdx) {
    if (TextIn(sbom, "spdxVersion").value_or("").starts_with("SPDX-")) return {};
    return FailRefused(
        "{} is no SPDX document: \"spdxVersion\" must be a text such as \"SPDX-2.3\"", name);
  }
  if (TextIn(sbom, "bomFormat") == "CycloneDX") return {};
  return FailRefused("{} is no CycloneDX document: \"bomFormat\" must be \"CycloneDX\"", name);
}

}  // namespace

Status CheckAttachment(std::string_view name, AttachmentKind kind, std::string_view text,
                       std::span<const Digest> files) {
  SubjectSearch search(name, files);
  switch (kind) {
    case AttachmentKind::kSigstoreBundle: {
      ASSIGN_OR_RETURN(json::object bundle, ParsePart(name, text, kAttestationMembers));
      RETURN_IF_ERROR(search.ReadBundle(bundle));
      return search.Verdict();
    }
    case AttachmentKind::kInTotoLines:
      RETURN_IF_ERROR(search.ReadLines(text));
      return search.Verdict();
    case AttachmentKind::kSpdx:
    case AttachmentKind::kCycloneDx: {
      ASSIGN_OR_RETURN(json::object sbom, ParsePart(name, text, kSbomMembers));
      return CheckSbom(name, kind, sbom);
    }
  }
  return {};
}

}  // namespace koya::wire
