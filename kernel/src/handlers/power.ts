// grant and revoke.

import type { SyscallHandler } from "../syscall/syscall-handler.ts";
import type { GrantServices } from "./services.ts";

export const grant: SyscallHandler<"grant", GrantServices> = (
  services,
  args,
  { process, action },
) => services.grant(process, args, action.target!);

export const revoke: SyscallHandler<"revoke", GrantServices> = (
  services,
  { handle },
  { process },
) => services.revoke(process, handle);
