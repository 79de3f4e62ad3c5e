#include "warpath/world/constraints.h"

#include <cmath>
#include <string>

#include "warpath/core/directions.h"
#include "warpath/core/number_text.h"

namespace warpath {
namespace {

constexpr float kMaxWeight = 20.0f;
constexpr float kMaxWallWeight = 16.0f;
constexpr float kMaxWallDistance = 8.0f;
constexpr float kMaxRadius = 8.0f;

/// Collects the first value outside its limits while the fields are read one after another.
class LimitCheck {
public:
    float number(const char* field, float value, float low, float high) {
        if (!error && !(value >= low && value <= high)) {  // also true for NaN
            error = Error{field, numberText(value), "use a number from " + numberText(low) + " to " + numberText(high)};
        }
        return error ? low : value;
    }

    std::uint16_t hundredths(const char* field, float value, float high) {
        return static_cast<std::uint16_t>(std::floor(number(field, value, 0.0f, high) * 100.0f + 0.5f));
    }

    std::optional<Error> error;
};

/// tan by the Taylor series of sine and cosine: libm's tan differs between machines, + - * / do not.
double tangentOfDegrees(double degrees) {
    const double x = degrees * 3.14159265358979323846 / 180.0;
    const double x2 = x * x;
    double sine = 0.0, cosine = 0.0, term = 1.0;
    for (int k = 0; k < 12; ++k) {
        cosine += term;
        sine += term * x / (2 * k + 1);
        term *= -x2 / ((2 * k + 1) * (2 * k + 2));
    }
    return sine / cosine;
}

/// Largest height difference of a step at this slope [cm], rounded to the nearest so that "45 degrees" admits exactly 1 m per metre.
void slopeLimits(float degrees, std::int32_t (&limits)[2]) {
    if (degrees >= 89.99f) {
        limits[0] = limits[1] = MobilityProfile::kNoLimit;
        return;
    }
    const double rise = tangentOfDegrees(static_cast<double>(degrees)) * 100.0;
    limits[0] = static_cast<std::int32_t>(std::floor(rise + 0.5));
    limits[1] = static_cast<std::int32_t>(std::floor(rise * kSqrt2 + 0.5));
}

}  // namespace

const char* toString(Doctrine doctrine) {
    switch (doctrine) {
        case Doctrine::Aggressive: return "aggressive";
        case Doctrine::Balanced: return "balanced";
        case Doctrine::Cautious: return "cautious";
        case Doctrine::Stealth: return "stealth";
    }
    return "unknown";
}

const char* toString(DiagonalRule rule) {
    switch (rule) {
        case DiagonalRule::Strict: return "strict";
        case DiagonalRule::Never: return "never";
        case DiagonalRule::One: return "one";
        case DiagonalRule::Always: return "always";
    }
    return "unknown";
}

DoctrineWeights doctrineWeights(Doctrine doctrine) {
    DoctrineWeights weights{.threat = 1.0f, .cover = 0.5f, .elevation = 0.3f, .terrain = 1.0f, .exposure = 0.8f,
                            .prefer_roads = false, .avoid_roads = false};
    switch (doctrine) {
        case Doctrine::Balanced: break;
        case Doctrine::Aggressive:
            weights.threat = 0.2f;
            weights.prefer_roads = true;
            break;
        case Doctrine::Cautious:
            weights.threat = 5.0f;
            weights.cover = 3.0f;
            break;
        case Doctrine::Stealth:
            weights.threat = 10.0f;
            weights.exposure = 5.0f;
            weights.avoid_roads = true;
            break;
    }
    return weights;
}

PathConstraints plainDistance() {
    PathConstraints plain;
    plain.threat_weight = 0.0f;
    plain.cover_weight = 0.0f;
    plain.elevation_weight = 0.0f;
    plain.exposure_weight = 0.0f;
    return plain;
}

std::variant<ResolvedConstraints, Error> resolve(const PathConstraints& c, const WorldRules& rules) {
    LimitCheck check;
    if (static_cast<std::uint8_t>(c.doctrine) > static_cast<std::uint8_t>(Doctrine::Stealth)) {
        return Error{"doctrine", std::to_string(static_cast<int>(c.doctrine)), "use aggressive, balanced, cautious or stealth"};
    }
    if (static_cast<std::uint8_t>(c.diagonal) > static_cast<std::uint8_t>(DiagonalRule::Always)) {
        return Error{"diagonal", std::to_string(static_cast<int>(c.diagonal)), "use strict, never, one or always"};
    }
    if (static_cast<std::size_t>(c.unit_type) >= rules.unit_classes.size()) {
        return Error{"unit_type", std::to_string(static_cast<int>(c.unit_type)),
                     "use a class of the world's rules (0 to " + std::to_string(rules.unit_classes.size() - 1) + ")"};
    }
    const DoctrineWeights preset = doctrineWeights(c.doctrine);
    ResolvedConstraints out;
    out.doctrine = c.doctrine;
    out.threat_weight = check.hundredths("threat_weight", c.threat_weight.value_or(preset.threat), kMaxWeight);

    Metric& metric = out.metric;
    metric.terrain_weight = check.hundredths("terrain_weight", c.terrain_weight.value_or(preset.terrain), kMaxWeight);
    metric.exposure_weight = check.hundredths("exposure_weight", c.exposure_weight.value_or(preset.exposure), kMaxWeight);
    metric.cover_weight = check.hundredths("cover_weight", c.cover_weight.value_or(preset.cover), kMaxWeight);
    metric.elevation_weight = check.hundredths("elevation_weight", c.elevation_weight.value_or(preset.elevation), kMaxWeight);
    metric.wall_weight = check.hundredths("wall_weight", c.wall_weight, kMaxWallWeight);
    metric.wall_distance = static_cast<std::uint8_t>(std::floor(check.number("wall_distance", c.wall_distance, 0.0f, kMaxWallDistance)));
    if (metric.wall_weight == 0 || metric.wall_distance == 0) metric.wall_weight = metric.wall_distance = 0;
    metric.roads = static_cast<RoadMode>((c.prefer_roads.value_or(preset.prefer_roads) ? 1 : 0) |
                                         (c.avoid_roads.value_or(preset.avoid_roads) ? 2 : 0));

    MobilityProfile& profile = metric.profile;
    profile.unit_type = c.unit_type;
    profile.avoid_water = c.avoid_water;
    profile.diagonal = c.diagonal;
    profile.size = static_cast<std::uint8_t>(std::ceil(check.number("unit_radius", c.unit_radius, 0.01f, kMaxRadius) * 2.0f));
    const float slope = check.number("max_slope", c.max_slope, 0.0f, 90.0f);
    slopeLimits(slope, profile.max_rise);
    slopeLimits(check.number("max_slope_down", c.max_slope_down.value_or(slope), 0.0f, 90.0f), profile.max_drop);

    const float class_speed = rules.unit_classes[static_cast<std::size_t>(c.unit_type)].speed;
    out.speed = check.number("unit_speed", c.unit_speed.value_or(class_speed), 0.001f, 1000.0f);
    if (check.error) return *check.error;
    return out;
}

}  // namespace warpath
