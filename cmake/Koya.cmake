# Two functions describe every target: koya_library(folder) and koya_test(folder).

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
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
if(KOYA_FUZZ)
  target_compile_options(koya_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# koya_library(NAME SOURCES a.cc … [LINK lib …] [PRIVATE_LINK lib …])
# makes the static library koya_NAME out of one folder of src/.
function(koya_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(koya_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(koya_${name} PUBLIC koya_flags ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  target_compile_options(koya_${name} PRIVATE -Wglobal-constructors)
endfunction()

# koya_test(NAME SOURCES a_test.cc … LINK lib … [LABELS l …] [TIMEOUT s])
# makes the GoogleTest program NAME_test and registers it with ctest (label: unit).
function(koya_test name)
  if(NOT KOYA_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE koya_flags ${ARG_LINK} GTest::gtest GTest::gtest_main)
  add_test(NAME ${name}_test COMMAND ${name}_test)
  set_tests_properties(${name}_test PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()
