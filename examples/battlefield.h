// What the tactical examples share: a world with enemies whose threat is published, checks, and files for the pictures of docs/tactics.md.
//
//   Battlefield field(200, 120);
//   field.world().edit(...);
//   field.addEnemy({100.5f, 20.5f}, 90.0f, 1.0f);
//   field.publishThreat();                                   // side 0 faces it
#pragma once

#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "warpath/grid/path.h"
#include "warpath/io/world_json.h"
#include "warpath/tactical/threat_map.h"
#include "warpath/world/world.h"

namespace example {

inline constexpr int kOurSide = 0;

class Battlefield {
public:
    Battlefield(int width, int height) : world_({.width = width, .height = height}) {}

    [[nodiscard]] warpath::World& world() { return world_; }
    [[nodiscard]] warpath::WorldSnapshot snapshot() const { return world_.snapshot(); }

    void addEnemy(warpath::Position at, float range, float firepower) {
        threats_[kOurSide].push_back({.id = static_cast<std::uint32_t>(threats_[kOurSide].size() + 1), .position = at, .range = range, .firepower = firepower});
    }
    void publishThreat() {
        warpath::ThreatMap map(world_.snapshot(), kOurSide, {});
        if (map.update(threats_[kOurSide])) std::abort();
        map.finish();
        world_.edit([&](warpath::WorldEdit& e) { map.publish(e); });
    }
    [[nodiscard]] const warpath::ThreatsBySide& threats() const { return threats_; }

private:
    warpath::World world_;
    warpath::ThreatsBySide threats_;
};

/// Threat taken in along a route: mean threat times metres.
inline double threatTaken(const warpath::Path& path) { return static_cast<double>(path.threat_level) * path.length; }

/// Fails the example, which runs as a test, when something is not as docs/tactics.md says.
inline void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "NOT SO: %s\n", what);
    std::exit(1);
}

/// What a picture shows besides the map: numbered routes, and faint trails.
class Drawing {
public:
    void route(const warpath::Path& path, const std::string& caption) {
        std::vector<warpath::Position> points;
        for (const warpath::Waypoint& waypoint : path.waypoints) points.push_back(waypoint.position);
        add(routes_, points, caption);
    }
    void trail(const std::vector<warpath::Position>& points) { add(trails_, points, ""); }

    /// With `--save DIR` among the arguments: writes DIR/NAME.map.json and DIR/NAME.routes.json for scripts/tactics_pictures.
    void save(int argc, char** argv, const char* name, const Battlefield& field) const {
        if (argc < 3 || std::string(argv[1]) != "--save") return;
        const std::string base = std::string(argv[2]) + "/" + name;
        if (warpath::saveWorldJson(base + ".map.json", field.snapshot(), field.threats())) std::abort();
        std::FILE* file = std::fopen((base + ".routes.json").c_str(), "w");
        if (file == nullptr) std::abort();
        std::fprintf(file, "{\"routes\":[%s],\n\"trails\":[%s]}\n", routes_.c_str(), trails_.c_str());
        std::fclose(file);
    }

private:
    static void add(std::string& list, const std::vector<warpath::Position>& points, const std::string& caption) {
        if (!list.empty()) list += ",\n";
        list += "{\"caption\":\"" + caption + "\",\"points\":[";
        char text[64];
        for (std::size_t i = 0; i < points.size(); ++i) {
            std::snprintf(text, sizeof text, "%s[%.2f,%.2f]", i == 0 ? "" : ",", static_cast<double>(points[i].x), static_cast<double>(points[i].y));
            list += text;
        }
        list += "]}";
    }
    std::string routes_, trails_;
};

/// "cautious: 120 m, threat taken in 3.1" and the like.
inline std::string caption(const std::string& name, const warpath::Path& path) {
    char text[160];
    std::snprintf(text, sizeof text, "%s: %.0f m, threat %.1f, %.0f %% in cover", name.c_str(), path.length, threatTaken(path),
                  100.0 * static_cast<double>(path.cover_percentage));
    return text;
}

}  // namespace example
