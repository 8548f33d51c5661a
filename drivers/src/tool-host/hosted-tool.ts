// Hosted tool: a tool in a host, as the kernel sees it.
//
// HOSTED-TOOL-1  What the gate needs is data: it never asks the host.
// HOSTED-TOOL-2  The schema is untrusted: its regular expressions are not run here, where one could block the daemon.
//     The host checks the arguments again in full.
// HOSTED-TOOL-3  Its results are untrusted, whatever its requests returned.

import {
  type CallPlace,
  type DeviceContext,
  type Json,
  type JsonObject,
  type Sink,
  SysError,
  type Tool,
} from "@aos/protocol";
import { z } from "zod";
import { argumentsIn, fillTouches } from "../tools/touch-template.ts";
import { type StatedTool, statedSchema } from "./host-protocol.ts";
import { servedCall, sinksByEffect } from "./served-call.ts";
import type { ToolHost } from "./tool-host.ts";

const MAX_SCHEMA_CHARS = 262_144;

export interface HostedToolOptions {
  /** Of the text of all modules. */
  readonly digest: string;
  readonly callMs: number;
  readonly requestTools: ReadonlyMap<string, Tool>;
  /** Lends the tenant's host. */
  use<T>(context: DeviceContext, work: (host: ToolHost, heldBy: string) => Promise<T>): Promise<T>;
}

/** Throws what is wrong with it. */
export function hostedTool(statement: JsonObject, means: HostedToolOptions): Tool {
  const stated = readStated(statement);
  const { name, file: _file, touches, sinks: _sinks, version, input, output, ...said } = stated;
  const schema = checkable(input as JsonObject);
  const refuses = (args: Json): string | undefined => {
    const read = schema.safeParse(args);
    return read.success ? undefined : z.prettifyError(read.error);
  };
  const fitting = (args: Json): Json => {
    const read = schema.safeParse(args);
    if (read.success) return read.data as Json;
    throw new SysError("EINVAL", `${name}: ${z.prettifyError(read.error)}`);
  };
  return {
    ...(said as Omit<typeof said, never>),
    name,
    version: `${version}+${means.digest.slice(0, 12)}`,
    input: input as Json,
    ...(output === undefined ? {} : { output: output as Json }),
    source: "project",
    identity: () => Promise.resolve(means.digest),
    sandbox: "process",
    refuses,
    touches: (args) => fillTouches(touches, fitting(args)),
    sinks: (_args, place) => sinksOf(stated, place),
    run: (args, context) => runHosted(stated, args, context, means),
  } as Tool;
}

async function runHosted(
  stated: StatedTool,
  args: Json,
  context: DeviceContext,
  means: HostedToolOptions,
): Promise<Json> {
  const { name, effect, egress } = stated;
  const sinks = sinksOf(stated, { workspace: context.workspace });
  context.label({ integrity: "untrusted", secrecy: "public" }); // HOSTED-TOOL-3
  return servedCall(
    context,
    means.requestTools,
    { name, effect, egress, sinks },
    (told, serveRequest) =>
      means.use(context, (host, heldBy) => {
        context.heldBy(heldBy);
        const { signal } = context;
        return host.call(name, args, { told, signal, timeoutMs: means.callMs, serveRequest });
      }),
  );
}

/** Who states `write` writes to the workspace: what is replaced there is gone where it is the user's own. */
function sinksOf(stated: StatedTool, { workspace }: CallPlace): readonly Sink[] {
  const said = new Set<Sink>(stated.sinks ?? sinksByEffect(stated.effect));
  if (said.has("write") && workspace.folder !== undefined && !workspace.isCow)
    said.add("destructive");
  if (stated.egress === true) said.add("egress");
  return [...said];
}

function readStated(statement: JsonObject): StatedTool {
  const read = statedSchema.safeParse(statement);
  if (!read.success) throw new SysError("EINVAL", z.prettifyError(read.error));
  const known = Object.keys((read.data.input["properties"] ?? {}) as object);
  const stray = read.data.touches
    .flatMap(({ resource }) => argumentsIn(resource))
    .find((name) => !known.includes(name));
  if (stray === undefined) return read.data;
  throw new SysError("EINVAL", `touches: "${stray}" is not an argument of ${read.data.name}`);
}

/** HOSTED-TOOL-2. */
function checkable(input: JsonObject): z.ZodType {
  if (JSON.stringify(input).length > MAX_SCHEMA_CHARS)
    throw new SysError("EINVAL", `its schema has more than ${MAX_SCHEMA_CHARS} characters`);
  return z.fromJSONSchema(withoutExpressions(input, false) as never);
}

const EXPRESSIONS = ["pattern", "patternProperties", "format"];
/** Members whose members are names; and those that are values. */
const NAMED = new Set(["properties", "$defs", "definitions"]);
const VALUES = new Set(["const", "enum", "default", "examples"]);

function withoutExpressions(value: Json, isNames: boolean): Json {
  if (Array.isArray(value)) return value.map((one) => withoutExpressions(one, false));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value as JsonObject);
  const dropped = Object.hasOwn(value, "patternProperties")
    ? [...EXPRESSIONS, "additionalProperties"]
    : EXPRESSIONS;
  return Object.fromEntries(
    entries
      .filter(([key]) => isNames || !dropped.includes(key))
      .map(([key, inner]) => {
        if (!isNames && VALUES.has(key)) return [key, inner as Json];
        return [key, withoutExpressions(inner as Json, !isNames && NAMED.has(key))];
      }),
  );
}
