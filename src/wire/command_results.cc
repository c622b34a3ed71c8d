#include "wire/command_results.h"

#include "wire/document.h"

namespace koya::wire {
template <>
constexpr auto kDocument<Login> =
    Document("the login", Required("url", &Login::url), Required("file", &Login::file),
             OrNull("scope", &Login::scope),
             Written<Login>{"expires_in", [](const Login& of) -> boost::json::value {
                              if (of.expires_in == 0) return nullptr;
                              return of.expires_in;
                            }});

template <>
constexpr auto kDocument<Deprecated> = Document(
    "the deprecation", Required("address", &Deprecated::address),
    Required("version", &Deprecated::version),
    Written<Deprecated>{"deprecated",
                        [](const Deprecated& of) { return WriteValue(!of.message.empty()); }},
    OrNull("message", &Deprecated::message));

template <>
constexpr auto kDocument<Diagnosis::Finding> = Document(
    "the finding", Required("step", &Diagnosis::Finding::step),
    Required("severity", &Diagnosis::Finding::severity),
    Optional("message", &Diagnosis::Finding::message), Optional("fix", &Diagnosis::Finding::fix));

template <>
constexpr auto kDocument<Diagnosis> =
    Document("the diagnosis", Required("url", &Diagnosis::url),
             Optional("healthy", &Diagnosis::healthy), Optional("findings", &Diagnosis::findings));

template <>
constexpr auto kDocument<SettingsCheck::Finding> = Document(
    "the finding",
    Written<SettingsCheck::Finding>{"line",
                                    [](const SettingsCheck::Finding& of) -> boost::json::value {
                                      if (of.line == 0) return nullptr;
                                      return of.line;
                                    }},
    OrNull("setting", &SettingsCheck::Finding::setting),
    Required("text", &SettingsCheck::Finding::text));

template <>
constexpr auto kDocument<SettingsCheck> =
    Document("the check", Optional("problems", &SettingsCheck::problems),
             Optional("warnings", &SettingsCheck::warnings));

template <>
constexpr auto kDocument<FetchReport::Item> =
    Document("the fetch report", Required("address", &FetchReport::Item::address),
             OrAbsent("version", &FetchReport::Item::version),
             OrAbsent("platform", &FetchReport::Item::platform),
             OrAbsent("error", &FetchReport::Item::error));

template <>
constexpr auto kDocument<FetchReport> =
    Document("the report", Optional("fetched", &FetchReport::fetched),
             Optional("failed", &FetchReport::failed), Optional("problems", &FetchReport::problems),
             Optional("notes", &FetchReport::notes));

template <>
constexpr auto kDocument<ImportReport> = Document(
    "the report", Optional("imported", &ImportReport::imported),
    Optional("unchanged", &ImportReport::unchanged), Optional("bytes", &ImportReport::bytes),
    Optional("problems", &ImportReport::problems));

template <>
constexpr auto kDocument<RegistryImport::Refused> =
    Document("the refusal", Required("address", &RegistryImport::Refused::address),
             OrAbsent("version", &RegistryImport::Refused::version),
             Required("why", &RegistryImport::Refused::why));

template <>
constexpr auto kDocument<RegistryImport> = Document(
    "the report", Optional("packages", &RegistryImport::packages),
    Optional("versions", &RegistryImport::versions),
    Optional("unchanged", &RegistryImport::unchanged), Optional("bytes", &RegistryImport::bytes),
    Optional("seconds", &RegistryImport::seconds), Optional("refused", &RegistryImport::refused),
    Optional("clashes", &RegistryImport::clashes));

template <>
constexpr auto kDocument<ExportReport> = Document(
    "the report", Optional("written", &ExportReport::written),
    Optional("unchanged", &ExportReport::unchanged), Optional("bytes", &ExportReport::bytes),
    Optional("problems", &ExportReport::problems));

template <>
constexpr auto kDocument<PruneReport> =
    Document("the report", Optional("dry_run", &PruneReport::dry_run),
             Optional("bytes", &PruneReport::bytes), Optional("released", &PruneReport::released));

std::string EncodeProgramVersion(const std::string& version, const std::string& server) {
  boost::json::object document{{"version", version}};
  if (!server.empty()) document["server_version"] = server;
  return boost::json::serialize(document);
}

std::string EncodeDone(
    std::string_view done,
    std::initializer_list<std::pair<std::string_view, std::string_view>> members) {
  boost::json::object document;
  for (const auto& [name, value] : members) document[name] = value;
  document[done] = true;
  return boost::json::serialize(document);
}

template std::string Encode(const Login&);
std::string EncodeLogout(const std::string& url, bool revoked) {
  return boost::json::serialize(
      boost::json::object{{"url", url}, {"removed", true}, {"revoked", revoked}});
}
std::string EncodeLanguageSet(const std::string& user, const std::string& language) {
  return boost::json::serialize(boost::json::object{{"user", user}, {"language", language}});
}
template std::string Encode(const Deprecated&);
template std::string Encode(const Diagnosis&);
template std::string Encode(const SettingsCheck&);
template std::string Encode(const FetchReport&);
template std::string Encode(const ImportReport&);
template std::string Encode(const ExportReport&);
template std::string Encode(const RegistryImport&);
template std::string Encode(const PruneReport&);

}  // namespace koya::wire
