#include <boost/json.hpp>

#include "inspect/changes.h"

namespace koya::inspect {
namespace {

boost::json::value Text(std::string_view text) {
  return boost::json::string_view(text.data(), text.size());
}

boost::json::object ChangeObject(const Change& change) {
  boost::json::object place;
  place["file"] = change.place.file;
  place["line"] = change.place.line;
  boost::json::object out;
  out["section"] = Text(Name(change.section));
  out["sign"] = Text(Name(change.sign));
  out["kind"] = Text(Name(change.kind));
  out["what"] = change.what;
  out["place"] = std::move(place);
  out["sentence"] = change.sentence;
  return out;
}

}  // namespace

std::string EncodeVerdict(const Verdict& verdict) {
  boost::json::object out;
  out["agreement"] = Text(Name(verdict.agreement));
  out["needed"] = Text(Name(verdict.needed));
  out["given"] = Text(Name(verdict.given));
  out["wanted"] = verdict.wanted;
  out["sentence"] = verdict.sentence;
  boost::json::array changes;
  for (const Change& each : verdict.changes) changes.push_back(ChangeObject(each));
  out["changes"] = std::move(changes);
  return boost::json::serialize(out);
}

}  // namespace koya::inspect
