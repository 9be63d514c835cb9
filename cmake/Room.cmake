# pgfiredrill_room(NAME [LIBRARIES lib...] [ROOMS room...])
#
# The library of one room: every .cc file of the folder and its sub-folders. The include root is the checkout, so that
# an #include always shows the room: "base/error.h".

function(pgfiredrill_room name)
  cmake_parse_arguments(ROOM "" "" "LIBRARIES;ROOMS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  add_library(pgfiredrill_${name} STATIC ${sources})
  target_include_directories(pgfiredrill_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(pgfiredrill_${name} PUBLIC Boost::headers PRIVATE ${ROOM_LIBRARIES})
  foreach(room IN LISTS ROOM_ROOMS)
    target_link_libraries(pgfiredrill_${name} PUBLIC pgfiredrill_${room})
  endforeach()
endfunction()
