// The handlers of the administrator's pages, for the table: see admin_answer.h.
#pragma once

#include "api/admin_answer.h"
#include "web/admin_accounts.h"

namespace koya::api {

// ---- how the registry is: admin_state_pages.cc

Task<http::Response> ShowAdministration(Call& call, PageAnswer& page);
Task<http::Response> ShowStorage(Call& call, PageAnswer& page);
Task<http::Response> ShowHealth(Call& call, PageAnswer& page);

// ---- the audit log: admin_audit_pages.cc

Task<http::Response> ShowAudit(Call& call, PageAnswer& page);
Task<http::Response> ShowAuditEntry(Call& call, PageAnswer& page);
Task<http::Response> ShowAuditProof(Call& call, PageAnswer& page);
// A file for whoever is signed in: audit.jsonl or audit.csv.
Task<http::Response> GetAuditFile(Call& call, PageAnswer& page);

// ---- who may do what: admin_grants_pages.cc

Task<http::Response> ShowGrants(Call& call, PageAnswer& page);
Task<http::Response> GiveAnyRole(Call& call, Visit& visit, const Form& form);
Task<http::Response> ShowWhy(Call& call, PageAnswer& page);

// ---- users: admin_user_pages.cc

Task<http::Response> ShowUsers(Call& call, PageAnswer& page);
Task<http::Response> MakeUser(Call& call, Visit& visit, const Form& form);
Task<http::Response> ShowUser(Call& call, PageAnswer& page);
Task<http::Response> ChangeUser(Call& call, Visit& visit, const Form& form);
Task<http::Response> AskDeleteUser(Call& call, PageAnswer& page);
Task<http::Response> DeleteUser(Call& call, Visit& visit, const Form& form);
Task<http::Response> AskRevokeAnyToken(Call& call, PageAnswer& page);
Task<http::Response> RevokeAnyToken(Call& call, Visit& visit, const Form& form);
// The first of them, as the page of users has them.
Task<web::AdminUsersPage> ReadUsersPage(Call& call);

// ---- several users at once: admin_chosen_pages.cc

Task<http::Response> AskChosenUsers(Call& call, PageAnswer& page);
Task<http::Response> DoToChosenUsers(Call& call, Visit& visit, const Form& form);

// ---- groups: admin_group_pages.cc

Task<http::Response> ShowGroups(Call& call, PageAnswer& page);
Task<http::Response> MakeGroup(Call& call, Visit& visit, const Form& form);
Task<http::Response> ShowGroup(Call& call, PageAnswer& page);
Task<http::Response> ChangeMembers(Call& call, Visit& visit, const Form& form);
Task<http::Response> AskDeleteGroup(Call& call, PageAnswer& page);
Task<http::Response> DeleteAnyGroup(Call& call, Visit& visit, const Form& form);

// ---- sign-in providers: admin_sign_in_pages.cc

Task<http::Response> ShowSignInProviders(Call& call, PageAnswer& page);
Task<http::Response> ShowSignInProvider(Call& call, PageAnswer& page);
Task<http::Response> AskSignInProvider(Call& call, Visit& visit, const Form& form);
// On the way to the provider; what comes back is shown where sign-ins come back to.
Task<http::Response> BeginSignInTrial(Call& call, PageAnswer& page);

}  // namespace koya::api
