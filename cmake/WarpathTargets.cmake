# Flags that every target of the project shares, and the one way in which a target is made.
find_program(WARPATH_CCACHE ccache)
if(WARPATH_CCACHE AND warpath_top_level)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${WARPATH_CCACHE})
endif()
if(warpath_top_level)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()

add_library(warpath_flags INTERFACE)
target_compile_features(warpath_flags INTERFACE cxx_std_20)
target_compile_options(warpath_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # gcc 12 sees overlapping copies in `"text" + std::string` where there are none (GCC bug 105651).
    target_compile_options(warpath_flags INTERFACE -Wno-restrict)
endif()
# Equal answers on every compiler and machine: no contraction, no fast-math (see docs/architecture.md, "Determinism").
target_compile_options(warpath_flags INTERFACE -ffp-contract=off)
if(WARPATH_WERROR)
    target_compile_options(warpath_flags INTERFACE -Werror)
endif()
if(WARPATH_SANITIZE)
    target_compile_options(warpath_flags INTERFACE -fsanitize=${WARPATH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(warpath_flags INTERFACE -fsanitize=${WARPATH_SANITIZE})
endif()

# warpath_library(NAME SOURCES... ): a static library with the alias warpath::NAME, headers in include/, private headers in src/.
# The library `warpath` itself is exported as warpath::warpath, the others as warpath::NAME.
function(warpath_library name)
    if(name STREQUAL "warpath")
        set(target warpath)
    else()
        set(target warpath_${name})
    endif()
    add_library(${target} STATIC ${ARGN})
    add_library(warpath::${name} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${target}
        PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
        PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_features(${target} PUBLIC cxx_std_20)
    # Headers hold inline float code, so their users must not contract either.
    target_compile_options(${target} PUBLIC -ffp-contract=off)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:warpath_flags>)
    set_property(GLOBAL APPEND PROPERTY WARPATH_INSTALL_TARGETS ${target})
endfunction()
