"""Measured outages against the true ones: 200 of each kind, from 20 ms to 5 s. About six minutes; needs root for the
blackhole. PGFIREDRILL_BENCH_OUTAGES takes another number of them."""

import json
import os
import subprocess
import sys

PROGRAM = os.path.join(os.environ["PGFIREDRILL_BENCH_BUILD"], "pgfiredrill")
OUTAGES = os.environ.get("PGFIREDRILL_BENCH_OUTAGES", "200")


def figure(name, value, limit, unit, holds):
    print(json.dumps({"figure": name, "value": value, "limit": limit, "unit": unit, "holds": holds}), flush=True)
    return holds


def figures_of(kind):
    name = f"outage-error {kind['kind']} {kind['session']}"
    most_with_stall = kind["outages"] // 100
    return [
        figure(name + " max", kind["error_max_s"], kind["bound_s"], "s", kind["outside"] == 0),
        figure(name + " outside", kind["outside"], 0, "outages", kind["outside"] == 0),
        figure(name + " within by a stall", kind["outside_without_stall"], most_with_stall, "outages",
               kind["outside_without_stall"] <= most_with_stall),
        figure(name + " missed", kind["missed"], 0, "outages", kind["missed"] == 0),
        figure(name + " invented", kind["invented"], 0, "outages", kind["invented"] == 0),
    ]


def main():
    command = [PROGRAM, "calibrate", "--outages", OUTAGES, "--seed", "1", "--format", "json"]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if answer.returncode not in (0, 1, 6) or not answer.stdout:
        return 70
    result = json.loads(answer.stdout)
    holds = [one for kind in result["kinds"] for one in figures_of(kind)]
    for kind in result["not_run"]:
        print(f"outage-error: {kind['kind']} was not run: {kind['reason']}", file=sys.stderr)
        holds.append(figure(f"outage-error {kind['kind']}", None, None, "", False))
    return 0 if all(holds) else 1


if __name__ == "__main__":
    sys.exit(main())
