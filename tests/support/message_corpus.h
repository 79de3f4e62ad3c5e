// Valid messages of every type, and ways to spoil them, for tests and fuzzers of the module.
//
//   Rng rng(seed);
//   const std::string text = spoiled(pick(requestCorpus(), rng), rng);
//   expect one answer as expectationOf(text) says
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/mutate.h"
#include "warpath/core/rng.h"

namespace warpath::test {
namespace message_detail {

using nlohmann::json;

inline const std::string& pick(const std::vector<std::string>& list, Rng& rng) { return list[rng.below(static_cast<std::uint32_t>(list.size()))]; }

inline json rubbish(Rng& rng) {
    static const std::vector<std::string> odd{"null", "true", "-1", "0", "1e308", "-1e308", "1e-300", "18446744073709551615", "-9223372036854775808", "4294967296",
                                              "1.5", "\"\"", "\"nan\"", "\"NaN\"", "\"single_path\"", "\"\\u0000\\ud83d\\ude00\"", "[]", "{}", "[[[[[]]]]]", "[1,2]",
                                              "[1e300,-1e300]", "[1,2,3]", "{\"x\":1}", "{\"x\":1,\"y\":null}", "{\"a\":{\"b\":{\"c\":[1,{\"d\":[]}]}}}", "4000001",
                                              "-4000001", "[31.5,31.5]", "[32,32]", "[0.0,0.0]", "\"7\"", "7"};
    return json::parse(pick(odd, rng));
}

/// A random value inside the tree.
inline json* anywhere(json& tree, Rng& rng) {
    json* at = &tree;
    while (at->is_structured() && !at->empty() && (at == &tree || rng.percent(60))) {
        auto step = at->begin();
        std::advance(step, rng.below(static_cast<std::uint32_t>(at->size())));
        at = &*step;
    }
    return at;
}

inline std::string deepened(const std::string& text, Rng& rng) {
    const std::size_t depth = 1 + rng.below(200);
    return "{\"request_id\":3,\"type\":\"single_path\",\"start\":" + std::string(depth, '[') + text + std::string(depth, ']') + "}";
}

}  // namespace message_detail

/// Messages of pathfinder/requests that are answered without an error on a 32 x 32 world, `cancel` included; flow_sample once the fields are there.
inline const std::vector<std::string>& requestCorpus() {
    static const std::vector<std::string> corpus{
        R"({"type":"single_path","request_id":1,"unit_id":5,"start":[1.5,1.5],"goal":[20.25,12.75]})",
        R"({"type":"single_path","request_id":"a","unit_id":"tank","side":2,"player":1,"group_size":3,"priority":0,"deadline_ticks":0,"preview":false,"start":{"x":1.5,"y":1.5},"goal":{"x":9,"y":9},"constraints":{"doctrine":"cautious","threat_weight":5.5,"unit_type":"tank_light","avoid_water":true},"allow_partial":true,"ignore_self":true,"ignore_goal":true,"max_cost":500.5,"max_expansions":10000,"weight":1.5,"algorithm":"astar","detail":"cells"})",
        R"({"type":"single_path","request_id":-12,"start":[3.5,3.5],"goal":[3.5,3.5],"detail":"corners"})",
        R"({"type":"single_path","request_id":"wall","start":[1.5,1.5],"goal":[30.5,30.5],"constraints":{"unit_radius":0.9,"diagonal":"never"}})",
        R"({"type":"multi_path","request_id":4,"start":[1.5,1.5],"goal":[28.5,3.5],"max_paths":3,"max_overlap":0.5,"max_stretch":1.5,"mode":"diverse"})",
        R"({"type":"multi_path","request_id":"flank","start":[1.5,1.5],"goal":[8.5,20.5],"mode":"flanking"})",
        R"({"type":"validate_path","request_id":5,"path":[[1.5,1.5],[4.5,1.5],{"x":6.5,"y":1.5,"has_cover":false}],"constraints":{"unit_type":"infantry"}})",
        R"({"type":"tactical_query","request_id":6,"query_type":"reachable","from":[1.5,1.5],"to":[30.5,30.5],"constraints":{}})",
        R"({"type":"tactical_query","request_id":"los","query_type":"line_of_sight","from":[1.5,1.5],"to":[30.5,20.5],"eye_height":6})",
        R"({"type":"tactical_query","request_id":"threat","side":1,"query_type":"threat_at","positions":[[5,5],{"x":1,"y":2}]})",
        R"({"type":"tactical_query","request_id":"cover","query_type":"cover_at","positions":[[15.5,10.5],[-5,-5]]})",
        R"({"type":"tactical_query","request_id":61,"query_type":"reachable","from":[1.5,1.5],"goals":[[30.5,30.5],[4.5,4.5]],"constraints":{}})",
        R"({"type":"tactical_query","request_id":62,"query_type":"costs","from":[1.5,1.5],"goals":[[20.5,20.5],[3.5,3.5]],"max_cost":80,"ignore_self":true,"constraints":{}})",
        R"({"type":"tactical_query","request_id":"nearest","query_type":"nearest_of","from":[1.5,1.5],"goals":[[20.5,20.5],[3.5,3.5]],"constraints":{}})",
        R"({"type":"tactical_query","request_id":"hide","query_type":"nearest_cover","from":[12.5,20.5],"threat_direction":[1,0],"max_distance":20,"min_quality":0.5,"constraints":{}})",
        R"({"type":"tactical_query","request_id":"around","query_type":"flanking_positions","target":[8.5,16.5],"count":4,"distance":5,"from":[1.5,1.5],"constraints":{}})",
        R"({"type":"tactical_query","request_id":"why","query_type":"explain","path":[[1.5,1.5],[10.5,1.5],{"x":10.5,"y":10.5}],"constraints":{},"stretches":4})",
        R"({"type":"cover_path","request_id":7,"unit_id":6,"start":[1.5,1.5],"goal":[9.5,9.5],"constraints":{"doctrine":"stealth"},"allow_partial":true,"detail":"cells"})",
        R"({"type":"subscribe_route","request_id":8,"target_id":1,"path_index":0})",
        R"({"type":"flow_field","request_id":"tiles","goal":[9.5,9.5],"positions":[[1.5,1.5]],"tiled":true})",
        R"({"type":"flow_field","request_id":"more","field_id":1,"positions":[[2.5,1.5]]})",
        R"({"type":"flow_field","request_id":9,"goal":[9.5,9.5]})",
        R"({"type":"flow_field","request_id":"army","side":1,"group_size":50,"goals":[[9.5,9.5],{"x":3,"y":20}],"constraints":{"doctrine":"cautious"},"area":[0,0,32,32],"method":"dijkstra","positions":[[1.5,1.5]]})",
        R"({"type":"flow_sample","request_id":10,"field_id":1,"positions":[[1,1],{"x":30.5,"y":30.5},[-3,500]]})",
        R"({"type":"cancel","request_id":1})",
    };
    return corpus;
}

/// Messages of pathfinder/world that a 32 x 32 world takes.
inline const std::vector<std::string>& worldCorpus() {
    static const std::vector<std::string> corpus{
        R"({"type":"set_terrain","rect":[2,2,5,5],"terrain":"forest"})",
        R"({"type":"set_terrain","cells":[[1,2],{"x":3,"y":4}],"terrain":"road"})",
        R"({"type":"set_elevation","rect":[0,0,4,4],"elevation":2.5})",
        R"({"type":"place_obstacle","rect":[10,10,3,2],"kind":"building","height":6})",
        R"({"type":"remove_obstacle","rect":[10,10,3,2]})",
        R"({"type":"building_destroyed","rect":[10,10,3,2]})",
        R"({"type":"crater_created","position":[15.5,20.5],"radius":2.5})",
        R"({"type":"congestion","cells":[[1,1,0.5],[2,2,0]]})",
        R"({"type":"crowd","units":[[1.5,1.5],[2,2,1.5]]})",
        R"({"type":"enemies","side":1,"enemies":[{"id":1,"position":[5,5],"range":20,"firepower":0.8}]})",
        R"({"type":"focus","positions":[[16,16]]})",
    };
    return corpus;
}

/// `text` with `request_id` replaced.
inline std::string withId(const std::string& text, const std::string& id_json) {
    nlohmann::json message = nlohmann::json::parse(text);
    message["request_id"] = nlohmann::json::parse(id_json);
    return message.dump();
}

/// Spoils a message: its bytes, or, where it is JSON, its values (wrong types, huge numbers, nested rubbish), members (lost, doubled, unknown).
inline std::string spoiled(const std::string& text, Rng& rng) {
    using namespace message_detail;
    constexpr const char* alphabet = "0123456789{}[]\",:.-+eEnulltruefalse";
    if (rng.percent(35)) return mutated(text, rng, alphabet);
    if (rng.percent(3)) return deepened(text, rng);
    json message = json::parse(text);
    std::string doubled;
    for (std::uint32_t i = 0, n = 1 + rng.below(3); i < n; ++i) {
        switch (rng.below(6)) {
            case 0:
            case 1:
            case 2: {
                json* at = anywhere(message, rng);
                if (at != &message) *at = rubbish(rng);
                break;
            }
            case 3:
                if (message.is_object() && !message.empty()) {
                    auto member = message.begin();
                    std::advance(member, rng.below(static_cast<std::uint32_t>(message.size())));
                    if (rng.percent(40)) doubled = ",\"" + member.key() + "\":" + rubbish(rng).dump();
                    else message.erase(member);
                }
                break;
            case 4: message["unknown_" + std::to_string(rng.below(5))] = rubbish(rng); break;
            default: {
                json* at = anywhere(message, rng);
                if (at->is_array()) at->push_back(rubbish(rng));
                else if (at->is_object() && at != &message) (*at)["extra"] = rubbish(rng);
                else if (at->is_number()) *at = at->get<double>() * (rng.percent(50) ? -1.0 : 1e9);
            }
        }
        if (!message.is_object()) break;
    }
    std::string result = message.dump();
    if (!doubled.empty()) result.insert(result.size() - 1, doubled);
    if (rng.percent(5)) result = mutated(result, rng, alphabet);
    return result;
}

/// What the module owes for a text on pathfinder/requests, told without the module's help.
struct Expectation {
    bool is_cancel = false;
    std::optional<std::string> id;  ///< The usable request_id, as compact JSON; nothing: one message on pathfinder/errors.
};
inline Expectation expectationOf(const std::string& text) {
    using nlohmann::json;
    int depth_one_ids = 0, types = 0;
    std::optional<std::string> id;
    std::string type, key;
    const auto watch = [&](int depth, json::parse_event_t event, json& value) {
        if (depth == 1 && event == json::parse_event_t::key) {
            key = value.get<std::string>();
            depth_one_ids += key == "request_id" ? 1 : 0;
            types += key == "type" ? 1 : 0;
        } else if (depth == 1 && event == json::parse_event_t::value) {
            if (key == "request_id" && (value.is_string() || value.is_number_integer())) id = value.dump();
            if (key == "type" && value.is_string()) type = value.get<std::string>();
        }
        return true;
    };
    const json message = json::parse(text, watch, false);
    Expectation expectation;
    if (message.is_discarded() || !message.is_object()) return expectation;
    expectation.id = depth_one_ids == 1 ? id : std::nullopt;
    expectation.is_cancel = types == 1 && type == "cancel";
    return expectation;
}

}  // namespace warpath::test
