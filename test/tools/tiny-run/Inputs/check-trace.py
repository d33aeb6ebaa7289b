"""Checks a file against the trace event format, as far as viewers depend on it, and prints the names in it.

usage: check-trace.py FILE
"""
import json
import sys

trace = json.load(open(sys.argv[1]))
assert trace["displayTimeUnit"] in ("ms", "ns"), trace["displayTimeUnit"]
events = trace["traceEvents"]
assert events and all(isinstance(event["name"], str) and isinstance(event["pid"], int) for event in events)
names = [event["args"]["name"] for event in events if event["ph"] == "M"]
complete = [event for event in events if event["ph"] == "X"]
assert len(names) + len(complete) == len(events), "other phases"
end = 0
for event in complete:
    assert isinstance(event["tid"], int) and isinstance(event["cat"], str)
    # Events of a thread nest or follow each other; these follow, but for rounding to nanoseconds.
    assert event["ts"] >= end - 0.002 and event["dur"] >= 0, event
    end = event["ts"] + event["dur"]
    assert all(number >= 0 for number in event.get("args", {}).values()), event
print(*sorted(event["name"] for event in complete))
