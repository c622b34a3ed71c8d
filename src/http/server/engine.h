// State shared by connections: by all of them, and by those of one loop.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/address_range.h"
#include "http/server/connection_limits.h"
#include "http/server/head_parser.h"
#include "http/server/message.h"
#include "http/server/request_words.h"
#include "http/server/router.h"
#include "http/server/server_options.h"
#include "http/server/tls_context.h"

namespace koya::http {

// Set up before the loops start; outlives them.
struct Engine {
  Engine(ServerOptions the_options, const Router& the_router, Observer& the_observer,
         ErrorAnswer the_error_answer)
      : options(std::move(the_options)),
        router(the_router),
        observer(the_observer),
        error_answer(std::move(the_error_answer)),
        allowed_anywhere(the_router.AllowedAnywhere()),
        limits(options.max_connections, options.max_connections_per_address) {}

  const ServerOptions options;
  const Router& router;
  Observer& observer;
  const ErrorAnswer error_answer;
  const std::string allowed_anywhere;
  ConnectionLimits limits;
  std::vector<AddressRange> trusted_proxies;
  std::unique_ptr<ReloadingTlsContext> tls;
};

// State of one loop, on its thread only.
struct LoopContext {
  explicit LoopContext(Engine& the_engine)
      : engine(the_engine),
        date(the_engine.options.server_name, the_engine.options.strict_transport),
        routes(the_engine.router) {}

  std::string_view AnswerFields(bool secure) { return date.Fields(CoarseSeconds(), secure); }

  Engine& engine;
  DateCache date;
  RequestIdSource request_ids;
  ParsedFieldsIndex parsed_fields;
  RouteCache routes;
};

}  // namespace koya::http
