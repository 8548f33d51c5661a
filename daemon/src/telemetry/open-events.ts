// Events for a daemon: follows all processes as their records become durable, and exports them in OCSF. Unless the
// configuration names a destination, none of it is loaded and nothing waits.

import { hostname } from "node:os";
import type { FeedEvent } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import type { Logger } from "pino";
import { DAEMON_VERSION } from "../version.ts";
import type { EventLine } from "./event-sinks.ts";
import type { ExportCounts } from "./export-queue.ts";
import type { BegunCall, OcsfEvent, OcsfSubject } from "./ocsf.ts";
import type { TelemetryConfig } from "./telemetry-config.ts";

/** A server that is gone for a while is one line of the log. */
const SAY_AGAIN_MS = 60_000;
const MOST_PROCESSES = 10_000;

type EventKernel = Pick<Kernel, "follow" | "show" | "scrub">;

export interface EventExport {
  readonly counts: ExportCounts;
  close(): Promise<void>;
}

export async function openEvents(
  kernel: EventKernel,
  { ocsf }: Pick<TelemetryConfig, "ocsf">,
  log: Pick<Logger, "info" | "warn">,
): Promise<EventExport | undefined> {
  if (ocsf === undefined) return undefined;
  const [{ ExportQueue }, { fileSink, syslogSink }, { ocsfEvents }] = await Promise.all([
    import("./export-queue.ts"),
    import("./event-sinks.ts"),
    import("./ocsf.ts"),
  ]);
  const sink = ocsf.file === undefined ? syslogSink(ocsf.syslog!) : fileSink(ocsf.file);
  const onTrouble = sayingOnce(log, "events could not be written");
  const queue = new ExportQueue<EventLine>({ send: (batch) => sink.send(batch), onTrouble });
  const subjects = new Subjects(kernel);
  const wanted = new Set<number>(ocsf.classes.map((name) => classNumbers[name]));
  const begun = new Map<string, BegunCall>();
  const stopping = new AbortController();
  const take = async (event: FeedEvent): Promise<void> => {
    const { pid, record } = event;
    const key = record.kind === "outcome" || record.kind === "intent" ? `${pid} ${record.n}` : "";
    if (record.kind === "intent") {
      remember(begun, key, { call: record.call, args: record.args });
      return;
    }
    const asked = begun.get(key);
    begun.delete(key);
    const subject = await subjects.of(pid);
    for (const one of ocsfEvents(event, subject, { version: DAEMON_VERSION }, asked))
      if (wanted.has(one.class_uid))
        queue.add({
          timeMs: one.time,
          level: levelOf(one),
          json: kernel.scrub(JSON.stringify(one)), // OCSF-1
        });
    if (record.kind === "end") subjects.forget(pid);
  };
  const following = (async () => {
    for await (const event of kernel.follow({ signal: stopping.signal }))
      await take(event).catch(onTrouble); // an event less; the run is not the poorer for it
  })().catch(onTrouble);
  log.info({ to: ocsf.file ?? ocsf.syslog }, "events are written in OCSF");
  return {
    counts: queue.counts,
    async close() {
      stopping.abort();
      await following;
      await queue.close();
      sink.close();
    },
  };
}

const classNumbers = { api: 6003, authorization: 3003, finding: 2004 } as const;

/** As syslog counts. */
const levelOf = ({ severity_id: severity }: OcsfEvent): number =>
  severity >= 4 ? 3 : severity === 3 ? 4 : severity === 2 ? 5 : 6;

export function sayingOnce(log: Pick<Logger, "warn">, what: string): (error: unknown) => void {
  let saidAt = -Infinity;
  return (error) => {
    if (performance.now() - saidAt < SAY_AGAIN_MS) return;
    saidAt = performance.now();
    log.warn({ err: error }, what);
  };
}

/** Who a process is; asked for once while it lives. */
class Subjects {
  readonly #kernel: Pick<Kernel, "show">;
  readonly #known = new Map<string, OcsfSubject>();
  readonly #hostname = hostname();

  constructor(kernel: Pick<Kernel, "show">) {
    this.#kernel = kernel;
  }

  async of(pid: string): Promise<OcsfSubject> {
    const known = this.#known.get(pid);
    if (known !== undefined) return known;
    const { agent, tenant } = await this.#kernel.show(pid);
    const subject = { agent, tenant, hostname: this.#hostname };
    remember(this.#known, pid, subject);
    return subject;
  }

  forget(pid: string): void {
    this.#known.delete(pid);
  }
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size >= MOST_PROCESSES) map.delete(map.keys().next().value!);
  map.set(key, value);
}
