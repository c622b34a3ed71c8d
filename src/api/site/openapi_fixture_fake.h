// What the tests of the document of the API share: the document, as a server answers it.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "api/common/api_fixture_fake.h"

namespace koya::api {

class OpenApiFixture : public ::testing::Test {
 protected:
  OpenApiFixture() {
    admin_ = api_.Token(Scope::kAdmin);
    document_ = boost::json::parse(api_.Get("/api/openapi.json").body);
  }

  const boost::json::object& paths() const { return document_.at("paths").get_object(); }

  // Of the operation that a route's pattern and method name.
  const boost::json::object& OperationAt(std::string_view method, std::string_view pattern) const {
    return paths().at(pattern).at(method).get_object();
  }

  // Calls `visit` with the path, the method and the operation of each.
  template <class PageContext>
  void ForEachOperation(const PageContext& visit) const {
    for (const auto& [path, methods] : paths()) {
      for (const auto& [method, operation] : methods.get_object()) {
        visit(std::string(path), std::string(method), operation.get_object());
      }
    }
  }

  ApiFixture api_;
  std::string admin_;
  boost::json::value document_;
};

}  // namespace koya::api
