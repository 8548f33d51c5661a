// grant and revoke: power handed on to another process, and taken back.

import type { Answer } from "../answer.ts";

export const grant: Answer<"grant"> = (services, args, { process, action }) =>
  services.grant(process, args, action.target!);

export const revoke: Answer<"revoke"> = (services, { handle }, { process }) =>
  services.revoke(process, handle);
