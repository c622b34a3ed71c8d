# Compiles for arm64 on any machine: the libraries are Debian's arm64 packages, which `make
# dist ARCH=arm64` unpacks to build/root-arm64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
cmake_path(SET CMAKE_SYSROOT NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/root-arm64)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# As flags, since precompiled headers are made by a command of our own.
foreach(language IN ITEMS C CXX)
  set(CMAKE_${language}_FLAGS_INIT "--target=aarch64-linux-gnu --sysroot=${CMAKE_SYSROOT}")
endforeach()
set(CMAKE_EXE_LINKER_FLAGS_INIT -fuse-ld=lld)
foreach(kind IN ITEMS LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
