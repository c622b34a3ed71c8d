#include "wire/tokens.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

template <>
constexpr auto kDocument<TokenRequest> = Document(
    "the token request", Required("name", &TokenRequest::name),
    Required("scope", &TokenRequest::scope), Optional("namespaces", &TokenRequest::namespaces),
    OrNull("expires", &TokenRequest::expires), OrAbsent("service", &TokenRequest::service));

template <>
constexpr auto kDocument<TokenRotation> =
    Document("the token rotation", OrNull("expires", &TokenRotation::expires)).OrEmptyBody();

template <>
constexpr auto kDocument<Token> =
    Document("the token", Required("name", &Token::name), OrAbsent("token", &Token::token),
             Required("scope", &Token::scope), Optional("namespaces", &Token::namespaces),
             OrNull("account", &Token::account), OrNull("account_kind", &Token::account_kind),
             OrNull("expires", &Token::expires), OrNull("created", &Token::created),
             OrNull("created_by", &Token::created_by), OrNull("last_used", &Token::last_used),
             OrNull("last_used_from", &Token::last_used_from),
             OrAbsent("account_created_by", &Token::account_created_by));

KOYA_DOCUMENT(TokenRequest);
KOYA_DOCUMENT(TokenRotation);
KOYA_DOCUMENT(Token);
KOYA_DOCUMENT(TokenList);

void AddTokenSchemas(SchemaList& list) {
  AddSchema<TokenRequest>(list);
  AddSchema<TokenRotation>(list);
  AddSchema<Token>(list);
}

}  // namespace koya::wire
