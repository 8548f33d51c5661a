// Expiry: ends a running call when its grant expires.
//
// EXPIRY-1  An expired grant stops the calls that use it, like a revocation, unless the process holds another grant
//     that allows the same.

import { SysError } from "@aos/protocol";
import type { Platform } from "../platform/clock.ts";
import type { CallContext } from "../syscall/syscall-handler.ts";

/** A clock that was set is noticed within this time. */
const LOOK_AT_CLOCK_MS = 60_000;

/** Aborts the work when the first grant that its call stands on expires. Returns what ends the watch. */
export function watchExpiry(
  platform: Pick<Platform, "now">,
  context: Pick<CallContext, "call" | "renew">,
  work: { abort(reason: SysError): void },
): () => void {
  const { call } = context;
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    try {
      if (platform.now() >= call.expiresAt!) context.renew(); // EXPIRY-1
      watch();
    } catch {
      work.abort(new SysError("EACCES", "the grant that it used has expired"));
    }
  };
  const watch = () => {
    if (timer !== undefined) clearTimeout(timer);
    if (call.expiresAt === undefined) return;
    const leftMs = Math.max(0, call.expiresAt - platform.now());
    timer = setTimeout(look, Math.min(leftMs, LOOK_AT_CLOCK_MS));
  };
  call.onExpiryChange = watch;
  watch();
  return () => {
    if (timer !== undefined) clearTimeout(timer);
    call.onExpiryChange = undefined;
  };
}
