// ConditionView: a subject as conditions see it. Each value is built on first use, once per decision.
//
// POLICY-VIEW-1  Every variable has a value of its declared type: an absent one is "" or empty.
// POLICY-VIEW-2  Times are UTC.

import { colours, type Json, type Label } from "@aos/protocol";
import { readHostTarget } from "../capability/host-pattern.ts";
import type { Cost, Subject } from "./subject.ts";

export class ResourceView {
  readonly kind: string;
  readonly resource: string;
  readonly verb: string;

  constructor(kind: string, resource: string, verb: string) {
    this.kind = kind;
    this.resource = resource;
    this.verb = verb;
  }
}

export class LabelView {
  readonly integrity: string;
  readonly secrecy: string;
  readonly colour: string;
  readonly tags: readonly string[];

  constructor({ integrity, secrecy, tags }: Label) {
    this.integrity = integrity;
    this.secrecy = secrecy;
    this.colour = colours[integrity];
    this.tags = tags ?? [];
  }
}

export class CostView {
  readonly usd: number;
  readonly tokens: bigint;
  readonly toolCalls: bigint;

  constructor({ usd, tokens, toolCalls }: Cost) {
    this.usd = usd;
    this.tokens = whole(tokens);
    this.toolCalls = whole(toolCalls);
  }
}

export class TargetView {
  readonly pid: string;
  readonly agent: string;

  constructor(target: Subject["target"]) {
    this.pid = target?.pid ?? "";
    this.agent = target?.agent ?? "";
  }
}

export class TimeView {
  readonly hour: bigint;
  readonly minute: bigint;
  /** Monday is 1, Sunday 7. */
  readonly weekday: bigint;
  readonly ms: bigint;
  /** `2027-01-31`. */
  readonly date: string;

  constructor(atMs: number) {
    const at = new Date(atMs);
    this.hour = BigInt(at.getUTCHours());
    this.minute = BigInt(at.getUTCMinutes());
    this.weekday = BigInt(at.getUTCDay() === 0 ? 7 : at.getUTCDay());
    this.ms = whole(atMs);
    this.date = at.toISOString().slice(0, 10);
  }
}

/** The names of its getters are the variables of conditions (policy-formats/conditions.ts). */
export class ConditionView {
  readonly #subject: Subject;
  #resources: readonly ResourceView[] | undefined;
  #paths: readonly string[] | undefined;
  #hosts: readonly string[] | undefined;
  #label: LabelView | undefined;
  #cost: CostView | undefined;
  #spent: CostView | undefined;
  #time: TimeView | undefined;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  get agent(): string {
    return this.#subject.agent;
  }
  get tenant(): string {
    return this.#subject.tenant;
  }
  get pid(): string {
    return this.#subject.pid;
  }
  get depth(): bigint {
    return whole(this.#subject.depth);
  }
  get call(): string {
    return this.#subject.call;
  }
  get tool(): string {
    return this.#subject.tool ?? "";
  }
  get model(): string {
    return this.#subject.model ?? "";
  }
  get edge(): string {
    return this.#subject.edge ?? "";
  }
  get args(): Json {
    return this.#subject.args;
  }
  get resources(): readonly ResourceView[] {
    return (this.#resources ??= this.#subject.touches.map(
      ({ kind, resource, verb }) => new ResourceView(kind, resource, verb),
    ));
  }
  /** What it touches of the machine's files and of the virtual file system. */
  get paths(): readonly string[] {
    return (this.#paths ??= this.#subject.touches.flatMap(({ kind, resource }) =>
      kind === "file" || kind === "memory" ? [resource] : [],
    ));
  }
  /** Without port and path, in small letters. One that cannot be read stands as it is. */
  get hosts(): readonly string[] {
    return (this.#hosts ??= this.#subject.touches.flatMap(({ kind, resource }) =>
      kind === "http" || kind === "browser" ? [readHostTarget(resource)?.host ?? resource] : [],
    ));
  }
  get target(): TargetView {
    return new TargetView(this.#subject.target);
  }
  get label(): LabelView {
    return (this.#label ??= new LabelView(this.#subject.label));
  }
  get effect(): string {
    return this.#subject.effect;
  }
  get sinks(): readonly string[] {
    return this.#subject.sinks;
  }
  get pinned(): boolean {
    return this.#subject.pinned;
  }
  get morePower(): boolean {
    return this.#subject.morePower;
  }

  get undoable(): boolean {
    return this.#subject.undoable;
  }
  get cost(): CostView {
    return (this.#cost ??= new CostView(this.#subject.cost));
  }
  get spent(): CostView {
    return (this.#spent ??= new CostView(this.#subject.spent));
  }
  get time(): TimeView {
    return (this.#time ??= timeAt(this.#subject.atMs));
  }
}

/** Many calls are made in one millisecond. */
let latest: { readonly atMs: number; readonly view: TimeView } | undefined;

function timeAt(atMs: number): TimeView {
  if (latest?.atMs !== atMs) latest = { atMs, view: new TimeView(atMs) };
  return latest.view;
}

const whole = (count: number): bigint => BigInt(Math.ceil(count));
