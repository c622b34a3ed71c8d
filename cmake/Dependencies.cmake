# Every product dependency is a Debian 12 package (tools/packages.txt names them).
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(OpenSSL 3 REQUIRED)
find_package(CURL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(PostgreSQL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(ICU 72 REQUIRED COMPONENTS uc)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(prometheus-cpp REQUIRED COMPONENTS core)
find_path(MUSTACHE_INCLUDE_DIR kainjow/mustache.hpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(RNP REQUIRED IMPORTED_TARGET librnp)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)

# SOCI 4.0.3 ships no CMake package in Debian: its libraries are located by hand.
find_library(SOCI_CORE soci_core REQUIRED)
find_library(SOCI_SQLITE3 soci_sqlite3 REQUIRED)
find_library(SOCI_POSTGRESQL soci_postgresql REQUIRED)
find_path(SOCI_INCLUDE_DIR soci/soci.h REQUIRED)
add_library(koya_soci INTERFACE)
# soci-postgresql.h includes <libpq-fe.h>, which Debian keeps in a folder of its own.
target_include_directories(koya_soci SYSTEM INTERFACE ${SOCI_INCLUDE_DIR} ${PostgreSQL_INCLUDE_DIRS})
target_link_libraries(koya_soci INTERFACE ${SOCI_CORE} ${SOCI_SQLITE3} ${SOCI_POSTGRESQL}
                      SQLite::SQLite3 PostgreSQL::PostgreSQL)

if(KOYA_TESTS)
  find_package(GTest REQUIRED)
  find_package(LibArchive REQUIRED)
  pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
endif()
