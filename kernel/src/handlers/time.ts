// now, random, sleep, checkpoint: the only sources of time and randomness of a program.

import { SysError } from "@aos/protocol";
import type { CallContext, SyscallHandler } from "../syscall/syscall-handler.ts";
import type { TimeServices } from "./services.ts";

export const now: SyscallHandler<"now", TimeServices> = (services, { clock }) => ({
  value: clock === "wall" ? services.platform.wall() : services.platform.now(),
});

export const random: SyscallHandler<"random", TimeServices> = (services) => ({
  value: services.platform.random(),
});

/** A time of day is looked at again so often: the machine's clock may have been set meanwhile. */
const LOOK_AGAIN_MS = 60_000;

export const sleep: SyscallHandler<"sleep", TimeServices> = async (
  { platform },
  { until, clock },
  asked,
) => {
  if (clock !== "wall") {
    if (until > platform.now()) await sleepUntil(until, asked);
    return { value: null };
  }
  for (;;) {
    const leftMs = until - platform.wall();
    if (leftMs <= 0) return { value: null };
    await sleepUntil(platform.now() + Math.min(leftMs, LOOK_AGAIN_MS), asked);
  }
};

async function sleepUntil(until: number, asked: CallContext): Promise<void> {
  try {
    await asked.waitFor("timer", until, () => () => {});
  } catch (error) {
    if (error instanceof SysError && error.code === "ETIMEDOUT") return; // that is what it waited for
    throw error;
  }
}

export const checkpoint: SyscallHandler<"checkpoint", TimeServices> = (
  _services,
  _args,
  { process },
) => {
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
