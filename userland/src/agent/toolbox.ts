// Toolbox: the tools that a model is offered, and which of them are system calls of the agent.
// `runSyscall` makes the system call that a model requested by the name of a tool.

import {
  asSyscall,
  isNamed,
  type Json,
  type JsonObject,
  type Manifest,
  type ManifestText,
  offerOf,
  type Sys,
  syscallToolNamed,
  syscallTools,
  type ToolOffer,
} from "@aos/protocol";
import { leftBySkills } from "./skill-card.ts";

export class Toolbox {
  #offers: ToolOffer[];
  readonly #own: ReadonlySet<string>;

  constructor(offers: readonly ToolOffer[], own: readonly ToolOffer[]) {
    this.#offers = [...offers, ...own];
    this.#own = new Set(own.map(({ name }) => name));
  }

  static async open(sys: Sys, manifest: Manifest): Promise<Toolbox> {
    const offers = (await sys.read("/self/tools")) as unknown as ToolOffer[];
    return new Toolbox(offers, syscallOffers(manifest));
  }

  /** With those that a conversation brings, which are system calls. */
  offersWith(more: readonly ToolOffer[]): readonly ToolOffer[] {
    if (more.length === 0) return this.#offers;
    const known = new Set(this.#offers.map(({ name }) => name));
    return [...this.#offers, ...more.filter(({ name }) => !known.has(name))];
  }

  /** Of what is offered: the names of system calls. */
  ownWith(more: readonly ToolOffer[]): ReadonlySet<string> {
    if (more.length === 0) return this.#own;
    return new Set([...this.#own, ...more.map(({ name }) => name)]);
  }

  /** After a skill was read: only what it leaves. */
  async narrow(sys: Sys): Promise<void> {
    this.#offers = await leftBySkills(sys, this.#offers);
  }
}

interface SpawnWish {
  readonly agent?: string;
  readonly manifest?: JsonObject;
  readonly input: Json;
}

type Made = (sys: Sys, args: never) => Promise<unknown>;

const makers: Readonly<Record<string, Made>> = {
  spawn: (sys, { agent, manifest, input, ...options }: SpawnWish) =>
    sys.spawn(agent ?? { manifest: manifest as ManifestText }, input, options),
  wait: (sys, { pid }: { pid: string }) => sys.wait(pid),
  read: (sys, { path, ...piece }: { path: string }) => sys.read(path, piece),
  write: (sys, { path, data }: { path: string; data: Json }) => sys.write(path, data),
  list: (sys, { path }: { path: string }) => sys.list(path),
  search: (sys, { path, query, ...options }: { path: string; query: string }) =>
    sys.search(path, query, options),
  remove: (sys, { path }: { path: string }) => sys.remove(path),
  send: (sys, { to, body, ...options }: { to: string; body: Json }) => sys.send(to, body, options),
  receive: (sys, filter: object) => sys.receive(filter),
  request: (sys, { to, body, ...options }: { to: string; body: Json }) =>
    sys.request(to, body, options),
  publish: (sys, { topic, body }: { topic: string; body: Json }) => sys.publish(topic, body),
  subscribe: (sys, { topic }: { topic: string }) => sys.subscribe(topic),
  ask: (sys, { question, ...options }: { question: string }) => sys.ask(question, options),
};

/** Younger than agent 4: a manifest with `agent.*` has journals without them. */
const named: ReadonlySet<string> = new Set(["agent.create", "person.propose"]);

/** Those that a manifest's `tools` name. What was cut can always be read on, and skills be read. */
export function syscallOffers({ tools, skills = [] }: Pick<Manifest, "tools" | "skills">) {
  const always = new Set([
    ...(tools.length > 0 ? ["result.read"] : []),
    ...(skills.length > 0 ? ["skill.read"] : []),
  ]);
  return syscallTools
    .filter(
      ({ name }) =>
        (named.has(name) ? tools.includes(name) : isNamed(name, tools)) || always.has(name),
    )
    .map((tool): ToolOffer => offerOf(tool));
}

/** Throws what the call is refused with, and EINVAL for arguments that do not fit. */
export async function runSyscall(sys: Sys, tool: string, given: Json): Promise<Json> {
  const row = syscallToolNamed(tool)!;
  const { name, args } = asSyscall(row, given);
  const result = ((await makers[name]!(sys, args as never)) ?? null) as Json;
  return row.result(result, row.input.parse(given));
}
