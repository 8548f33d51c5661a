// grant and revoke: power handed on to another process, and taken back.

import type { Answer } from "../answer.ts";

export const grant: Answer<"grant"> = (world, args, { process, action }) =>
  world.grant(process, args, action.target!);

export const revoke: Answer<"revoke"> = (world, { handle }, { process }) =>
  world.revoke(process, handle);
