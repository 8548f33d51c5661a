// Cgroups: a pool of cgroups for later runs. Creating and removing them takes longer than the rest of a short run.
//
// CGROUP-1  A process is in every folder of its group before it does anything.
// CGROUP-2  A group is reused only when it is empty.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { markOf, type DaemonMark } from "../owner.ts";
import type { Group, GroupRequest, Groups, GroupUse, KernelLimit } from "../group.ts";
import type { CgroupSet, Counters, Hierarchy } from "./hierarchy.ts";
import { WarmEntry } from "./warm-entry.ts";
import { findCgroups, type CgroupPaths } from "./places.ts";
import { hierarchyV1 } from "./v1.ts";
import { hierarchyV2 } from "./v2.ts";

/** More are removed after their run. */
const KEPT = 64;
/** Somebody whom the kernel does not let die (a dead disk) is not waited for any longer. */
const END_MS = 10_000;

export function cgroupPlaces(): CgroupPaths | undefined {
  try {
    return findCgroups(
      readFileSync("/proc/self/mountinfo", "utf8"),
      readFileSync("/proc/self/cgroup", "utf8"),
    );
  } catch {
    return undefined;
  }
}

/** What this machine lets us make, if anything. */
export function findHierarchy(places: CgroupPaths, owner: DaemonMark): Hierarchy | undefined {
  try {
    const moved = { ownName: `${markOf(owner)}-daemon`, pid: owner.pid };
    return hierarchyV2(places, moved) ?? hierarchyV1(places);
  } catch {
    return undefined;
  }
}

/** Of all the sandboxes of this process: names are not used twice. */
let made = 0;

export class Cgroups implements Groups {
  readonly isEnforced = true;
  readonly mechanism: string;
  readonly #hierarchy: Hierarchy;
  readonly #owner: DaemonMark;
  readonly #entry: WarmEntry;
  readonly #idle: CgroupGroup[] = [];

  constructor(hierarchy: Hierarchy, owner: DaemonMark) {
    this.#hierarchy = hierarchy;
    this.#owner = owner;
    this.mechanism = hierarchy.mechanism;
    this.#entry = new WarmEntry(join(hierarchy.own, "cgroup.procs"));
  }

  async take({ limits }: GroupRequest): Promise<Group> {
    this.#entry.keep();
    const group = this.#idle.pop() ?? this.#make();
    try {
      group.begin(limits);
      return group;
    } catch {
      // What an earlier run left in memory can be more than this one may have.
      group.remove();
      const fresh = this.#make();
      fresh.begin(limits);
      return fresh;
    }
  }

  giveBack(group: Group): void {
    const given = group as CgroupGroup;
    this.#entry.keep();
    // CGROUP-2
    if (!given.isEmpty) return;
    if (this.#idle.length < KEPT) this.#idle.push(given);
    else given.remove();
  }

  async close(): Promise<void> {
    this.#entry.close();
    for (const group of this.#idle.splice(0)) group.remove();
  }

  #make(): CgroupGroup {
    made += 1;
    return new CgroupGroup(this.#hierarchy.make(`${markOf(this.#owner)}-${made}`));
  }
}

class CgroupGroup implements Group {
  readonly #set: CgroupSet;
  #before: Counters;

  constructor(set: CgroupSet) {
    this.#set = set;
    this.#before = set.counters();
  }

  begin(limits: GroupRequest["limits"]): void {
    this.#set.setLimits(limits);
    this.#set.restart();
    this.#before = this.#set.counters();
  }

  async admit(pid: number): Promise<void> {
    const [first, ...others] = this.#set.folders;
    await first!.admitFirst(pid);
    for (const folder of others) folder.admit(pid);
  }

  use(): GroupUse {
    const { cpuMs, memoryBytes, memoryKills, refusedForks } = this.#set.counters();
    const before = this.#before;
    let hit: KernelLimit | undefined;
    if (refusedForks > before.refusedForks) hit = "processes";
    if (memoryKills > before.memoryKills) hit = "memoryBytes";
    return { cpuMs: cpuMs === null ? null : cpuMs - (before.cpuMs ?? 0), memoryBytes, hit };
  }

  get isEmpty(): boolean {
    // A process in one folder is in all of them (CGROUP-1).
    return this.#set.folders[0]!.members().length === 0;
  }

  async end(): Promise<void> {
    const until = performance.now() + END_MS;
    for (let tries = 0; !this.isEmpty && performance.now() < until; tries++) {
      this.#set.kill();
      for (const pid of this.#set.folders[0]!.members()) kill(pid);
      // Mostly they are gone in the next moment.
      await (tries < 5 ? nextTurn() : delay(Math.min(tries, 20)));
    }
  }

  remove(): void {
    for (const folder of this.#set.folders) folder.remove();
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}
