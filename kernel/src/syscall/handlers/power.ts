// grant and revoke: power handed on to another process, and taken back.

import type { SyscallHandler } from "../syscall-handler.ts";

export const grant: SyscallHandler<"grant"> = (services, args, { process, action }) =>
  services.grant(process, args, action.target!);

export const revoke: SyscallHandler<"revoke"> = (services, { handle }, { process }) =>
  services.revoke(process, handle);
