# Makes embedded_migrations.cc out of migrations/NNNN_name.sql: one raw string each, in order.
file(GLOB koya_migration_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/migrations/*.sql)
list(SORT koya_migration_files)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${koya_migration_files})

set(KOYA_MIGRATIONS "")
foreach(path IN LISTS koya_migration_files)
  get_filename_component(name ${path} NAME_WE)
  string(REGEX MATCH "^[0-9][0-9][0-9][0-9]" number ${name})
  if(NOT number)
    message(FATAL_ERROR "${path}: name it NNNN_what_it_does.sql")
  endif()
  math(EXPR number "1${number} - 10000")
  # Read with its brackets and semicolons intact; a list would lose them.
  file(READ ${path} text)
  # "-- kind: expand, floor: 1" (catalog/sql/engine/migrations.h).
  if(NOT text MATCHES "(^|\n)-- kind: (expand|contract), floor: ([0-9]+)\n")
    message(FATAL_ERROR "${path}: say \"-- kind: expand, floor: N\" or \"-- kind: contract, floor: N\"")
  endif()
  set(kind ${CMAKE_MATCH_2})
  set(floor ${CMAKE_MATCH_3})
  set(kind_expand "MigrationKind::kExpand")
  set(kind_contract "MigrationKind::kContract")
  string(APPEND KOYA_MIGRATIONS
         "    {${number}, \"${name}\", R\"~sql~(${text})~sql~\", ${kind_${kind}}, ${floor}},\n")
endforeach()
configure_file(embedded_migrations.cc.in embedded_migrations.cc @ONLY)
