#include "wire/notifications.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

template <>
constexpr auto kDocument<WatchRequest> =
    Document("the watch", OrNull("mail", &WatchRequest::mail)).OrEmptyBody();

template <>
constexpr auto kDocument<Watch> =
    Document("the watch", Required("kind", &Watch::kind), Required("address", &Watch::address),
             Required("mail", &Watch::mail), Required("since", &Watch::since));

template <>
constexpr auto kDocument<NotificationEvent> = Document(
    "the notification", Required("kind", &NotificationEvent::kind),
    Required("of", &NotificationEvent::of), Required("address", &NotificationEvent::address),
    OrAbsent("version", &NotificationEvent::version), Required("at", &NotificationEvent::at),
    Optional("unseen", &NotificationEvent::unseen));

template <>
constexpr auto kDocument<NotificationList> = Document(
    "the notifications", Required("events", &NotificationList::events),
    Optional("unseen", &NotificationList::unseen), Optional("latest", &NotificationList::latest),
    OrAbsent("before", &NotificationList::before), OrNull("email", &NotificationList::email),
    Optional("mail_ended", &NotificationList::mail_ended));

template <>
constexpr auto kDocument<SeenRequest> =
    Document("the mark", Optional("latest", &SeenRequest::latest));

template <>
constexpr auto kDocument<EmailRequest> =
    Document("the request", OrNull("email", &EmailRequest::email));

KOYA_DOCUMENT(EmailRequest);
KOYA_DOCUMENT(WatchRequest);
KOYA_DOCUMENT(Watch);
KOYA_DOCUMENT(WatchList);
KOYA_DOCUMENT(NotificationEvent);
KOYA_DOCUMENT(NotificationList);
KOYA_DOCUMENT(SeenRequest);

void AddNotificationSchemas(SchemaList& list) {
  AddSchema<WatchRequest>(list);
  AddSchema<Watch>(list);
  AddSchema<NotificationList>(list);
  AddSchema<SeenRequest>(list);
  AddSchema<EmailRequest>(list);
}

}  // namespace koya::wire
