// now, random, sleep, checkpoint: what a program may not take from anywhere else.

import { SysError } from "@aos/protocol";
import type { SyscallHandler, CallContext } from "../syscall-handler.ts";

export const now: SyscallHandler<"now"> = (services, { clock }) => ({
  value: clock === "wall" ? services.platform.wall() : services.platform.now(),
});

export const random: SyscallHandler<"random"> = (services) => ({
  value: services.platform.random(),
});

/** A time of day is looked at again so often: the machine's clock may have been set meanwhile. */
const LOOK_AGAIN_MS = 60_000;

export const sleep: SyscallHandler<"sleep"> = async ({ platform }, { until, clock }, context) => {
  if (clock !== "wall") {
    if (until > platform.now()) await sleepUntil(until, context);
    return { value: null };
  }
  for (;;) {
    const leftMs = until - platform.wall();
    if (leftMs <= 0) return { value: null };
    await sleepUntil(platform.now() + Math.min(leftMs, LOOK_AGAIN_MS), context);
  }
};

async function sleepUntil(until: number, context: CallContext): Promise<void> {
  try {
    await context.waitFor("timer", until, () => () => {});
  } catch (error) {
    if (error instanceof SysError && error.code === "ETIMEDOUT") return; // that is what it waited for
    throw error;
  }
}

export const checkpoint: SyscallHandler<"checkpoint"> = (_world, _args, { process }) => {
  if (process.pending.size > 1) {
    throw new SysError("EINVAL", "a checkpoint with other calls under way would lose them", {
      hint: "await them first",
    });
  }
  return {
    value: null,
    label: process.label,
    after: () => process.streams.clear(), // who starts from here has none open
  };
};
