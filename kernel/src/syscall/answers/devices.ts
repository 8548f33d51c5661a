// infer and exec: what reaches outside, through a driver.

import { SysError, type DeviceContext, type Json } from "@aos/protocol";
import { UNLABELLED } from "../../label/label.ts";
import type { Answer, Asked } from "../answer.ts";

/** A timer cannot be longer; 24 days are as good as for ever. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * What a driver is told of the call it works for. The abort signal is made when it is asked for: most
 * calls are over before anybody would.
 */
class Work implements DeviceContext {
  readonly pid: string;
  readonly tenant: string;
  readonly key: string;
  #stop: AbortController | undefined;
  #reason: SysError | undefined;
  /** Set by whoever waits for the work. */
  onAbort: (reason: SysError) => void = () => {};

  constructor(asked: Asked) {
    this.pid = asked.process.pid;
    this.tenant = asked.process.tenantName;
    this.key = keyOf(asked);
  }

  get signal(): AbortSignal {
    if (this.#stop === undefined) {
      this.#stop = new AbortController();
      if (this.#reason !== undefined) this.#stop.abort(this.#reason);
    }
    return this.#stop.signal;
  }

  abort(reason: SysError): void {
    this.#reason ??= reason;
    this.#stop?.abort(reason);
    this.onAbort(reason);
  }
}

/** Runs a driver's work with the call's time limit, and stops it when the call is cancelled. */
async function drive<T>(
  asked: Asked,
  limitMs: number | undefined,
  run: (work: Work) => Promise<T>,
): Promise<T> {
  const { call } = asked;
  const work = new Work(asked);
  call.onCancel = () => work.abort(new SysError("EINTR", "nobody waits for it any more"));
  const timer =
    limitMs === undefined
      ? undefined
      : setTimeout(
          () => work.abort(new SysError("ETIMEDOUT", `it took longer than ${limitMs} ms`)),
          Math.min(limitMs, MAX_TIMER_MS),
        );
  try {
    return await new Promise<T>((resolve, reject) => {
      work.onAbort = reject;
      run(work).then(resolve, reject);
    });
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
  const reply = await drive(asked, asked.permit.timeoutMs, (work) =>
    asked.action.model!.infer(args, work),
  );
  const { usd, ...rest } = reply;
  const tokens = reply.usage.inputTokens + reply.usage.outputTokens;
  return { value: rest as unknown as Json, spent: { usd, tokens, toolCalls: 0 } };
};

export const exec: Answer<"exec"> = async (_world, args, asked) => {
  asked.call.waitsOn = "tool";
  const { permit } = asked;
  const tool = asked.action.tool!;
  const limitMs = Math.min(permit.timeoutMs ?? Infinity, args.timeoutMs ?? Infinity);
  const value = await drive(asked, limitMs === Infinity ? undefined : limitMs, async (work) =>
    tool.run(args.args, work),
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
