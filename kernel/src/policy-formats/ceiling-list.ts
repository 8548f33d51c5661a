// Ceiling list: the capabilities of a tenant's ceiling (capability/ceiling.ts) as the operator writes them, and the
// list that ships.
//
//   readCeiling(["file:/work/**:read"])     canonical texts
//
// CEILING-2  A ceiling says what may be held, not how often: counting constraints (rate, max, usd, bytes) are
//     refused, since limits of a tenant are budgets and several nodes would count separately.
// CEILING-4  The shipped list names no path of the host, no address and no localhost (a star in a host covers none of
//     those, HOST-PATTERN-2), and only tools that run in the sandbox or ask the gate about what they touch.

import { SysError } from "@aos/protocol";
import { CapabilityError } from "../capability/error.ts";
import { type Capability, formatCapability } from "../capability/grammar.ts";
import { readCapability } from "./older-capabilities.ts";

/** CEILING-4. Tools by their full names: a tool that the operator adds later is not meant by any of them. */
export const defaultCeiling: readonly string[] = [
  "file:/work/**:read,write,list,remove",
  "memory:/**:read,write,list,remove,search",
  "memory:/mem/agents/**:read,write,list,remove,search",
  "message:*:send,receive,publish,subscribe",
  "agent:*:spawn,wait",
  "signal:*:send",
  "secret:*:use",
  "shell:*:exec",
  "http:*/**:get,head,post,put,patch,delete,options",
  "model:scripted/*:infer",
  "model:replay/*:infer",
  ...[
    "echo",
    "json.query",
    "file.read",
    "file.read_many",
    "file.list",
    "file.grep",
    "file.write",
    "file.append",
    "file.edit",
    "file.move",
    "file.remove",
    "git.status",
    "git.diff",
    "git.log",
    "git.commit",
    "shell.execute",
    "build.run",
    "http.fetch",
    "http.send",
    "eval.run",
    "eval.score",
  ].map((name) => `tool:${name}:call`),
];

const COUNTED = ["rate", "max", "usd", "bytes", "hold"] as const;

/** The list in canonical form; EINVAL names what is wrong with which. */
export function readCeiling(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => formatCapability(readOne(text))))];
}

function readOne(text: string): Capability {
  let capability: Capability;
  try {
    capability = readCapability(text);
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error;
    throw new SysError("EINVAL", `the ceiling: ${error.message}`, { detail: { at: error.at } });
  }
  const { constraints } = capability;
  const counted = COUNTED.find((name) => constraints[name] !== undefined);
  if (counted !== undefined)
    throw new SysError(
      "EINVAL",
      `the ceiling: ${text}: \`${counted}\` is not allowed in a ceiling`,
      {
        hint: "a ceiling limits which capabilities a tenant may hold; limit amounts with `budgets:` in config.yaml", // CEILING-2
      },
    );
  if (constraints.expires !== undefined && !("atMs" in constraints.expires))
    throw new SysError(
      "EINVAL",
      `the ceiling: ${text}: a ceiling takes a date in \`expires\`, not a duration`,
    );
  return capability;
}
