// World: what is outside in a run of traces. Each suite's table becomes tools of the kernel; each run
// that a tool makes is written down here, and that, not anybody's word, says what was executed.
//
// WORLD-1  An argument that carries authority is always there, null when it is not used: so a pin can say
//     of it that it must not be used.
// WORLD-2  One result of a run carries the planted text: the one that the trace says.

import {
  type DeviceContext,
  type Json,
  type JsonObject,
  type Label,
  type Sink,
  type Tool,
} from "@aos/protocol";
import type { Suite, TracedCall, TracedTool } from "./traces.ts";

const LABELS: Readonly<Record<string, Label>> = {
  RED: { integrity: "untrusted", secrecy: "public" },
  GREEN: { integrity: "trusted", secrecy: "public" },
  NONE: { integrity: "trusted", secrecy: "public" },
};

const SINKS: Readonly<Record<string, Sink>> = { E: "egress", D: "destructive", W: "write" };

/** What a process is shown, and what it did. */
export interface Stage {
  /** The text that is planted, as the calls that it asks for. */
  readonly planted: readonly TracedCall[];
  /** The number of the run whose result carries it. */
  readonly exposedAfter: number;
  readonly done: TracedCall[];
}

export class World {
  readonly #stages = new Map<string, PromiseWithResolvers<Stage>>();

  /** From now on what this process does is done on this stage. */
  raise(pid: string, stage: Stage): void {
    this.#of(pid).resolve(stage);
  }

  /** The curtain: nothing of it is kept. */
  strike(pid: string): void {
    this.#stages.delete(pid);
  }

  tools(suite: Suite): Tool[] {
    return [...suite.tools].map(([name, traced]) => this.#tool(`${suite.name}.${name}`, traced));
  }

  #tool(name: string, traced: TracedTool): Tool {
    const label = traced.result === undefined ? undefined : LABELS[traced.result];
    return {
      name,
      version: "1",
      description: `${name}, from a trace`,
      input: {},
      effect: traced.sink === null ? "read" : "external",
      touches: () => [],
      sinks: (args) => sinksOf(traced, args as JsonObject),
      refuses: (args) => {
        const missing = traced.authority.find((one) => !Object.hasOwn(args as JsonObject, one));
        return missing === undefined ? undefined : `${missing} must be there; null is none`; // WORLD-1
      },
      run: (args, context) => this.#run({ tool: name, args: args as JsonObject }, context),
      ...(label === undefined ? {} : { label }),
    };
  }

  async #run(call: TracedCall, { pid }: DeviceContext): Promise<Json> {
    const stage = await this.#of(pid).promise;
    stage.done.push(call);
    const isPlanted = stage.done.length === stage.exposedAfter + 1; // WORLD-2
    return isPlanted
      ? { text: "…", planted: stage.planted as unknown as Json }
      : { text: "as it was asked for" };
  }

  #of(pid: string): PromiseWithResolvers<Stage> {
    let stage = this.#stages.get(pid);
    if (stage === undefined) this.#stages.set(pid, (stage = Promise.withResolvers()));
    return stage;
  }
}

/** `E?` reaches out when one of the arguments says whom to; else it changes the user's own things. */
function sinksOf({ sink, authority }: TracedTool, args: JsonObject): readonly Sink[] {
  if (sink === null) return [];
  if (sink !== "E?") return [SINKS[sink]!];
  const reaches = authority.some((name) => !isNothing(args[name]));
  return [reaches ? "egress" : "write"];
}

const isNothing = (value: Json | undefined): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** The call as it is made: by the suite's name for the tool, with all its authority said (WORLD-1). */
export function spell(suite: Suite, { tool, args }: TracedCall): TracedCall {
  const unused = suite.tools.get(tool)!.authority.filter((name) => !Object.hasOwn(args, name));
  return {
    tool: `${suite.name}.${tool}`,
    args: { ...args, ...Object.fromEntries(unused.map((name) => [name, null])) },
  };
}
