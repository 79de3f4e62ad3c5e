#include "warpath/grid/path.h"

namespace warpath {

const char* toString(PathAlgorithm algorithm) {
    switch (algorithm) {
        case PathAlgorithm::Auto: return "auto";
        case PathAlgorithm::AStar: return "astar";
        case PathAlgorithm::Jps: return "jps";
        case PathAlgorithm::Hierarchical: return "hpa";
        case PathAlgorithm::FlowField: return "flow_field";
        case PathAlgorithm::NavMesh: return "navmesh";
    }
    return "unknown";
}

const char* toString(MovementStyle style) {
    switch (style) {
        case MovementStyle::Direct: return "direct";
        case MovementStyle::CoverToCover: return "cover_to_cover";
        case MovementStyle::Stealth: return "stealth";
        case MovementStyle::Aggressive: return "aggressive";
    }
    return "unknown";
}

const char* toString(MovementSpeed speed) {
    switch (speed) {
        case MovementSpeed::Sprint: return "sprint";
        case MovementSpeed::Run: return "run";
        case MovementSpeed::Walk: return "walk";
        case MovementSpeed::Crouch: return "crouch";
    }
    return "unknown";
}

const char* toString(Approach approach) {
    switch (approach) {
        case Approach::Front: return "front";
        case Approach::Left: return "left";
        case Approach::Right: return "right";
        case Approach::Rear: return "rear";
    }
    return "unknown";
}

const char* toString(LegKind leg) {
    switch (leg) {
        case LegKind::Grid: return "grid";
        case LegKind::Mesh: return "navmesh";
        case LegKind::Straight: return "straight";
    }
    return "unknown";
}

void Path::reset() {
    status = PathStatus::Unreachable;
    error.field.clear();
    error.value.clear();
    error.remedy.clear();
    waypoints.clear();
    cells.clear();
    length = mesh_length = travel_time = exposed_length = 0.0;
    cost = 0;
    breakdown = {};
    threat_level = cover_percentage = 0.0f;
    crosses_open_terrain = has_chokepoints = false;
    chokepoints.clear();
    cover_points.clear();
    movement_style = MovementStyle::Direct;
    algorithm = PathAlgorithm::AStar;
    weight = 1.0f;
    remaining_distance = 0.0f;
    expansions = 0;
    computation_time_ms = 0.0;
    revision = 0;
    interim = false;
    is_valid = false;
    last_validation_frame = 0;
    overlap = score = 0.0f;
    stretch = 1.0f;
    approach = Approach::Front;
}

}  // namespace warpath
