// The metrics of fleets: queue, replicas and errors of each, as they are at a scrape.

import type { FleetReport } from "@aos/protocol";
import type { Gauge } from "prom-client";

type NewGauge = (name: string, help: string, labels: readonly string[]) => Gauge;

export function fleetMetrics(gauge: NewGauge, fleets: readonly FleetReport[]): void {
  const labels = ["tenant", "fleet"];
  const items = gauge("aos_fleet_items", "Items of a fleet by state.", [...labels, "state"]);
  const oldest = gauge(
    "aos_fleet_oldest_seconds",
    "Age of the oldest waiting item of a fleet.",
    labels,
  );
  const replicas = gauge("aos_fleet_replicas", "Runs at once that a fleet may have now.", labels);
  const running = gauge("aos_fleet_running", "Items of a fleet that run.", labels);
  const errors = gauge(
    "aos_fleet_error_ratio",
    "Part of the last 100 runs of a fleet that did not complete.",
    labels,
  );
  for (const one of fleets) {
    const of = { tenant: one.tenant, fleet: one.name };
    for (const state of ["waiting", "done", "dead"] as const)
      items.set({ ...of, state }, one[state]);
    const ageMs = one.oldestAt === null ? 0 : Date.now() - Date.parse(one.oldestAt);
    oldest.set(of, Math.max(0, ageMs) / 1000);
    replicas.set(of, one.replicas);
    running.set(of, one.running.length);
    if (one.errorRate !== null) errors.set(of, one.errorRate);
  }
}
