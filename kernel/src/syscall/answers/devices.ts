// infer and exec: what reaches outside, through a driver.

import { SysError, type Json, type SyscallArgs } from "@aos/protocol";
import { UNLABELLED } from "../../label/label.ts";
import type { Answer, Asked } from "../answer.ts";

/** Runs a driver's work with the call's time limit, and stops it when the call is cancelled. */
async function drive<T>(
  asked: Asked,
  limitMs: number | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { call } = asked;
  const stop = new AbortController();
  call.onCancel = () => stop.abort(new SysError("EINTR", "nobody waits for it any more"));
  if (call.cancelled) stop.abort();
  const timer =
    limitMs === undefined
      ? undefined
      : setTimeout(
          () => stop.abort(new SysError("ETIMEDOUT", `it took longer than ${limitMs} ms`)),
          limitMs,
        );
  try {
    const aborted = new Promise<never>((_, reject) => {
      stop.signal.addEventListener("abort", () => reject(stop.signal.reason as Error), {
        once: true,
      });
    });
    aborted.catch(() => {}); // the race below may be over by then
    return await Promise.race([work(stop.signal), aborted]);
  } catch (error) {
    if (error instanceof SysError) throw error;
    throw new SysError("EUPSTREAM", error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
    call.onCancel = undefined;
  }
}

export const infer: Answer<"infer"> = async (_world, args, asked) => {
  asked.call.waitsOn = "model";
  const { process, action } = asked;
  const reply = await drive(asked, asked.permit.timeoutMs, (signal) =>
    action.model!.infer(args as SyscallArgs<"infer">, {
      pid: process.pid,
      tenant: process.tenantName,
      signal,
      key: keyOf(asked),
    }),
  );
  const { usd, ...rest } = reply;
  const tokens = reply.usage.inputTokens + reply.usage.outputTokens;
  return { value: rest as unknown as Json, spent: { usd, tokens, toolCalls: 0 } };
};

export const exec: Answer<"exec"> = async (_world, args, asked) => {
  asked.call.waitsOn = "tool";
  const { process, permit } = asked;
  const tool = asked.action.tool!;
  const limitMs = Math.min(permit.timeoutMs ?? Infinity, args.timeoutMs ?? Infinity);
  const value = await drive(asked, limitMs === Infinity ? undefined : limitMs, (signal) =>
    tool.run(args.args, {
      pid: process.pid,
      tenant: process.tenantName,
      signal,
      key: keyOf(asked),
    }),
  );
  return {
    value: value ?? null,
    spent: { usd: 0, tokens: 0, toolCalls: 1 },
    label: tool.label ?? UNLABELLED,
  };
};

/** The same for every try of the same call of the same process. */
export function keyOf({ process, call }: Pick<Asked, "process" | "call">): string {
  const given = (call.args as { key?: unknown } | null)?.key;
  return typeof given === "string" ? given : `${process.pid}.${call.n}`;
}
