// koya publish provider DIST_DIR NAMESPACE/TYPE [VERSION]

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/api/inventory_client.h"
#include "cli/api/local_file.h"
#include "cli/api/provider_client.h"
#include "cli/ci_identity.h"
#include "cli/impact.h"
#include "cli/package.h"
#include "cli/program.h"
#include "cli/publish_package.h"
#include "cli/release_docs.h"
#include "cli/release_folder.h"
#include "cli/text/comparison_text.h"
#include "cli/text/named_arguments.h"
#include "cli/text/readable.h"
#include "cli/text/upload_progress.h"
#include "cli/text/usage_block.h"
#include "cli/uploads.h"
#include "domain/digest.h"
#include "domain/protocol_version.h"
#include "wire/error_document.h"

namespace koya::cli {
namespace {

constexpr std::string_view kPublishProviderFooter =
    R"(DIST_DIR holds GoReleaser's output (dist): terraform-provider-TYPE_VERSION_OS_ARCH.zip,
..._SHA256SUMS, ..._SHA256SUMS.sig (or .asc), and ..._manifest.json if the provider speaks another
protocol than 5.0. The namespace must have the signing key ("koya key add"); without a key of your
own, --sign lets the server sign with a key that it creates for the namespace.
Nothing is visible before all files are uploaded and checked. After an interrupted upload, the same
command sends the missing files. A version never changes.
--docs and --schema describe the provider, for pages and searches; neither must be in SHA256SUMS.
They are read, never run; unreadable parts are reported, and do not stop the publish.
Attestations and SBOMs in DIST_DIR (.sigstore.json, .intoto.jsonl, .spdx.json, .cdx.json) are
attached to the release; --attach FILE adds others.
A release is compared with the one before, and never rejected for its number. --dry-run does all of
it in a draft that is discarded: nothing is published.

Exit status: 0 published, or with --dry-run would be; else 1.

Examples:
  koya publish provider dist acme/demo
  koya publish provider dist acme/demo 1.2.0 --server https://registry.example.com
  koya publish provider . acme/demo 1.2.0 --sign --protocols 6.0
  koya publish provider dist acme/demo --docs docs --schema schema.json
  koya publish provider dist acme/demo --dry-run)";

struct ProviderArguments {
  std::string path;
  std::string address;
  std::string version;
  bool sign = false;
  std::vector<std::string> protocols;
  std::string docs;
  std::string schema;
  std::vector<std::string> attach;
  bool dry_run = false;
  bool yes = false;
  std::string break_glass;
  std::string source_url;
  std::size_t jobs = 4;
  ServerFlags server;
};

// The release to publish, and its source: the same for every step.
struct Publishing {
  const ReleaseId& release;
  const ReleaseFolder& folder;
  std::string sums;  // the digest of its SHA256SUMS
  wire::CommitRequest commit;
  bool dry_run;
  std::size_t jobs;
  RegistryClientOptions connection;
};

// The digest of SHA256SUMS, which says what a release is: of the folder's, or of the one that the
// server makes of the files that it is sent.
Result<std::string> SumsDigest(const ReleaseFolder& folder, bool sign) {
  std::map<std::string, std::string> lines;  // by name, as they stand there
  for (const FolderFile& file : folder.files) {
    const bool sums = file.kind == ReleaseFile::Kind::kSums;
    if (!sums && !sign) continue;
    ASSIGN_OR_RETURN(const std::string digest, FileDigest(folder.PathOf(file)));
    if (sums) return digest;
    ASSIGN_OR_RETURN(const Digest parsed, Digest::Parse(digest));
    lines[file.name] = fmt::format("{}  {}\n", parsed.hex(), file.name);
  }
  std::string text;
  for (const auto& [name, line] : lines) text += line;
  return Digest::Of(text).ToString();
}

Failure OthersPublished(const ReleaseId& release) {
  return FailConflict(
      "{} is already published with other files, and a version never changes: "
      "publish these as a higher one",
      release.ToString());
}

// The release, if exactly these files are published as it. Fails: kConflict when others are.
Result<std::optional<wire::PublishedProvider>> FindSame(ProviderClient& client,
                                                        const Publishing& publishing) {
  ASSIGN_OR_RETURN(std::optional<wire::PublishedProvider> published,
                   client.FindPublished(publishing.release));
  if (!published) return published;
  if (published->shasums_digest != publishing.sums) return OthersPublished(publishing.release);
  // The server does not say the sizes of packages that share their bytes.
  for (wire::PublishedPackage& package : published->packages) {
    auto file = std::ranges::find(publishing.folder.files, package.filename, &FolderFile::name);
    if (file != publishing.folder.files.end()) package.size = file->size;
  }
  return published;
}

// True if the server still has the bytes of the published release, or cannot say.
bool IsWhole(const Publishing& publishing, const wire::PublishedProvider& published) {
  ApiClient api(publishing.connection);
  wire::StoredArtifact thing{.kind = "documents",
                             .hostname = {},
                             .address = publishing.release.address.ToString(),
                             .version = published.version,
                             .platform = {},
                             .size = 0};
  auto is_damaged = [&](std::string_view kind, const std::string& platform) {
    thing.kind = kind;
    thing.platform = platform;
    auto outcome = CheckStored(api, thing, {});
    return outcome && (outcome->state == "damaged" || outcome->state == "missing");
  };
  if (is_damaged("documents", "")) return false;
  // A file that is not in the folder could not be repaired from it.
  for (const FolderFile& each : publishing.folder.files) {
    if (each.kind == ReleaseFile::Kind::kDocs && is_damaged("docs", "")) return false;
    if (each.kind == ReleaseFile::Kind::kSchema && is_damaged("schema", "")) return false;
  }
  return std::ranges::none_of(published.packages, [&](const wire::PublishedPackage& each) {
    return is_damaged("package", each.platform);
  });
}

// A name for exactly these files.
Result<std::string> UploadName(const ReleaseFolder& folder) {
  std::string list;
  for (const std::vector<FolderFile>& files : {folder.files, folder.attachments}) {
    for (const FolderFile& file : files) {
      ASSIGN_OR_RETURN(const std::string digest, FileDigest(folder.PathOf(file)));
      list += fmt::format("{} {}\n", file.name, digest);
    }
  }
  return Digest::Of(list).ToString();
}

// The draft that an earlier run left which sent the same files, or else a new one: another's must
// not become part of this release, nor this one's of another.
Result<wire::Draft> TakeDraft(ProviderClient& client, const Publishing& publishing,
                              Output& output) {
  const ReleaseId& release = publishing.release;
  ASSIGN_OR_RETURN(const std::string upload, UploadName(publishing.folder));
  ASSIGN_OR_RETURN(wire::DraftList drafts, client.Send(At(wire::kListDrafts, release)));
  auto left = std::ranges::find(drafts.items, upload, &wire::Draft::upload);
  if (left == drafts.items.end()) {
    return client.Send(At(wire::kOpenDraft, release), {upload});
  }
  Result<wire::Draft> draft = client.Send(At(wire::kShowDraft, release, left->id));
  if (draft) {
    output.Note(fmt::format("koya: resuming the draft of {}", Printable(draft->created)));
  } else if (draft.error().kind == ErrorKind::kNotFound) {  // expired, or given up, just now
    return client.Send(At(wire::kOpenDraft, release), {upload});
  }
  return draft;
}

Status Upload(const Publishing& publishing, const wire::Draft& draft, Output& output) {
  std::uint64_t total = 0;
  for (const FolderFile& file : publishing.folder.files) total += file.size;
  for (const FolderFile& file : publishing.folder.attachments) total += file.size;
  const Shell& shell = output.shell();
  Result<UploadReport> report = [&] {
    UploadProgress progress(shell.err, total, shell.err_is_terminal);
    return UploadRelease({.connection = publishing.connection,
                          .release = publishing.release,
                          .folder = publishing.folder,
                          .draft = draft,
                          .jobs = publishing.jobs},
                         progress);
  }();
  if (!report && publishing.dry_run) return Failure(std::move(report).error());
  if (!report) {
    Error error = std::move(report).error();
    error.message += fmt::format(
        "\n  to do: fix this and run the same command again; uploaded files are kept{}{}, and only "
        "the rest is sent",
        draft.expires.empty() ? "" : " until ", Printable(draft.expires));
    return Failure(std::move(error));
  }
  if (report->there > 0) {
    output.Note(fmt::format("koya: {} of {} files were already uploaded", report->there,
                            report->there + report->sent));
  }
  return {};
}

// The end of a draft that is not there any more: it was committed, by this run, whose answer was
// lost (`created`), or by another one that sends the same files. Fails with `gone` when it was not.
Result<CommitAnswer> Conclude(ProviderClient& client, const Publishing& publishing, bool created,
                              Error gone) {
  ASSIGN_OR_RETURN(std::optional<wire::PublishedProvider> published, FindSame(client, publishing));
  if (!published) return Failure(std::move(gone));
  return CommitAnswer{.problems = {}, .provider = *std::move(published), .created = created};
}

Result<CommitAnswer> Commit(ProviderClient& client, const Publishing& publishing,
                            const wire::Draft& draft, Output& output) {
  auto commit = [&] { return client.Commit(publishing.release, draft.id, publishing.commit); };
  auto unanswered = [](const Result<CommitAnswer>& answer) {
    return !answer && (answer.error().kind == ErrorKind::kUnavailable ||
                       answer.error().kind == ErrorKind::kTimeout ||
                       answer.error().kind == ErrorKind::kInternal);
  };
  Result<CommitAnswer> answer = commit();
  const bool lost = unanswered(answer);
  if (lost) {
    output.Note(fmt::format("koya: the commit failed ({}); retrying", answer.error().message));
    answer = commit();
  }
  if (!answer && answer.error().kind == ErrorKind::kNotFound) {
    return Conclude(client, publishing, lost, std::move(answer).error());
  }
  if (answer && answer->problems.empty() && answer->provider.shasums_digest != publishing.sums) {
    return OthersPublished(publishing.release);
  }
  if (!unanswered(answer)) return answer;
  Error error = std::move(answer).error();
  error.message +=
      "\n  to do: all files are uploaded; run the same command again later to commit them without "
      "uploading again";
  return Failure(std::move(error));
}

// In a draft of its own, which is given up: nothing of it is left to a publish.
Result<CommitAnswer> TryOut(ProviderClient& client, const Publishing& publishing, Output& output) {
  const ReleaseId& release = publishing.release;
  ASSIGN_OR_RETURN(wire::Draft draft, client.Send(At(wire::kOpenDraft, release), {}));
  Status sent = Upload(publishing, draft, output);
  Result<CommitAnswer> answer =
      sent ? client.Check(release, draft.id, publishing.commit)
           : Result<CommitAnswer>(std::unexpected(std::move(sent).error()));
  Status abandoned = client.Send(At(wire::kAbandonDraft, release, draft.id));
  if (!abandoned && answer) {
    output.Note(fmt::format("koya: the draft could not be deleted ({}); it expires by itself{}{}",
                            abandoned.error().message, draft.expires.empty() ? "" : " at ",
                            Printable(draft.expires)));
  }
  return answer;
}

int PrintProblems(const Publishing& publishing, const std::vector<std::string>& problems,
                  Output& output) {
  output.Note(fmt::format("koya: {} {}, for {}:", publishing.release.ToString(),
                          publishing.dry_run ? "would be rejected" : "was not published",
                          problems.size() == 1 ? std::string("this reason")
                                               : fmt::format("these {} reasons", problems.size())));
  for (const std::string& problem : problems) output.Note("  - " + problem);
  if (!publishing.dry_run) {
    output.Note("  to do: fix this and run the same command again");
  }
  output.PrintErrors(problems, ErrorKind::kRefused, 422);
  return 1;
}

void PrintDetails(const wire::PublishedProvider& provider, Output& output) {
  std::vector<std::string> platforms;
  platforms.reserve(provider.packages.size());
  for (const wire::PublishedPackage& package : provider.packages) {
    platforms.push_back(package.platform);
  }
  output.Print(fmt::format("  protocols   {}", fmt::join(provider.protocols, ", ")));
  output.Print(fmt::format("  platforms   {}", fmt::join(platforms, ", ")));
  output.Print(fmt::format("  signed by   {}", provider.key_fingerprint.empty()
                                                   ? "a key that the server will create"
                                                   : provider.key_fingerprint));
  output.Print(fmt::format("  SHA256SUMS  {}", provider.shasums_digest));
  PrintVisibility("access      ", provider.visibility, output);
}

// What a publish would do.
int PrintDryRun(const wire::PublishedProvider& provider, Output& output) {
  output.Print(fmt::format("Can be published: {} {} (dry run: nothing was published)",
                           output.Bold(provider.address), output.Bold(provider.version)));
  PrintDetails(provider, output);
  if (provider.comparison) {
    output.Print("");
    PrintComparisonBriefly(*provider.comparison, output);
  }
  for (const wire::ReadWarning& warning : provider.warnings) {
    output.Note("koya: warning: " + DocsWarningText(warning));
  }
  output.PrintDocument(wire::Encode(provider));
  return 0;
}

// Of a release that was published before: a draft would carry them otherwise.
Status SendAttachments(ProviderClient& client, const Publishing& publishing, Output& output) {
  for (const FolderFile& file : publishing.folder.attachments) {
    RETURN_IF_ERROR(SendAttachment(client,
                                   At(wire::kPutProviderAttachment, publishing.release, file.name),
                                   publishing.release.ToString(), file.source, output));
  }
  return {};
}

int PrintOutcome(const CommitAnswer& answer, const ReleaseId& release, const http::Url& server,
                 Output& output) {
  const wire::PublishedProvider& provider = answer.provider;
  output.Print(fmt::format("{} {} {}",
                           answer.created ? "Published" : "Already published, unchanged:",
                           output.Bold(provider.address), output.Bold(provider.version)));
  PrintDetails(provider, output);
  NoteNewNamespace(release.address.ns(), provider.made_namespace, output);
  PrintAgreement(provider.comparison, output);
  for (const wire::ReadWarning& warning : provider.warnings) {
    output.Note("koya: warning: " + DocsWarningText(warning));
  }
  output.Print("\nUse it:\n");
  output.Print(
      ProviderBlock(ProviderHost(provider.source, server), release.address, provider.version));
  output.PrintDocument(wire::Encode(provider));
  NoteDisagreement(provider.comparison, provider.address, output);
  return 0;
}

// Sends the files into a draft, and has it committed, or tried out.
Result<CommitAnswer> Send(ProviderClient& client, const Publishing& publishing, Output& output) {
  if (publishing.dry_run) return TryOut(client, publishing, output);
  ASSIGN_OR_RETURN(wire::Draft draft, TakeDraft(client, publishing, output));
  Status sent = Upload(publishing, draft, output);
  if (!sent && sent.error().kind == ErrorKind::kNotFound) {
    return Conclude(client, publishing, false, std::move(sent).error());
  }
  RETURN_IF_ERROR(std::move(sent));
  return Commit(client, publishing, draft, output);
}

Result<int> Run(const Publishing& publishing, Output& output) {
  ProviderClient client(publishing.connection);
  ASSIGN_OR_RETURN(std::optional<wire::PublishedProvider> published, FindSame(client, publishing));
  CommitAnswer answer;
  bool whole = published && IsWhole(publishing, *published);
  if (published && !whole) {
    output.Note(fmt::format(
        "koya: this version is published, but damaged on the server: {}",
        publishing.dry_run ? "publish it again to repair it" : "uploading it again to repair it"));
  }
  if (whole && HasDocs(publishing.folder)) {
    output.Note("koya: this version is published: its docs and schema do not change");
  }
  if (whole || (published && publishing.dry_run)) {
    answer.provider = *std::move(published);
    answer.provider.dry_run = publishing.dry_run;
    if (!publishing.dry_run) RETURN_IF_ERROR(SendAttachments(client, publishing, output));
  } else {
    ASSIGN_OR_RETURN(answer, Send(client, publishing, output));
    if (!answer.problems.empty()) return PrintProblems(publishing, answer.problems, output);
    if (publishing.dry_run) return PrintDryRun(answer.provider, output);
  }
  return PrintOutcome(answer, publishing.release, client.server(), output);
}

// In this order everything that can be refused here is refused before anything is sent.
Result<int> Publish(const ProviderArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(ProviderAddress address, ProviderAddress::Parse(arguments.address));
  std::optional<Version> version;
  if (!arguments.version.empty()) {
    ASSIGN_OR_RETURN(version, Version::Parse(arguments.version));
  }
  std::vector<std::string> protocols;
  if (!arguments.protocols.empty()) {
    ASSIGN_OR_RETURN(protocols, NormalizeProtocols(arguments.protocols));
  }
  ASSIGN_OR_RETURN(std::string source, CheckedSource(arguments.source_url));
  ASSIGN_OR_RETURN(ReleaseFolder folder,
                   ReadReleaseFolder({.path = arguments.path,
                                      .address = address,
                                      .version = std::move(version),
                                      .sign = arguments.sign,
                                      .protocols_given = !protocols.empty()}));
  ASSIGN_OR_RETURN(ReleaseDocs docs,
                   AddDocs({.docs = arguments.docs,
                            .schema = arguments.schema,
                            .address = address,
                            .temporary_folder = TemporaryFolder(output.shell().variables)},
                           folder));
  RETURN_IF_ERROR(AddAttachments(arguments.attach, folder.attachments));
  std::vector<std::string> attachments;
  for (const FolderFile& file : folder.attachments) attachments.push_back(file.name);
  if (!attachments.empty()) {
    folder.notes.push_back(fmt::format("attachments: {}", Listed(attachments, 6)));
  }
  for (const std::string& note : folder.notes) output.Note("koya: " + note);
  ASSIGN_OR_RETURN(std::string sums, SumsDigest(folder, arguments.sign));
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  connection.break_glass = arguments.break_glass;
  ASSIGN_OR_RETURN(const CiIdentity job, UseCiIdentity(connection, address.ns(), output));
  if (!arguments.yes && !arguments.dry_run) {
    RETURN_IF_ERROR(ConfirmNewNamespace(connection, address.ns(), output));
  }
  ReleaseId release{address, folder.version};
  Result<int> published = Run({.release = release,
                               .folder = folder,
                               .sums = std::move(sums),
                               .commit = {.sign = arguments.sign,
                                          .protocols = std::move(protocols),
                                          .source_url = std::move(source),
                                          .attachments = std::move(attachments)},
                               .dry_run = arguments.dry_run,
                               .jobs = arguments.jobs,
                               .connection = std::move(connection)},
                              output);
  if (!published) return job.Refused(std::move(published).error());
  return published;
}

}  // namespace

void AddPublishProviderCommand(CLI::App& publish, Invocation& invocation) {
  CLI::App* provider = publish.add_subcommand("provider", "Publish one version of a provider");
  auto arguments = std::make_shared<ProviderArguments>();
  provider->add_option("DIST_DIR", arguments->path, "The folder that holds the release's files")
      ->required()
      ->type_name("");
  provider->add_option("ADDRESS", arguments->address, "NAMESPACE/TYPE, for example acme/demo")
      ->required()
      ->check(CheckOwnProvider)
      ->type_name("");
  provider
      ->add_option("VERSION", arguments->version,
                   "A semantic version, for example 1.2.0; default: the one in the file names")
      ->check(CheckVersion)
      ->type_name("");
  provider->add_flag("--sign", arguments->sign,
                     "Let the server create SHA256SUMS and sign it with the namespace's own key");
  provider
      ->add_option("--protocols", arguments->protocols,
                   "The protocol versions that the provider supports, for example 5.0,6.0 "
                   "(default: from the manifest, else 5.0)")
      ->delimiter(',')
      ->check(ReadableBy(CheckProtocolVersion))
      ->allow_extra_args(false)
      ->type_name("LIST");
  provider
      ->add_option("--docs", arguments->docs,
                   "The folder of the provider's docs, or the project that has one (docs, "
                   "website/docs)")
      ->type_name("DIR");
  provider
      ->add_option("--schema", arguments->schema,
                   "The output of \"tofu providers schema -json\"; can be .gz")
      ->type_name("FILE");
  AddAttachFlag(*provider, arguments->attach);
  provider->add_flag(
      "--dry-run", arguments->dry_run,
      "Send the files, show what would be published and check its number; publish nothing");
  provider->add_option("--jobs", arguments->jobs, "How many files to send at once (4)")
      ->check(CLI::Range(1, 32), "a number from 1 to 32")
      ->type_name("N");
  provider->add_flag("--yes", arguments->yes,
                     "Do not ask on a terminal before creating a new namespace");
  AddBreakGlassFlag(*provider, arguments->break_glass);
  AddSourceFlag(*provider, arguments->source_url);
  AddServerFlags(*provider, arguments->server);
  AddJsonFlag(*provider, invocation);
  provider->footer(std::string(kPublishProviderFooter));
  provider->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return Publish(*arguments, output); };
  });
}

}  // namespace koya::cli
