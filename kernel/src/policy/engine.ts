// Policy: the operator's rules, above all capabilities. A set of layers by name; a subject is judged by every layer
// that binds it.
//
//   const policy = new Policy([compileLayer("kernel", defaultPolicy, known), …])
//   const verdict = policy.decide(subject, ["kernel", "organisation"])
//   policy.rates.charge(verdict.rates, subject.atMs)          in the same turn, when the call passes
//
// ENGINE-1  A layer can only restrict what the others allow.
// ENGINE-2  A layer that is not loaded, and an empty set, denies. So does an internal error: decide() never throws,
//     and never allows because of an error.
// ENGINE-3  The same subject under the same layers and rates gets the same verdict.
// ENGINE-4  A set without layers, or with two layers of one name, is refused.

import { isSyscallName, type Json, type Label, type Touch } from "@aos/protocol";
import type { CapabilityKind } from "../capability/index.ts";
import { join } from "../label/label.ts";
import { PolicyDecision } from "./policy-decision.ts";
import type { Layer } from "./layer.ts";
import { Rates } from "./rates.ts";
import { speaksOf, touchedBy } from "./selectors.ts";
import { VerdictCache, type CallClass } from "./verdict-cache.ts";
import type { Subject, Verdict } from "./subject.ts";

/** The label assumed when the true one is unknown. */
const WORST: Label = { integrity: "untrusted", secrecy: "secret" };

export class Policy {
  readonly #layers: ReadonlyMap<string, Layer>;
  readonly #settled = new VerdictCache();
  readonly rates: Rates;

  /** A reload keeps the used rates. */
  constructor(layers: readonly Layer[], rates: Rates = new Rates()) {
    if (layers.length === 0)
      throw new Error("no policy is loaded, and the kernel runs nothing without one");
    this.#layers = new Map(layers.map((layer) => [layer.name, layer]));
    if (this.#layers.size < layers.length)
      throw new Error("two layers of the policy have one name");
    this.rates = rates;
  }

  /** The same layers, counted anew. */
  withRates(rates: Rates): Policy {
    return new Policy([...this.#layers.values()], rates);
  }

  decide(subject: Subject, layerNames: readonly string[]): Verdict {
    try {
      return this.#decide(subject, layerNames);
    } catch {
      return denied("policy/(it could not be judged)");
    }
  }

  /** What decide() says of every call of this sort, where that is known; else each has to be judged. */
  settled(sort: CallClass, layerNames: readonly string[]): Verdict | undefined {
    return this.#settled.find(sort, layerNames);
  }

  #decide(subject: Subject, layerNames: readonly string[]): Verdict {
    if (layerNames.length === 0) return denied("policy/(no layer is named)");
    if (!isSyscallName(subject.call)) return denied("policy/(there is no such call)");
    const decision = new PolicyDecision(subject, this.rates);
    for (const name of layerNames) {
      const layer = this.#layers.get(name);
      if (layer === undefined) decision.find("deny", `${name}/(this policy is not loaded)`);
      else layer.judge(decision);
    }
    const verdict = decision.verdict();
    if (decision.isSettled && verdict.effect === "allow")
      this.#settled.keep(subject, layerNames, verdict);
    return verdict;
  }

  /** The rules that ask about a call as a whole, whatever it touches. Throws where they cannot be judged. */
  asksOfCall(subject: Subject, layerNames: readonly string[]): string {
    const { effect, ask } = this.#decide({ ...subject, touches: [] }, layerNames);
    return effect === "ask" ? ask!.rule : "";
  }

  /** May this signal be sent to a process under these layers? */
  allowsSignal(layerNames: readonly string[], signal: string): boolean {
    return layerNames.every((name) => this.#layers.get(name)?.allowsSignal(signal) === true);
  }

  /**
   * Whether a rule of these layers tells one resource of a kind from another: by its name, or by a condition
   * on everything. Where none does, what holds for one holds for all.
   */
  speaksOf(kind: CapabilityKind, layerNames: readonly string[]): boolean {
    return layerNames.some((name) => this.#layers.get(name)?.speaksOf(kind) !== false);
  }

  /** What the operator labels these sources with, on top of the tool's own label. */
  labelOf(
    touches: readonly Touch[],
    tool: string | undefined,
    layerNames: readonly string[],
  ): Label | undefined {
    let label: Label | undefined;
    let touched: ReturnType<typeof touchedBy> | undefined;
    for (const name of layerNames) {
      const layer = this.#layers.get(name);
      if (layer === undefined) return WORST;
      if (layer.labels.length === 0) continue;
      touched ??= touchedBy(touches);
      for (const one of layer.labels) {
        if (!one.selectors.some((selector) => speaksOf(selector, { tool }, touched!))) continue;
        label = label === undefined ? one.label : join(label, one.label);
      }
    }
    return label;
  }

  /** Whether any of these layers labels files. */
  labelsFiles(layerNames: readonly string[]): boolean {
    const isOfFiles = ({ selectors }: Layer["labels"][number]) =>
      selectors.some((one) => one.by === "all" || (one.by === "resource" && one.kind === "file"));
    return layerNames.some((name) => this.#layers.get(name)?.labels.some(isOfFiles) ?? true);
  }

  get layerNames(): readonly string[] {
    return [...this.#layers.keys()];
  }

  describe(): Json {
    return { layers: Array.from(this.#layers.values(), (layer) => layer.describe()) };
  }
}

function denied(rule: string): Verdict {
  return {
    effect: "deny",
    rule,
    say: undefined,
    ask: undefined,
    shadows: [],
    notes: [],
    tags: [],
    timeoutMs: undefined,
    maxBytes: undefined,
    dryRun: false,
    rates: [],
    retryAfterMs: undefined,
  };
}
