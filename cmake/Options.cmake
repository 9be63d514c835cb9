# Language level, warnings, sanitizers, compiler cache.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

option(PGFIREDRILL_WERROR "Treat warnings as errors" OFF)
option(PGFIREDRILL_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(PGFIREDRILL_BENCH "Build the programs that bench/run starts" OFF)

option(PGFIREDRILL_SANITIZE_THREADS "Build with ThreadSanitizer" OFF)
option(PGFIREDRILL_FUZZ "Build the fuzz targets, with AddressSanitizer; needs clang" OFF)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast)
# Designated initializers leave out what keeps its default: that is what they are for. GCC 12 sees overlaps in inlined
# std::string code that has none.
add_compile_options(-Wno-missing-field-initializers -Wno-restrict)
if(PGFIREDRILL_WERROR)
  add_compile_options(-Werror)
endif()

if(PGFIREDRILL_SANITIZE)
  add_compile_options(-O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
endif()

if(PGFIREDRILL_SANITIZE_THREADS)
  # Asio's fences are none that the sanitizer understands.
  add_compile_options(-O1 -fno-omit-frame-pointer -fsanitize=thread -Wno-tsan -DBOOST_ASIO_DISABLE_FENCED_BLOCK)
  add_link_options(-fsanitize=thread)
endif()
if(PGFIREDRILL_FUZZ)
  add_compile_options(-O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined)
  add_link_options(-fsanitize=address,undefined)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The tests use a precompiled header; ccache takes those only when told that this is meant.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()
