// LayerCoverage: what the rules of a layer that give power leave of a call uncovered. A call is allowed
//
//   as a whole       by `*`, its system call, tool, model or effect
//   by its sinks     when each of them is named
//   by its touches   when each resource that it touches is covered; the tool itself does not count
//
// by one rule or by several together.
//
// POLICY-COVERAGE-1  A rule for files does not allow a call that also reaches a host: what is left
//     uncovered by all rules is not allowed.

import type { Sink } from "@aos/protocol";
import { covers, readTarget } from "../capability/pattern.ts";
import {
  namedBy,
  type ResourceSelector,
  type Selector,
  surelyCovers,
  type TouchedResource,
} from "./selectors.ts";
import type { Subject } from "./subject.ts";

export class LayerCoverage {
  readonly #subject: Subject;
  readonly #touched: readonly TouchedResource[];
  #isWhole = false;
  #covered: Set<TouchedResource> | undefined;
  #sinks: Set<Sink> | undefined;

  constructor(subject: Subject, touched: readonly TouchedResource[]) {
    this.#subject = subject;
    this.#touched = touched;
  }

  get isComplete(): boolean {
    if (this.#isWhole) return true;
    const { sinks } = this.#subject;
    if (sinks.length > 0 && sinks.every((sink) => this.#sinks?.has(sink))) return true;
    const counted = this.#touched.filter(({ touch }) => touch.kind !== "tool");
    return counted.length > 0 && counted.every((one) => this.#covered?.has(one));
  }

  /** Adds what a rule covers. False when it covers nothing of this call. */
  add(selectors: readonly Selector[]): boolean {
    let speaks = false;
    for (const selector of selectors) if (this.#addOne(selector)) speaks = true;
    return speaks;
  }

  #addOne(selector: Selector): boolean {
    if (selector.by === "sink") return this.#addSink(selector.sink);
    if (selector.by === "resource") return this.#addResource(selector);
    if (!isWholly(selector, this.#subject)) return false;
    this.#isWhole = true;
    return true;
  }

  #addSink(sink: Sink): boolean {
    if (!this.#subject.sinks.includes(sink)) return false;
    (this.#sinks ??= new Set()).add(sink);
    return true;
  }

  #addResource(selector: ResourceSelector): boolean {
    let speaks = false;
    for (const one of this.#touched) {
      if (!surelyCovers(selector, one)) continue;
      (this.#covered ??= new Set()).add(one);
      speaks = true;
    }
    return speaks;
  }
}

type WholeSelector = Exclude<Selector, { by: "sink" } | ResourceSelector>;

function isWholly(selector: WholeSelector, subject: Subject): boolean {
  switch (selector.by) {
    case "all":
      return true;
    case "call":
      return selector.call === subject.call;
    case "effect":
      return selector.effect === subject.effect;
    case "tool":
    case "model":
    case "pipe": {
      const name = namedBy(selector.by, subject);
      const target = name === undefined ? null : readTarget("name", name);
      return target !== null && covers(selector.pattern, target);
    }
  }
}
