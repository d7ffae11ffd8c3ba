# Installed, a project finds it: find_package(locant), then link locant::locant or
# locant::lab; or pkg-config.
include(CMakePackageConfigHelpers)
set(INSTALLED locant_shared locant_static)
set(HEADERS core.h angles.h encoding.h rotate.h frequencies.h resize.h
    attention.h positions.h multimodal.h ragged.h cache.h)
set_target_properties(locant_shared PROPERTIES EXPORT_NAME locant)
set_target_properties(locant_static PROPERTIES EXPORT_NAME locant_static)
if(LOCANT_LAB)
  list(APPEND HEADERS files.h graph.h group.h lab.h evaluate.h figure.h identify.h
       model_check.h model_convert.h model_plan.h model_run.h models.h probe.h report.h
       statistics.h study.h tasks.h vectors.h)
  list(APPEND INSTALLED locant_lab_shared locant_lab_static locant)
  set_target_properties(locant_lab_shared PROPERTIES EXPORT_NAME lab)
  set_target_properties(locant_lab_static PROPERTIES EXPORT_NAME lab_static)
  set_target_properties(locant PROPERTIES EXPORT_NAME locant_command)
endif()
if(TARGET locant_mpi_shared)
  list(APPEND HEADERS mpi.h)
  list(APPEND INSTALLED locant_mpi_shared)
  set_target_properties(locant_mpi_shared PROPERTIES EXPORT_NAME mpi)
endif()
install(TARGETS ${INSTALLED} EXPORT locant)
install(FILES include/locant.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(header ${HEADERS})
  install(FILES include/locant/${header}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/locant)
endforeach()
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The manual page is what the command says of itself, where it can be run.
if(LOCANT_LAB AND NOT CMAKE_CROSSCOMPILING)
  add_custom_command(OUTPUT locant.1
    COMMAND ${PROJECT_SOURCE_DIR}/cmake/manual.sh $<TARGET_FILE:locant> locant.1
    DEPENDS locant ${PROJECT_SOURCE_DIR}/cmake/manual.sh VERBATIM)
  add_custom_target(manual ALL DEPENDS locant.1)
  install(FILES ${PROJECT_BINARY_DIR}/locant.1
          DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
set(PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/locant)
install(EXPORT locant NAMESPACE locant:: FILE locant-targets.cmake
        DESTINATION ${PACKAGE_FOLDER})
configure_package_config_file(cmake/locant-config.cmake.in
  locant-config.cmake INSTALL_DESTINATION ${PACKAGE_FOLDER})
write_basic_package_version_file(locant-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/locant-config.cmake
  ${PROJECT_BINARY_DIR}/locant-config-version.cmake DESTINATION ${PACKAGE_FOLDER})
# The .pc files follow their prefix where it is given anew.
foreach(folder LIBDIR INCLUDEDIR)
  set(PC_${folder} ${CMAKE_INSTALL_${folder}})
  if(NOT IS_ABSOLUTE "${PC_${folder}}")
    string(PREPEND PC_${folder} "\${prefix}/")
  endif()
endforeach()
foreach(name locant locant_lab)
  if(LOCANT_LAB OR name STREQUAL "locant")
    configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endif()
endforeach()
