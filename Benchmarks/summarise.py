#!/usr/bin/env python3
"""Prints the table of replay.sh: medians over rounds, and ratios to nginx in the same scenario.

    summarise.py results.tsv
"""

import statistics
import sys


def main():
    groups = {}
    with open(sys.argv[1]) as file:
        for line in file:
            scenario, server, requests, seconds, p50, p99, cpu, detail = line.rstrip("\n").split("\t")
            requests, seconds, cpu = int(requests), float(seconds), int(cpu)
            row = (requests / seconds, int(p50) / 1000, int(p99) / 1000, cpu / requests, cpu / 1e6 / seconds)
            groups.setdefault((scenario, server), []).append((row, detail))

    layout = "{:<9} {:<16} {:>9} {:>8} {:>8} {:>11} {:>6} {:>11} {:>10}"
    print(layout.format("scenario", "server", "req/s", "p50 ms", "p99 ms", "CPU µs/req", "busy", "rate/nginx", "CPU/nginx"))
    medians = {key: [statistics.median(values) for values in zip(*(row for row, _ in rows))]
               for key, rows in groups.items()}
    for (scenario, server), (rate, p50, p99, cpu, busy) in medians.items():
        nginx = medians[scenario, "nginx"]
        print(layout.format(scenario, server, f"{rate:.0f}", f"{p50:.2f}", f"{p99:.2f}", f"{cpu:.1f}", f"{busy:.0%}",
                            f"{rate / nginx[0]:.2f}", f"{cpu / nginx[3]:.2f}"))
    print("\nbusy: CPU time of the server per second; well below 100% on one loop, the generator was the limit and")
    print("only CPU µs/req compares. CPU/nginx below 1.00 means cheaper than nginx.")
    for scenario in dict.fromkeys(scenario for scenario, _ in groups):
        details = {detail for (name, _), rows in groups.items() if name == scenario for _, detail in rows}
        print(f"{scenario}: {', '.join(sorted(details))}")
        if len(details) > 1:
            print(f"{scenario}: the servers did not agree on one cipher, so their costs do not compare", file=sys.stderr)
            sys.exit(1)


main()
