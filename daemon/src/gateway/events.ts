// Events: records of processes as server-sent events.
//
//   GET /api/v1/events                  of all processes that the caller may see, from now on
//   GET /api/v1/processes/:pid/events   of one, from its first record to its end
//
//   ?pid= ?tree=       only this process; only the tree that begins with it
//   Last-Event-ID      or ?after=: go on after this record, `PID:SEQ`
//
// EVENTS-1  A reader that continues after a record receives everything since from the journal, and then new records,
//     each once.
// EVENTS-2  If that record is no longer kept, or was never visible to the reader, an event `reset` says so, and the
//     stream starts from now.
// EVENTS-3  An unknown query field is refused: a misspelt filter would show too much.

import { API_ROOT, SysError, type FeedEvent, type ProcessId } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import type { Context, Hono } from "hono";
import { z } from "zod";
import type { GatewayContext } from "./gateway-context.ts";
import { requireRole, takeStream, type GatewayEnv } from "./caller.ts";
import {
  utf8BytesOf,
  EventHub,
  MOST_WAITING,
  passes,
  encodeEvent,
  type EventFilter,
  type EncodedEvent,
} from "./event-hub.ts";
import { EventStream } from "./event-stream.ts";
import { findProcess } from "./find-process.ts";
import { checkFields } from "./read-request.ts";
import { tenantContext } from "./tenant-context.ts";

const BEGIN = utf8BytesOf("retry: 1000\n: following\n\n");
const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

const text = z.string().optional();
/** EVENTS-3. */
const queryOfAll = z.strictObject({ pid: text, tree: text, after: text });
const queryOfOne = z.strictObject({ after: text });

interface EventQuery {
  readonly filter: EventFilter;
  readonly past: () => AsyncIterable<FeedEvent>;
  /** Over when the process is. */
  readonly toTheEnd: boolean;
  readonly signal: AbortSignal;
  readonly release: () => void;
}

export function addEventRoutes(app: Hono<GatewayEnv>, gateway: GatewayContext): EventHub {
  const hub = new EventHub(gateway.kernel, gateway.onMistake);
  const ask = (context: Context<GatewayEnv>) => {
    const caller = requireRole(context, "viewer");
    const { kernel } = tenantContext(gateway, caller);
    const signal = AbortSignal.any([context.req.raw.signal, gateway.closing, caller.gone]);
    return { kernel, tenant: caller.tenant, signal, after: cursorOf(context) };
  };

  app.get(`${API_ROOT}/events`, async (context) => {
    const { kernel, tenant, signal, after } = ask(context);
    const query = checkFields(queryOfAll, context.req.query(), "query");
    const pid = await processOf(kernel, query.pid);
    const tree = await processOf(kernel, query.tree);
    const past = () => (after === undefined ? none() : kernel.recorded(after));
    return stream(hub, {
      filter: { tenant, pid, tree },
      past,
      toTheEnd: false,
      signal,
      release: takeStream(context),
    });
  });

  app.get(`${API_ROOT}/processes/:pid/events`, async (context) => {
    const { kernel, tenant, signal, after } = ask(context);
    checkFields(queryOfOne, context.req.query(), "query");
    const { pid } = await kernel.show(await findProcess(kernel, context.req.param("pid")));
    const from = after?.pid === pid ? after.seq : undefined;
    if (from !== undefined && (await isOver(kernel, pid, from)))
      return new Response(null, { status: 204 }); // a browser does not come again
    const past = () => journalOf(kernel, pid, from);
    return stream(hub, {
      filter: { tenant, pid },
      past,
      toTheEnd: true,
      signal,
      release: takeStream(context),
    });
  });
  return hub;
}

function stream(hub: EventHub, request: EventQuery): Response {
  const out = new EventStream(BEGIN);
  /** The last of each process out of the journal: what came meanwhile may be the same. */
  const seen = new Map<ProcessId, number>();
  let waiting: EncodedEvent[] | undefined = [];
  const tell = (told: EncodedEvent) => {
    if (waiting !== undefined && waiting.length >= MOST_WAITING) return out.end();
    if (waiting !== undefined) return void waiting.push(told);
    if (told.seq <= (seen.get(told.pid) ?? -1)) return;
    out.write(told.bytes);
    if (told.isEnd && request.toTheEnd) out.end();
  };
  const stop = hub.watch({ ...request.filter, tell, beat: () => out.beat() });
  out.closed.then(stop, stop);
  out.closed.then(request.release, request.release);
  if (request.signal.aborted) out.end();
  request.signal.addEventListener("abort", () => out.end(), { once: true });
  const readPast = async () => {
    for await (const event of request.past()) {
      if (out.isClosed) return;
      if (!passes(request.filter, event)) continue;
      const told = encodeEvent(event);
      seen.set(told.pid, told.seq);
      await out.writeSlowly(told.bytes);
      if (told.isEnd && request.toTheEnd) out.end();
    }
  };
  readPast()
    .catch((error: unknown) => out.write(resetBy(error)))
    .finally(() => {
      const meanwhile = waiting ?? [];
      waiting = undefined;
      meanwhile.forEach(tell);
    });
  return new Response(out.readable, { headers: HEADERS });
}

/** EVENTS-2. */
function resetBy(error: unknown): Uint8Array {
  const { message } = error instanceof SysError ? error : { message: "the journal cannot be read" };
  return utf8BytesOf(`event: reset\ndata: ${JSON.stringify({ message })}\n\n`);
}

function cursorOf({ req }: Context<GatewayEnv>): { pid: string; seq: number } | undefined {
  const text = req.header("last-event-id") || req.query("after");
  if (text === undefined || text === "") return undefined;
  const [, pid, seq] = /^(agt_[0-9a-z]{26}):(\d{1,15})$/.exec(text) ?? [];
  if (pid === undefined || seq === undefined) {
    throw new SysError("EINVAL", `${JSON.stringify(text)} is not an event id`, {
      hint: "an event id has the form PID:SEQ",
    });
  }
  return { pid, seq: Number(seq) };
}

const processOf = async (kernel: Kernel, text: string | undefined) =>
  text === undefined ? undefined : (await kernel.show(await findProcess(kernel, text))).pid;

async function isOver(kernel: Kernel, pid: ProcessId, seq: number): Promise<boolean> {
  const [last] = await kernel.journal(pid, { after: seq - 1, limit: 1 });
  return last?.kind === "end";
}

async function* journalOf(kernel: Kernel, pid: ProcessId, after: number | undefined) {
  const { tenant, parent } = await kernel.show(pid);
  let tree = pid;
  for (let above = parent; above !== null; above = (await kernel.show(above)).parent) tree = above;
  const records = await kernel.journal(pid, after === undefined ? {} : { after });
  for (const record of records) yield { pid, tenant, tree, record };
}

async function* none(): AsyncGenerator<never> {}
