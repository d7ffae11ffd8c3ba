# The libraries beside the Python package, each under one plain name, since wheels
# have no links.
set(WHEEL locant_shared)
if(LOCANT_LAB)
  list(APPEND WHEEL locant_lab_shared)
endif()
foreach(target ${WHEEL})
  set_property(TARGET ${target} PROPERTY VERSION)
  set_property(TARGET ${target} PROPERTY SOVERSION)
endforeach()
add_custom_target(locant_python DEPENDS ${WHEEL})
install(TARGETS ${WHEEL} LIBRARY DESTINATION locant COMPONENT python)
