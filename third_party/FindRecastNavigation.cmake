# Finds Recast and Detour and makes RecastNavigation::Recast, ::Detour, ::DetourCrowd and ::DetourTileCache, each with its headers
# includable flat ("Recast.h", "DetourNavMesh.h").
#
# Looks for the config package of the project first (1.6 and later), then for plain headers and libraries as Debian's librecast-dev
# ships them: headers flat in recastnavigation/, shared libraries, neither CMake config nor pkg-config file. Sets RecastNavigation_FOUND.
if(NOT TARGET RecastNavigation::Detour)
    find_package(recastnavigation CONFIG QUIET)
endif()

find_path(RecastNavigation_INCLUDE_DIR NAMES DetourNavMesh.h PATH_SUFFIXES recastnavigation)
mark_as_advanced(RecastNavigation_INCLUDE_DIR)
foreach(part Recast Detour DetourCrowd DetourTileCache)
    if(TARGET RecastNavigation::${part})
        # A config package whose headers sit in recastnavigation/ but whose targets name only the folder above.
        get_target_property(imported RecastNavigation::${part} IMPORTED)
        if(imported AND RecastNavigation_INCLUDE_DIR)
            set_property(TARGET RecastNavigation::${part} APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES ${RecastNavigation_INCLUDE_DIR})
        endif()
    else()
        find_library(RecastNavigation_${part}_LIBRARY NAMES ${part})
        mark_as_advanced(RecastNavigation_${part}_LIBRARY)
        if(RecastNavigation_INCLUDE_DIR AND RecastNavigation_${part}_LIBRARY)
            add_library(RecastNavigation::${part} UNKNOWN IMPORTED)
            set_target_properties(RecastNavigation::${part} PROPERTIES
                IMPORTED_LOCATION ${RecastNavigation_${part}_LIBRARY}
                INTERFACE_INCLUDE_DIRECTORIES ${RecastNavigation_INCLUDE_DIR})
            if(part MATCHES "^Detour." AND TARGET RecastNavigation::Detour)
                set_property(TARGET RecastNavigation::${part} PROPERTY INTERFACE_LINK_LIBRARIES RecastNavigation::Detour)
            endif()
        endif()
    endif()
endforeach()

set(RecastNavigation_FOUND FALSE)
if(TARGET RecastNavigation::Recast AND TARGET RecastNavigation::Detour)
    set(RecastNavigation_FOUND TRUE)
elseif(RecastNavigation_FIND_REQUIRED)
    message(FATAL_ERROR "Recast and Detour not found. On Debian: apt-get install librecast-dev")
endif()
