#include "service/held_lists.h"

#include <utility>

#include "base/run_task.h"

namespace koya::service {

// A shorter list is decoded sooner than another thread is asked to.
constexpr std::size_t kShortBody = 16 * 1024;

}  // namespace

std::string ProviderLists::DocumentKey(const Subject& provider) {
  return "provider-versions:" + provider.Key();
}
std::string ProviderLists::Encode(const Document& document) {
  return wire::EncodeProviderVersions(document);
}
Result<wire::ProviderVersions> ProviderLists::Decode(const std::string& body) {
  return wire::DecodeProviderVersions(body);
}
Result<AnsweredList<wire::ProviderVersions>> ProviderLists::Ask(
    const Subject& provider, const upstream::Validators& held, const upstream::Patience& patience) {
  ASSIGN_OR_RETURN(upstream::FetchedVersions fetched,
                   source.Versions(provider.host, provider.address, held, patience));
  return AnsweredList<Document>{fetched.unchanged, std::move(fetched.document), fetched.skipped,
                                std::move(fetched.validators)};
}

std::string ModuleLists::DocumentKey(const Subject& module) {
  return "module-versions:" + module.Key();
}
std::string ModuleLists::Encode(const Document& document) {
  return wire::EncodeModuleVersions(document);
}
Result<wire::ModuleVersions> ModuleLists::Decode(const std::string& body) {
  return wire::DecodeModuleVersions(body);
}
Result<AnsweredList<wire::ModuleVersions>> ModuleLists::Ask(const Subject& module,
                                                            const upstream::Validators& held,
                                                            const upstream::Patience& patience) {
  ASSIGN_OR_RETURN(upstream::FetchedModuleVersions fetched,
                   source.Versions(module.host, module.address, held, patience));
  Document document{.source = module.address.ToString(), .versions = {}};
  for (const Version& version : fetched.versions) document.versions.push_back(version.ToString());
  return AnsweredList<Document>{fetched.unchanged, std::move(document), fetched.skipped,
                                std::move(fetched.validators)};
}

template <class Kind>
bool HeldLists<Kind>::IsFresh(const HeldDocument& document) const {
  // A check in the future was noted while a clock was ahead: it says nothing.
  const UnixSeconds age = clock_.Now() - document.checked_at;
  return age >= 0 && age < freshness_.count();
}

Task<HeldList> HeldLists::ReadHeld(std::string key) {
  ASSIGN_OR_CO_RETURN(HeldDocument held, co_await catalog_.FindDocument(std::move(key)));
  co_return HeldList{std::move(held.body), false, held.checked_at};
}

Task<HeldList> HeldLists::Read(ListRequest request) {
  Result<HeldDocument> found = co_await catalog_.FindDocument(request.key);
  if (!found && found.error().kind != ErrorKind::kNotFound) {
    co_return std::unexpected(std::move(found).error());
  }
  if (found && IsFresh(*found))
    co_return HeldList{std::move(found->body), false, found->checked_at};
  std::optional<HeldDocument> held;
  if (found) held = *std::move(found);
  std::function<Result<HeldDocument>()> fetch = [this, request, held] {
    return Fetch(request, held);
  };
  Result<HeldDocument> fetched = co_await flights_.Do(request.key, std::move(fetch));
  if (fetched) co_return HeldList{std::move(fetched->body), false, fetched->checked_at};
  if (!held) co_return std::unexpected(std::move(fetched).error());
  ++counters_.stale;
  log_.Warn("upstream fails; what is held is served",
            {{"of", request.name},
             {"held_for_s", clock_.Now() - held->checked_at},
             {"detail", fetched.error().message}});
  co_return HeldList{std::move(held->body), true, held->checked_at};
}

// Blocks. One exchange with upstream, and what is kept of it.
Result<HeldDocument> HeldLists::Fetch(const ListRequest& request,
                                      const std::optional<HeldDocument>& held) {
  // Another flight may have landed since the catalog was asked: upstream is not asked twice.
  Result<HeldDocument> landed = RunTask(catalog_.FindDocument(request.key));
  if (landed && IsFresh(*landed)) return landed;
  upstream::Validators validators;
  if (held) validators = {held->etag, held->last_modified};
  Result<FetchedList> answer = request.fetch(validators);
  if (!answer) {
    if (answer.error().kind != ErrorKind::kNotFound) ++counters_.failures;
    log_.TakeLimit(answer.error());
    return Failure(std::move(answer).error());
  }
  FetchedList fetched = *std::move(answer);
  UnixSeconds now = clock_.Now();
  if (fetched.unchanged && held) {
    RETURN_IF_ERROR(RunTask(catalog_.ConfirmDocument(held->key, now)));
    HeldDocument confirmed = *held;
    confirmed.checked_at = now;
    return confirmed;
  }
  HeldDocument document{.key = request.key,
                        .body = std::move(fetched.body),
                        .etag = std::move(fetched.validators.etag),
                        .last_modified = std::move(fetched.validators.last_modified),
                        .checked_at = now,
                        .changed_at = now};
  CO_RETURN_IF_ERROR(co_await context_.catalog.PutDocument(std::move(document)));
  co_return List{std::make_shared<const typename Kind::Document>(std::move(answer.document)), false,
                 now};
}

}  // namespace koya::service
