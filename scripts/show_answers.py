#!/usr/bin/env python3
"""Prints the output of `warpath serve` (one JSON message a line) for people.

    warpath serve ... | scripts/show_answers.py
"""
import json
import sys


def route(answer):
    """Length, time, cost and turning points of one path."""
    points = answer.get("path") or answer.get("waypoints") or []
    points = [(p["x"], p["y"]) if isinstance(p, dict) else p for p in points]
    shown = [f"({x:g}, {y:g})" for x, y in points]
    if len(shown) > 8:
        shown = shown[:4] + [f"... {len(shown) - 8} more ..."] + shown[-4:]
    facts = []
    for key, text in [("length", "{:.1f} m"), ("travel_time", "{:.0f} s"), ("cost", "cost {:.1f}"), ("threat_level", "threat {:.2f}"),
                      ("cover_percentage", "in cover {:.0%}"), ("overlap", "overlap {:.0%}"), ("stretch", "stretch {:.2f}")]:
        if isinstance(answer.get(key), (int, float)):
            facts.append(text.format(answer[key]))
    if answer.get("algorithm"):
        facts.append(f"by {answer['algorithm']}")
    return [", ".join(facts)] + (["way: " + " ".join(shown)] if shown else [])


def show(line):
    try:
        record = json.loads(line)
    except json.JSONDecodeError:
        record = None
    if not isinstance(record, dict) or not isinstance(record.get("message", {}), dict):
        print(f"  (no answer of the tool: {line.strip()[:160]})")
        return
    message = record.get("message", {})
    if "request_id" not in message:
        print(f"  tick {record.get('tick', '?'):>3}  {record.get('topic')}: {json.dumps(message)[:160]}")
        return
    print(f"  tick {record.get('tick', '?'):>3}  {message['request_id']}: {str(message.get('status', '?')).upper()}")
    lines = []
    if isinstance(message.get("error"), dict):
        error = message["error"]
        lines.append(f"{error.get('field')}: {error.get('value')}; {error.get('remedy')}")
    elif "paths" in message:
        found, asked = len(message["paths"]), message.get("max_paths")
        if isinstance(asked, int) and 0 < found < asked:
            lines.append(f"{found} of {asked} routes: there are no more that differ enough and cost little enough")
        for number, path in enumerate(message["paths"], 1):
            lines += [f"route {number}: " + text if i == 0 else "  " + text for i, text in enumerate(route(path))]
    elif "result" in message:
        lines.append(f"{message.get('query_type')}: {json.dumps(message['result'])}")
    elif message.get("path"):
        lines += route(message)
    for text in lines:
        print("            " + text)


def main():
    for line in sys.stdin:
        if line.strip():
            show(line)


if __name__ == "__main__":
    main()
