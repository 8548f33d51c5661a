// now, random, sleep, checkpoint: what a program may not take from anywhere else.

import { SysError } from "@aos/protocol";
import type { Answer } from "../answer.ts";

export const now: Answer<"now"> = (world) => ({ value: world.platform.now() });

export const random: Answer<"random"> = (world) => ({ value: world.platform.random() });

export const sleep: Answer<"sleep"> = async (world, { until }, asked) => {
  if (until <= world.platform.now()) return { value: null };
  return asked
    .waitFor("timer", until, () => () => {})
    .catch((error: unknown) => {
      if (error instanceof SysError && error.code === "ETIMEDOUT") return { value: null }; // that is what it waited for
      throw error;
    });
};

export const checkpoint: Answer<"checkpoint"> = (_world, _args, { process }) => {
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
