#include "wire/audit.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

boost::json::object SchemaFor(SchemaTag<JsonText>) { return {}; }

// Text that is not JSON is shown as a string.
boost::json::value WriteValue(const JsonText& json) {
  boost::system::error_code error;
  boost::json::value value = boost::json::parse(json.text, error);
  return error ? boost::json::value(json.text) : value;
}

Status ReadValue(const Place& at, JsonText& out) {
  const boost::json::value* value = at.object.if_contains(at.key);
  if (value == nullptr || value->is_null()) return {};
  if (!value->is_object()) return MustBe(at.what, at.key, "an object");
  out.text = boost::json::serialize(*value);
  return {};
}

template <>
constexpr auto kDocument<AuditLink> =
    Document("the place in the audit log", Optional("sequence", &AuditLink::sequence),
             Required("hash", &AuditLink::hash));

template <>
constexpr auto kDocument<AuditEntry> = Document(
    "the audit entry", Optional("id", &AuditEntry::id), Required("time", &AuditEntry::time),
    Required("kind", &AuditEntry::kind), OrNull("actor", &AuditEntry::actor),
    OrNull("token", &AuditEntry::token), OrNull("address", &AuditEntry::address),
    OrNull("user_agent", &AuditEntry::user_agent), OrNull("request_id", &AuditEntry::request_id),
    Required("action", &AuditEntry::action), Optional("sentence", &AuditEntry::sentence),
    OrNull("target", &AuditEntry::target), OrNull("namespace", &AuditEntry::ns),
    OrNull("before", &AuditEntry::before), OrNull("after", &AuditEntry::after),
    Optional("count", &AuditEntry::count), OrNull("chain", &AuditEntry::chain));

template <>
constexpr auto kDocument<AuditPage> =
    Document("the audit log", Required("entries", &AuditPage::entries),
             OrNull("next", &AuditPage::next))
        // A page of a thousand entries is larger than other documents.
        .Within({.storage = 64 << 20});

template <>
constexpr auto kDocument<AuditDamage> =
    Document("the damage", Optional("sequence", &AuditDamage::sequence),
             Required("problem", &AuditDamage::problem));

template <>
constexpr auto kDocument<AuditReport> =
    Document("the audit report", Optional("whole", &AuditReport::whole),
             Optional("checked", &AuditReport::checked), Required("anchor", &AuditReport::anchor),
             Required("head", &AuditReport::head), OrNull("damage", &AuditReport::damage));

KOYA_DOCUMENT(AuditPage);
KOYA_DOCUMENT(AuditEntry);

namespace {

std::string AuditCsvCell(std::string_view text) {
  constexpr std::string_view kFormula = "=+-@\t\r";
  std::string cell = "\"";
  if (!text.empty() && kFormula.contains(text.front())) cell += '\'';
  for (char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell += '"';
}

}  // namespace

std::string AuditCsvHead() {
  return "id,time,kind,actor,token,address,user_agent,request_id,action,target,namespace,before,"
         "after,count,sequence,hash,sentence\r\n";
}

std::string AuditCsvLine(const AuditEntry& entry) {
  std::string line = std::to_string(entry.id);
  for (const std::string* text :
       {&entry.time, &entry.kind, &entry.actor, &entry.token, &entry.address, &entry.user_agent,
        &entry.request_id, &entry.action, &entry.target, &entry.ns, &entry.before.text,
        &entry.after.text}) {
    line += ',';
    line += AuditCsvCell(*text);
  }
  line += ',' + std::to_string(entry.count) + ',';
  if (!entry.chain.empty()) line += std::to_string(entry.chain.sequence);
  return line + ',' + entry.chain.hash + ',' + AuditCsvCell(entry.sentence) + "\r\n";
}

KOYA_DOCUMENT(AuditReport);

void AddAuditSchemas(SchemaList& list) {
  AddSchema<AuditPage>(list);
  AddSchema<AuditReport>(list);
}

}  // namespace koya::wire
