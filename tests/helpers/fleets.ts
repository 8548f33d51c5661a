// A kernel with fleets for tests, on a clock that goes on by itself and can be moved.

import type { Kernel, KernelOptions } from "@aos/kernel";
import { newPlatform, type Platform } from "@aos/kernel/parts";
import type { FleetItemReport, ItemState, Json } from "@aos/protocol";
import { bootForTest, until } from "./kernel.ts";

const START = Date.parse("2026-05-04T12:00:01Z");
export const MINUTE = 60_000;
export const by = "tester";

/** Goes on by itself, and further when it is moved. */
function handClock(start = START): Platform & { move(ms: number): void } {
  const real = newPlatform();
  const begun = real.now();
  let moved = 0;
  const now = () => start + (real.now() - begun) + moved;
  return {
    now,
    wall: now,
    notBefore: (ms) => void (moved += Math.max(0, ms - now())),
    random: () => real.random(),
    bytes: (count) => real.bytes(count),
    move: (ms) => void (moved += ms),
  };
}

export const fleetText = (more: Record<string, unknown> = {}) => ({
  apiVersion: "aos/v1",
  kind: "Fleet",
  name: "workers",
  agent: "work",
  restart: { backoff: "1ms", maxBackoff: "1ms" },
  ...more,
});

export type Hands = { exec(tool: string, args: unknown): Promise<unknown> };

const programs = {
  work: async (_sys: unknown, input: unknown) => `did ${JSON.stringify(input)}`,
  fail: async () => {
    throw new Error("no");
  },
  hold: async (sys: Hands) => sys.exec("look", { hold: true }),
  pay: async (sys: Hands) => {
    await sys.exec("pay", {});
    throw new Error("after the payment");
  },
} as NonNullable<Parameters<typeof bootForTest>[0]>["programs"];

export async function booted(more: Partial<KernelOptions> = {}) {
  const clock = handClock();
  const found = await bootForTest({
    programs: { ...programs, ...more.programs },
    platform: clock,
    scheduleLookMs: 5,
    ...Object.fromEntries(Object.entries(more).filter(([name]) => name !== "programs")),
  } as Parameters<typeof bootForTest>[0]);
  return { ...found, clock };
}

export const send = (kernel: Kernel, input: Json, key?: string, name = "workers") =>
  kernel.sendFleetItem(name, { input, by, ...(key === undefined ? {} : { key }) });

export const itemsOf = async (kernel: Kernel, name = "workers") =>
  (await kernel.fleetItems(name, { limit: 1000 })).toReversed();

export async function inState(kernel: Kernel, state: ItemState, count: number, name = "workers") {
  let found: FleetItemReport[] = [];
  await until(async () => {
    found = await kernel.fleetItems(name, { state, limit: 1000 });
    return found.length >= count;
  }, `${count} items that are ${state}`);
  return found;
}

export const eventsOf = async (kernel: Kernel, name = "workers") =>
  (await kernel.fleetEvents(name)).toReversed().map(({ what, detail }) => `${what} ${detail}`);
