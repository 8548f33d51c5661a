// The section `goals` of config.yaml: what a goal is where nobody says otherwise.

import { z } from "zod";

const names = z.array(z.string().min(1)).min(1).optional();

export const goalSection = {
  goals: z
    .strictObject({
      model: names,
      planner: z.string().min(1).optional(),
      roles: names,
      capabilities: names,
      parallel: z.number().int().min(1).max(64).optional(),
    })
    .default({}),
};
