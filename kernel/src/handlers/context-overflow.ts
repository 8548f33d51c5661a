// Context overflow: how much of a model's window a context uses, and the signal about it.
//
// CONTEXT-OVERFLOW-1  A request with more tokens than the model's window is refused before it is sent.
// CONTEXT-OVERFLOW-2  After the first answer the provider's own count is used.
// CONTEXT-OVERFLOW-3  SIGCTX is sent once, and again only after the context was shorter.

import { isSummaryRequest, SysError, type SyscallArgs } from "@aos/protocol";
import type { Process } from "../process/process.ts";
import type { CallContext } from "../syscall/syscall-handler.ts";
import type { ModelServices } from "./services.ts";

/** How full a context is when its process is told so, unless its manifest says. */
const NEARLY_FULL = 0.7;

type Request = SyscallArgs<"infer">;

/** CONTEXT-OVERFLOW-1. Returns the window that is to be used; null where none is known. */
export function refuseOverflow(
  services: ModelServices,
  { process }: CallContext,
  args: Request,
): number | null {
  const chosen = process.manifest.context?.window;
  const measured = services.devices.model(args.model).measure?.(args);
  if (measured === undefined) return chosen ?? null;
  const { window: own } = measured.card;
  if (own !== null && measured.tokens > own)
    throw new SysError(
      "ECONTEXT",
      `${args.model} takes in ${own} tokens, and these messages have ${measured.tokens}`,
      {
        hint: "show it less: an agent compacts its context at context.compactAt of its manifest",
        detail: { tokens: measured.tokens, window: own },
      },
    );
  return own === null ? (chosen ?? null) : Math.min(own, chosen ?? own);
}

/** Those that were told, and whose context has not become shorter since. */
const told = new WeakSet<Process>();

/** CONTEXT-OVERFLOW-3. True when it is to be told now. */
export function isNewlyFull(
  process: Process,
  { messages }: Request,
  { tokens, window }: { tokens: number; window: number | null },
): boolean {
  if (window === null || isSummaryRequest(messages)) return false; // a summary's is no turn of its own
  const isFull = tokens >= (process.manifest.context?.compactAt ?? NEARLY_FULL) * window;
  const wasTold = told.has(process);
  if (isFull) told.add(process);
  else told.delete(process);
  return isFull && !wasTold;
}
