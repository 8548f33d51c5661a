// The metrics as prom-client has them. What the store knows is asked for at every scrape; what
// only passes by is counted (activity-metrics.ts).

import { lanes, processStates } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import type * as PromClient from "prom-client";
import type { Registry } from "prom-client";
import type { ExportCounts } from "../telemetry/export-queue.ts";
import type { LabelledCounts, ActivityMetrics } from "./activity-metrics.ts";
import { fleetMetrics } from "./fleet-metrics.ts";

type Client = typeof PromClient;

export async function collectMetrics(
  kernel: Pick<Kernel, "status" | "queue" | "countQuestions" | "cost" | "fleets" | "postSums">,
  activity: ActivityMetrics,
  version: string,
  exports: Readonly<Record<string, ExportCounts>>,
): Promise<Registry> {
  const client = await import("prom-client");
  const registry = new client.Registry();
  const [status, queue, questions, cost, fleets, posts] = await Promise.all([
    kernel.status(),
    kernel.queue(),
    kernel.countQuestions(),
    kernel.cost({ by: "model", sinceMs: 0 }),
    kernel.fleets(),
    kernel.postSums(),
  ]);

  const gauge = gaugesOf(client, registry);
  gauge("aos_build_info", "The version that runs.", ["version"]).set({ version }, 1);
  const states = gauge("aos_processes", "Processes by state.", ["state"]);
  for (const state of processStates) states.set({ state }, status.states[state] ?? 0);
  const isSound = status.trouble === undefined;
  gauge("aos_store_sound", "0 while something of the store is lost or damaged.").set(+isSound);
  gauge("aos_processes_loaded", "Processes in memory.").set(status.loaded);
  gauge("aos_trees_running", "Running process trees.").set(queue.running);
  const waiting = gauge("aos_queue_depth", "Process trees in the start queue.", ["lane"]);
  for (const lane of lanes) waiting.set({ lane }, queue.queued[lane]);
  const mail = gauge("aos_messages_waiting", "Messages that wait to be received.", ["tenant"]);
  const age = gauge("aos_messages_oldest_seconds", "Age of the oldest waiting message.", [
    "tenant",
  ]);
  for (const { tenant, depth, oldestAt } of queue.mailboxes) {
    mail.set({ tenant }, depth);
    age.set({ tenant }, Math.max(0, Date.now() - Date.parse(oldestAt)) / 1000);
  }
  gauge("aos_questions_open", "Pending questions.").set(questions);
  fleetMetrics(gauge, fleets);
  const told = gauge(
    "aos_notifications",
    "Notifications and messages of chats of the last 30 days, by state; `dead` were given up.",
    ["tenant", "box", "target", "state"],
  );
  for (const { count, ...labels } of posts) told.set(labels, count);

  const running = gauge("aos_model_requests_running", "Requests that a model is serving.", [
    "model",
  ]);
  const queued = gauge("aos_model_requests_queued", "Requests that wait for a model.", ["model"]);
  const open = gauge("aos_model_breaker_open", "1 while the circuit breaker of a model is open.", [
    "model",
  ]);
  const seconds = gauge("aos_model_latency_seconds", "Latency of model requests.", [
    "model",
    "percentile",
  ]);
  const wait = gauge("aos_model_wait_seconds", "Time that requests wait for an inference slot.", [
    "model",
    "percentile",
  ]);
  for (const slot of queue.slots) {
    const { model } = slot;
    running.set({ model }, slot.running);
    queued.set({ model }, slot.queued);
    open.set({ model }, slot.breaker === "closed" ? 0 : 1);
    for (const [percentile, ms] of [
      ["50", slot.p50Ms],
      ["95", slot.p95Ms],
    ] as const)
      if (ms !== null) seconds.set({ model, percentile }, ms / 1000);
    for (const [percentile, ms] of [
      ["50", slot.waitP50Ms],
      ["95", slot.waitP95Ms],
    ] as const)
      if (ms !== null) wait.set({ model, percentile }, ms / 1000);
  }

  const counter = countersOf(client, registry);
  counter("aos_model_spend_usd_total", "Cost of model requests in dollars.", ["model"], (add) => {
    for (const row of cost.rows) add([row.key], row.usd);
  });
  counter("aos_model_tokens_total", "Tokens of models.", ["model"], (add) => {
    for (const row of cost.rows) add([row.key], row.tokens);
  });
  counter("aos_model_requests_total", "Requests to models.", ["model"], (add) => {
    for (const row of cost.rows) add([row.key], row.calls);
  });
  const counted = (name: string, help: string, labels: readonly string[], counts: LabelledCounts) =>
    counter(name, help, labels, (add) => {
      for (const [values, count] of counts) add(values, count);
    });
  counted(
    "aos_system_calls_total",
    "System calls by outcome.",
    ["call", "outcome"],
    activity.calls,
  );
  counted(
    "aos_failures_total",
    "System calls that were refused or failed.",
    ["code"],
    activity.refusals,
  );
  counted("aos_tool_calls_total", "Tool calls by outcome.", ["tool", "outcome"], activity.tools);
  counted("aos_processes_started_total", "Processes started.", [], activity.starts);
  counted("aos_processes_ended_total", "Processes ended.", ["state", "code"], activity.ends);

  counter("aos_events_sent_total", "Events and log records sent.", ["exporter"], (add) => {
    for (const [name, { sent }] of Object.entries(exports)) add([name], sent);
  });
  counter("aos_events_dropped_total", "Events and log records lost.", ["exporter"], (add) => {
    for (const [name, { dropped }] of Object.entries(exports)) add([name], dropped);
  });

  return client.Registry.merge([registry, ownProcess(client)]);
}

let own: Registry | undefined;

/** Memory, CPU and lag of this process. They watch it from when they are first asked for, and once. */
function ownProcess(client: Client): Registry {
  if (own === undefined) {
    own = new client.Registry();
    client.collectDefaultMetrics({ register: own, prefix: "aos_" });
    for (const what of ["handles", "requests", "resources"])
      own.removeSingleMetric(`aos_nodejs_active_${what}_total`); // no counter should be called so
  }
  return own;
}

const gaugesOf =
  ({ Gauge }: Client, registry: Registry) =>
  (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });

const countersOf =
  ({ Counter }: Client, registry: Registry) =>
  (
    name: string,
    help: string,
    labelNames: readonly string[],
    fill: (add: (labels: readonly string[], amount: number) => void) => void,
  ): void => {
    const counter = new Counter({ name, help, labelNames: [...labelNames], registers: [registry] });
    fill((values, amount) =>
      counter.inc(
        Object.fromEntries(labelNames.map((label, nth) => [label, values[nth]!])),
        amount,
      ),
    );
  };
