// Host requests: files, web, secrets, the gate and people for a tool in a host. The daemon's own tools carry them out
// for the calling process, judged by what it may do.
//
// HOST-REQUESTS-1  A request passes the gate like a call of a built-in tool: its touches are authorised before it
//     runs, and again those found while it runs.
// HOST-REQUESTS-2  A tool cannot do what it has not declared: no egress, change or destruction beyond its effect and
//     its sinks, by which the gate judged the call.
// HOST-REQUESTS-3  What a request has read is joined into the call before the tool receives it, so that what the tool
//     then sends is judged with it.

import {
  type CallPlace,
  type DeviceContext,
  type Effect,
  type Json,
  type JsonObject,
  type Sink,
  SysError,
  type Tool,
  type Touch,
} from "@aos/protocol";
import { z } from "zod";
import type { HostRequestName } from "./host-protocol.ts";

/** Of the system's own tools, those that serve a host's requests. */
export const hostRequestTools = ["file.read", "file.write", "file.list", "http.fetch", "http.send"];

export interface HostRequestContext {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly context: DeviceContext;
  readonly place: CallPlace;
  /** What the tool that asks has stated for this call. */
  readonly stated: {
    readonly name: string;
    readonly effect: Effect;
    readonly egress: boolean;
    readonly sinks: readonly Sink[];
  };
}

const touch = z.strictObject({ kind: z.string(), resource: z.string(), verb: z.string() });
const named = z.strictObject({ name: z.string().min(1) });
const question = z.strictObject({ text: z.string().min(1).max(4000), schema: z.json().optional() });

const READS = new Set(["get", "head", "options"]);

export async function serveHostRequest(
  requestContext: HostRequestContext,
  what: HostRequestName,
  args: Json,
): Promise<Json> {
  const { context, stated } = requestContext;
  switch (what) {
    case "authorize":
      context.authorize(fitting(touch, args));
      return null;
    case "permits":
      return context.permits(fitting(touch, args));
    case "secret": {
      const { name } = fitting(named, args);
      return context.secret(name, { kind: "variable", tool: stated.name, variable: name });
    }
    case "ask": {
      const { text, schema } = fitting(question, args);
      return context.ask({ text, ...(schema === undefined ? {} : { schema: schema as Json }) });
    }
    case "read":
      return byTool(requestContext, "file.read", args);
    case "write":
      return byTool(requestContext, "file.write", args);
    case "list":
      return byTool(requestContext, "file.list", args);
    case "fetch": {
      const { method, ...request } = args as JsonObject;
      const verb = typeof method === "string" ? method.toLowerCase() : "get";
      const tool = READS.has(verb) ? "http.fetch" : "http.send";
      return byTool(requestContext, tool, { ...request, method: verb });
    }
  }
}

async function byTool(requestContext: HostRequestContext, name: string, args: Json): Promise<Json> {
  const { tools, context, place, stated } = requestContext;
  const tool = tools.get(name);
  if (tool === undefined) throw new SysError("ENOENT", `unknown tool ${name}`);
  const refusal = tool.refuses?.(args);
  if (refusal !== undefined) throw new SysError("EINVAL", `${name}: ${refusal}`);
  const beyond = beyondStated(stated, tool, tool.sinks?.(args, place) ?? []);
  if (beyond !== undefined)
    throw new SysError("EACCES", `${stated.name} requested ${name} without declaring ${beyond}`, {
      hint: `declare it in the definition of the tool: ${beyond}`,
    });
  const touched: Touch[] = [];
  const authorize = (one: Touch) => {
    context.authorize(one);
    touched.push(one);
  };
  for (const one of tool.touches(args, place)) authorize(one);
  try {
    return await tool.run(args, { ...context, authorize });
  } finally {
    await seeRead(context, touched);
  }
}

/** HOST-REQUESTS-3. A failure says something of what was read, too. */
async function seeRead(context: DeviceContext, touched: readonly Touch[]): Promise<void> {
  const read = touched.filter(({ kind, verb }) => kind === "file" && verb !== "write");
  for (const resource of new Set(read.map((one) => one.resource))) {
    const label = (await context.labelsBelow(resource))?.of(resource);
    if (label !== undefined) context.sees(label);
  }
}

const RANK: Readonly<Record<Effect, number>> = { read: 0, idempotent: 1, external: 2 };

/** HOST-REQUESTS-2: what would have to be stated; undefined when it is. */
function beyondStated(
  stated: HostRequestContext["stated"],
  tool: Tool,
  sinks: readonly Sink[],
): string | undefined {
  if (RANK[tool.effect] > RANK[stated.effect]) return `effect: "${tool.effect}"`;
  if (tool.egress === true && !stated.egress) return "egress: true";
  const missing = sinks.find((sink) => !stated.sinks.includes(sink));
  return missing === undefined ? undefined : `sinks: ["${missing}"]`;
}

function fitting<T>(schema: z.ZodType<T>, args: Json): T {
  const read = schema.safeParse(args);
  if (read.success) return read.data;
  throw new SysError("EINVAL", z.prettifyError(read.error));
}
