# Everything comes from Debian packages; tools/packages lists them.

# Debian 12's default Boost is 1.74 and has neither Process v2 nor boost::system::result of the form used here; 1.81
# stands beside it and is found by its own include directory only.
find_package(Boost 1.81 REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBPQ REQUIRED IMPORTED_TARGET libpq)
pkg_check_modules(LIBPQXX REQUIRED IMPORTED_TARGET libpqxx)
# cpp-httplib aborts at run time where a program is built without the macros that its library was built with: they come
# from its pkg-config file.
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
