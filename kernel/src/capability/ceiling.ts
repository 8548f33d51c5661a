// Ceiling: the block that the operator puts above every chain of a tenant. It is checked like any other block of the
// chain, so it can only narrow: no manifest, token, grant or approval exceeds it.
//
//   ceilingBlock("acme", readCeiling([...]), nowMs)     the parent of every outermost block of acme's
//   ceilingAbove(chain)                                 the ceiling that a chain hangs below, if any
//
// CEILING-1  Every chain of a tenant that has a ceiling ends in it, at its outermost end.
// CEILING-2  A ceiling says what may be held, not how often: counting constraints (rate, max, usd, bytes) are
//     refused, since limits of a tenant are budgets and several nodes would count separately.
// CEILING-3  A ceiling's pins only narrow. They replace no person.
// CEILING-4  The shipped list names no path of the host, no address and no localhost (a star in a host covers none of
//     those, HOST-PATTERN-2), and only tools that run in the sandbox or ask the gate about what they touch.

import { type ProgramConfinement, SysError } from "@aos/protocol";
import { attenuateBlock, type CapabilityBlock } from "./block.ts";
import { isCoveredBy } from "./chain.ts";
import { CapabilityError } from "./error.ts";
import { type Capability, formatCapability, parseCapability } from "./grammar.ts";

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
    capability = parseCapability(text);
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

export function ceilingBlock(
  tenant: string,
  texts: readonly string[],
  mintedAt: number,
): CapabilityBlock {
  const id = `ceiling:${tenant}`;
  const caps = texts.map((text) => parseCapability(text));
  return { ...attenuateBlock(null, caps, { id, mintedAt, trusted: false }), ceilingOf: tenant }; // CEILING-3
}

/** CEILING-1. */
export function ceilingAbove(chain: CapabilityBlock): CapabilityBlock | null {
  let block = chain;
  while (block.parent !== null) block = block.parent;
  return block.ceilingOf === undefined ? null : block;
}

/** What a ceiling says of programs; undefined where there is none. */
export function confinementBy(
  ceiling: CapabilityBlock | null,
  clock: { now(): number },
): ProgramConfinement | undefined {
  if (ceiling?.ceilingOf === undefined) return undefined;
  return {
    tenant: ceiling.ceilingOf,
    mayRead: (resource) =>
      isCoveredBy(ceiling, { kind: "file", resource, verb: "read" }, clock.now()),
  };
}

/** How people are told of a block. */
export function nameOfBlock(
  { holder, ceilingOf }: CapabilityBlock,
  chain: CapabilityBlock,
): string {
  if (ceilingOf !== undefined) return `the ceiling of tenant ${ceilingOf}, set by the operator,`;
  return holder === chain.holder ? "it" : `its grantor ${holder}`;
}
