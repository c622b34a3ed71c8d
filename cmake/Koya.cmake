# Three functions describe every target: koya_library(folder), koya_suite(folder) and
# koya_test(folder).

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_FLAGS_SANITIZE "-O0 -g1 -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_SANITIZE "-O0 -g1 -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
set(CMAKE_CXX_FLAGS_SINGLE "-O0")
set(CMAKE_CXX_FLAGS_START "-O0")

# One cache serves every preset and every checkout: neither the build folder nor the checkout's
# place is part of what is compared.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

add_library(koya_flags INTERFACE)
target_include_directories(koya_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(koya_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wimplicit-fallthrough
  -Wno-missing-designated-field-initializers  # options structs have defaults
  -Werror)
target_compile_definitions(koya_flags INTERFACE
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_ARRAY FMT_HEADER_ONLY=0)
target_link_libraries(koya_flags INTERFACE fmt::fmt Threads::Threads)
target_link_options(koya_flags INTERFACE -fuse-ld=lld)
if(KOYA_SANITIZE)
  target_compile_options(koya_flags INTERFACE -fsanitize=${KOYA_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(koya_flags INTERFACE -fsanitize=${KOYA_SANITIZE})
endif()
if(KOYA_COVERAGE)
  target_compile_options(koya_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# koya_precompile(NAME OPTION…) makes NAME.pch of the system headers in precompiled.h, for what is
# compiled with these options besides those of the build type and koya_flags.
add_custom_target(koya_precompiled)
function(koya_precompile name)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(flags UNIX_COMMAND
                     "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} -std=c++2b -fPIC")
  set(output ${CMAKE_BINARY_DIR}/${name}.pch)
  set(definitions $<TARGET_PROPERTY:koya_flags,INTERFACE_COMPILE_DEFINITIONS>)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_SOURCE_DIR}/cmake/precompile ${output} ${CMAKE_SOURCE_DIR}/cmake/precompiled.h
            ${CMAKE_CXX_COMPILER} ${flags}
            "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>" -DFMT_SHARED
            "$<TARGET_PROPERTY:koya_flags,INTERFACE_COMPILE_OPTIONS>" ${ARGN}
    DEPENDS ${CMAKE_SOURCE_DIR}/cmake/precompiled.h ${CMAKE_SOURCE_DIR}/cmake/precompile
    DEPFILE ${output}.d
    COMMENT "Precompiling system headers: ${name}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(koya_${name} DEPENDS ${output})
  add_dependencies(koya_precompiled koya_${name})
endfunction()

# The optimiser is two thirds of the compiler's time. Release uses it only where a server spends
# its time; koya_cold are the options of the rest.
set(koya_cold)
if(CMAKE_BUILD_TYPE STREQUAL Release)
  set(koya_cold -O0)
endif()
koya_precompile(precompiled_hot)
koya_precompile(precompiled_cold ${koya_cold})
# GTEST_HAS_PTHREAD is what GTest::gtest defines.
koya_precompile(precompiled_test ${koya_cold} -DKOYA_PRECOMPILE_TESTS -DGTEST_HAS_PTHREAD=1)

# koya_use_precompiled(TARGET NAME SOURCES…): TARGET's sources begin with NAME.pch.
function(koya_use_precompiled target name)
  add_dependencies(${target} koya_${name})
  target_compile_options(${target} PRIVATE "SHELL:-include-pch ${CMAKE_BINARY_DIR}/${name}.pch")
  set_source_files_properties(${ARGN} PROPERTIES OBJECT_DEPENDS ${CMAKE_BINARY_DIR}/${name}.pch)
endfunction()

# koya_joined(OUT TARGET a.cc …) sets OUT to what is compiled for these files of one folder: with
# KOYA_JOIN a few files that include up to 16 of them each, else the files themselves. Headers are
# half of the compiler's work, and are read once a joined file. Generated files, and those with
# compile options of their own, stay alone. (CMake's UNITY_BUILD writes absolute paths into its
# files, so that no compiler cache serves two checkouts.)
set(KOYA_JOINED_FILES 16)
function(koya_joined out target)
  set(${out} ${ARGN} PARENT_SCOPE)
  if(NOT KOYA_JOIN)
    return()
  endif()
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  set(alone)
  set(together)
  foreach(source IN LISTS ARGN)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(IS_ABSOLUTE ${source} OR options)
      list(APPEND alone ${source})
    else()
      list(APPEND together "#include \"${folder}/${source}\"\n")
    endif()
  endforeach()
  set(joined)
  list(LENGTH together left)
  while(left GREATER 0)
    list(LENGTH joined number)
    list(SUBLIST together 0 ${KOYA_JOINED_FILES} batch)
    list(JOIN batch "" text)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_joined_${number}.cc)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
    list(APPEND joined ${file})
    if(left GREATER KOYA_JOINED_FILES)
      list(SUBLIST together ${KOYA_JOINED_FILES} -1 together)
      math(EXPR left "${left} - ${KOYA_JOINED_FILES}")
    else()
      set(left 0)
    endif()
  endwhile()
  set(${out} ${joined} ${alone} PARENT_SCOPE)
endfunction()

# koya_library(NAME [COLD] SOURCES a.cc … [LINK lib …] [PRIVATE_LINK lib …])
# makes the static library koya_NAME out of one folder of src/. COLD: code that runs once, as a
# command does or a server's start.
function(koya_library name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  koya_joined(sources ${name} ${ARG_SOURCES})
  add_library(koya_${name} STATIC ${sources})
  target_link_libraries(koya_${name} PUBLIC koya_flags ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  target_compile_options(koya_${name} PRIVATE -Wglobal-constructors)
  if(ARG_COLD)
    target_compile_options(koya_${name} PRIVATE ${koya_cold})
    koya_use_precompiled(koya_${name} precompiled_cold ${sources})
  else()
    koya_use_precompiled(koya_${name} precompiled_hot ${sources})
  endif()
endfunction()

# koya_suite(NAME SOURCES a_suite.cc … LINK lib …)
# compiles suites once for all test programs that link koya_NAME_suite, each of which says what they
# run on. Objects: a program would take nothing of a library, since it names nothing that is in it.
function(koya_suite name)
  if(NOT KOYA_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  koya_joined(sources ${name}_suite ${ARG_SOURCES})
  add_library(koya_${name}_suite OBJECT ${sources})
  target_link_libraries(koya_${name}_suite PUBLIC koya_flags ${ARG_LINK} GTest::gtest)
  target_compile_options(koya_${name}_suite PRIVATE ${koya_cold})
  koya_use_precompiled(koya_${name}_suite precompiled_test ${sources})
endfunction()

# koya_test(NAME [SLOW] SOURCES a_test.cc … LINK lib … [LABELS l …] [TIMEOUT s])
# makes the GoogleTest program NAME_test and registers it with ctest (label: unit).
function(koya_test name)
  if(NOT KOYA_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "SLOW" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 1500)
  endif()
  if(KOYA_SANITIZE)
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 2")
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  koya_joined(sources ${name}_test ${ARG_SOURCES})
  add_executable(${name}_test ${sources})
  target_link_libraries(${name}_test PRIVATE koya_flags ${ARG_LINK} GTest::gtest GTest::gtest_main)
  # -fPIC as libraries have, for one precompiled header.
  target_compile_options(${name}_test PRIVATE -fPIC ${koya_cold})
  koya_use_precompiled(${name}_test precompiled_test ${sources})
  add_test(NAME ${name}_test COMMAND ${name}_test)
  # ctest has four slots for each processor (Makefile); slow tests start first, so that none of them
  # is left to run alone at the end.
  set(cost ${ARG_TIMEOUT})
  if(ARG_SLOW)
    math(EXPR cost "${cost} * 4")
  endif()
  set_tests_properties(${name}_test PROPERTIES
    LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} COST ${cost} PROCESSORS 3)
endfunction()

# koya_without_threads(NAME_test FILTER…)
# leaves tests out under ThreadSanitizer: thousands of rows or requests one after another show nothing
# about threads that the program's other tests do not show. AddressSanitizer runs them.
function(koya_without_threads test)
  if(KOYA_TESTS AND KOYA_SANITIZE STREQUAL "thread")
    list(JOIN ARGN ":" filter)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "GTEST_FILTER=-${filter}")
  endif()
endfunction()
