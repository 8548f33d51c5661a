// Channels: groups of people that a question can go to, from the operator's configuration.
//
//   quorumOf(channel, wanted)     how many people must agree
//   refuse(channel, person)       throws for a person who may not answer there
//
// CHANNELS-1  A channel whose quorum cannot be reached is an error when it is loaded.
// CHANNELS-2  An unknown channel is an error; it never means everybody.
// CHANNELS-3  A name that is a pid never answers: programs are not people.

import { SysError } from "@aos/protocol";
import type { Channel } from "../options.ts";

export class Channels {
  readonly #channels: ReadonlyMap<string, Channel>;

  /** CHANNELS-1. */
  constructor(channels: Readonly<Record<string, Channel>>) {
    this.#channels = new Map(Object.entries(channels));
    for (const [name, channel] of this.#channels) {
      const problem = problemOf(channel);
      if (problem !== undefined) throw new SysError("EINVAL", `the channel ${name} ${problem}`);
    }
  }

  get names(): readonly string[] {
    return [...this.#channels.keys()];
  }

  /** Null for a question to whoever may answer at all; nobody where the channel is gone. */
  people(channel: string | null): readonly string[] | null {
    return channel === null ? null : (this.#channels.get(channel)?.people ?? []);
  }

  /** The larger of what is wanted and what the channel itself asks for (CHANNELS-1). */
  quorumOf(channel: string | null, wanted: number): number {
    if (channel === null) return wanted;
    const { people, quorum = 1 } = this.#find(channel);
    const needed = Math.max(wanted, quorum);
    if (needed <= people.length) return needed;
    throw new SysError(
      "EPOLICY",
      `${needed} people must agree, but the channel ${channel} has only ${people.length}`,
      { hint: "the operator can add people to the channel" },
    );
  }

  refuse(channel: string | null, person: string): void {
    if (person.trim() === "") throw new SysError("EINVAL", "the person who answers needs a name");
    if (person.startsWith("agt_"))
      throw new SysError("EACCES", `${person} is a process, and only people may answer`);
    if (channel === null) return;
    const { people } = this.#find(channel);
    if (people.includes(person)) return;
    throw new SysError("EACCES", `${person} is not in the channel ${channel}`, {
      hint: `these people may answer: ${people.join(", ")}`,
    });
  }

  #find(name: string): Channel {
    const channel = this.#channels.get(name);
    if (channel !== undefined) return channel;
    const known = this.names.length === 0 ? "none" : this.names.join(", ");
    throw new SysError("EINVAL", `unknown channel ${name}`, {
      hint: `configured channels: ${known}`,
    });
  }
}

function problemOf({ people, quorum = 1 }: Channel): string | undefined {
  if (people.length === 0) return "has no people";
  if (new Set(people).size < people.length) return "names a person twice";
  const program = people.find((person) => person.startsWith("agt_") || person.trim() === "");
  if (program !== undefined) return `contains ${JSON.stringify(program)}, which is not a person`;
  if (!Number.isInteger(quorum) || quorum < 1)
    return "needs a quorum that is a whole number of at least 1";
  if (quorum > people.length)
    return `has ${people.length} people, fewer than its quorum of ${quorum}`;
  return undefined;
}
