// Policies: the policy in force, and its replacement.
//
// POLICIES-1  A set is compiled whole before any of it counts: one bad rule changes nothing.
// POLICIES-2  The usage of a rate continues across a change and a restart.
// POLICIES-3  A layer called `project:…` binds the processes started from there; all others bind everyone. A process
//     keeps the names of its layers; one that is no longer loaded denies.

import { SysError, type Json, type PolicyFlaw, type PolicyReport } from "@aos/protocol";
import type { Platform } from "../platform/clock.ts";
import type { BaseStore, Write } from "../store/base-contract.ts";
import { Policy } from "./engine.ts";
import type { Layer } from "./layer.ts";
import { fieldOf, PolicyProblems } from "./problem.ts";
import { Rates, type BucketState } from "./rates.ts";
import type { KnownNames } from "./selectors.ts";
import type { RateUse } from "./subject.ts";

export interface PolicyDocument {
  /** As the YAML was read: plain JSON values. */
  readonly document: unknown;
  /** Where it was read, for people. */
  readonly origin: string;
}

/** The text of one layer, in one of the formats that `compileLayer` reads. */
export interface PolicyLayerSource extends PolicyDocument {
  readonly layer: string;
  readonly format: "policy" | "security.md";
}

const RATE = "rate:";

/** The names of tools that rules may speak of. */
interface ToolDirectory {
  readonly toolNames: readonly string[];
  isToolName(name: string): boolean;
}

interface Parts {
  readonly store: BaseStore;
  readonly platform: Platform;
  readonly devices: ToolDirectory;
  /** Reads one text, of any format; throws PolicyProblems. */
  readonly compileLayer: (name: string, text: PolicyLayerSource, known: KnownNames) => Layer;
  /** The groups of people that a rule may ask. */
  readonly channels: readonly string[];
}

export class Policies {
  readonly #parts: Parts;
  #policy: Policy;
  #base: readonly string[];
  #loadedAt: number;
  readonly rates = new Rates();
  /** For each list of layers that a process may have, with those that bind everyone. */
  #layers = new Map<readonly string[], readonly string[]>();

  constructor(parts: Parts, sources: readonly PolicyLayerSource[]) {
    this.#parts = parts;
    this.#policy = this.compile(sources);
    this.#base = requiredBase(this.#policy);
    this.#loadedAt = parts.platform.now();
  }

  /** POLICIES-2. */
  async begin(): Promise<void> {
    const rows = await this.#parts.store.blocksWith(RATE);
    this.rates.restore(rows.map(({ state }) => JSON.parse(state) as BucketState));
  }

  get current(): Policy {
    return this.#policy;
  }

  layersFor({ layers }: { readonly layers: readonly string[] }): readonly string[] {
    let all = this.#layers.get(layers);
    if (all === undefined) {
      all = [...this.#base, ...layers];
      if (this.#layers.size > 10_000) this.#layers.clear();
      this.#layers.set(layers, all);
    }
    return all;
  }

  /** POLICIES-1. */
  compile(sources: readonly PolicyLayerSource[]): Policy {
    const known = this.#known();
    const problems: PolicyFlaw[] = [];
    const layers = sources.flatMap((source) => {
      try {
        return [this.#parts.compileLayer(source.layer, source, known)];
      } catch (error) {
        if (!(error instanceof PolicyProblems)) throw error;
        const { origin } = source;
        problems.push(...error.problems.map(({ path, message }) => ({ origin, path, message })));
        return [];
      }
    });
    if (problems.length > 0)
      throw new SysError("EINVAL", `the policy is refused:\n${problems.map(flawText).join("\n")}`, {
        detail: { problems: problems as unknown as Json },
        hint: "the old policy stays in force; `aos policy check FILE` checks a file without loading it",
      });
    try {
      return new Policy(layers, this.rates);
    } catch (error) {
      throw new SysError("EINVAL", (error as Error).message, {
        hint: "the kernel needs a policy: remove the file to use the default policy",
      });
    }
  }

  replace(sources: readonly PolicyLayerSource[]): PolicyReport {
    const policy = this.compile(sources);
    const base = requiredBase(policy);
    this.#policy = policy;
    this.#base = base;
    this.#layers = new Map();
    this.#loadedAt = this.#parts.platform.now();
    return this.report();
  }

  report(): PolicyReport {
    const { layers } = this.#policy.describe() as { layers: Json[] };
    return { layers, loadedAt: new Date(this.#loadedAt).toISOString() };
  }

  /** The writes that keep what was used of these rates. */
  writes(uses: readonly RateUse[]): Write[] {
    return uses.flatMap(({ key }): Write[] => {
      const bucket = this.rates.stateOf(key);
      return bucket === undefined
        ? []
        : [{ op: "block.put", tenant: 0, id: key, state: JSON.stringify(bucket) }];
    });
  }

  #known(): KnownNames {
    const { devices, channels } = this.#parts;
    return { tools: new ToolNames(devices), channels: new Set(channels) };
  }
}

/** Of what is there, and of what may come to be while the policy is in force: a server's tools. */
class ToolNames extends Set<string> {
  readonly #devices: ToolDirectory;

  constructor(devices: ToolDirectory) {
    super(devices.toolNames);
    this.#devices = devices;
  }

  override has(name: string): boolean {
    return super.has(name) || this.#devices.isToolName(name);
  }
}

/** POLICIES-3. The layers that bind everyone. */
export const baseLayers = (policy: Policy): string[] =>
  policy.layerNames.filter((name) => !name.startsWith("project:"));

function requiredBase(policy: Policy): string[] {
  const base = baseLayers(policy);
  if (base.length === 0)
    throw new SysError("EINVAL", "no layer of this policy applies to every process", {
      hint: "add a layer whose name does not begin with `project:`",
    });
  return base;
}

/** A line for each problem; each line of a longer message names the text that it is about. */
const flawText = ({ origin, path, message }: PolicyFlaw): string =>
  `${fieldOf(path)}: ${message}`
    .split("\n")
    .map((line) => `${origin}: ${line}`)
    .join("\n");
