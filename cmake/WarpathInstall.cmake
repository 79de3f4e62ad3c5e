# Install and export. One CMake component and one export set per part, so that a package may hold the core alone:
#     find_package(warpath 0.1 REQUIRED)                          everything that is installed
#     find_package(warpath 0.1 REQUIRED COMPONENTS warpath io)    these parts, or a clear refusal
include(CMakePackageConfigHelpers)
set(warpath_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/warpath)

# Layers whose headers each part carries. The interfaces of host_api come with the core, since they need nothing else.
set(warpath_headers_warpath core world grid search flow tactical pathfinder service host_api)
set(warpath_headers_io io)
set(warpath_headers_host host)
set(warpath_headers_module module)
set(warpath_headers_navmesh navmesh nav_backend)

get_property(warpath_install_targets GLOBAL PROPERTY WARPATH_INSTALL_TARGETS)
foreach(target IN LISTS warpath_install_targets)
    get_target_property(part ${target} EXPORT_NAME)
    if(part STREQUAL "navmesh")
        get_target_property(warpath_recast_imported RecastNavigation::Detour IMPORTED)
        if(NOT warpath_recast_imported)
            message(STATUS "warpath: navmesh is not installed, because its Recast was fetched for this build only")
            continue()
        endif()
        install(FILES ${PROJECT_SOURCE_DIR}/third_party/FindRecastNavigation.cmake DESTINATION ${warpath_package_dir} COMPONENT navmesh)
    endif()
    install(TARGETS ${target} EXPORT warpath-${part} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${part})
    install(EXPORT warpath-${part} NAMESPACE warpath:: FILE warpathTargets-${part}.cmake DESTINATION ${warpath_package_dir} COMPONENT ${part})
    foreach(layer IN LISTS warpath_headers_${part})
        if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/include/warpath/${layer})
            install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/warpath/${layer} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpath
                COMPONENT ${part} FILES_MATCHING PATTERN "*.h")
        endif()
    endforeach()
endforeach()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/warpathConfig.cmake.in ${PROJECT_BINARY_DIR}/warpathConfig.cmake
    INSTALL_DESTINATION ${warpath_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warpathConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/warpathConfig.cmake ${PROJECT_BINARY_DIR}/warpathConfigVersion.cmake
    DESTINATION ${warpath_package_dir} COMPONENT warpath)
if(TARGET warpath_tool)
    install(TARGETS warpath_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
endif()
if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/config)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/config/ DESTINATION ${CMAKE_INSTALL_DATADIR}/warpath COMPONENT module FILES_MATCHING PATTERN "*.json")
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT warpath)
