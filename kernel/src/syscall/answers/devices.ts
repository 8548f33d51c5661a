// infer and exec: what reaches outside, through a driver.

import { MAX_TIMER_MS } from "../../platform/clock.ts";
import { SysError, type DeviceContext, type Json } from "@aos/protocol";
import { UNLABELLED } from "../../label/label.ts";
import type { Amount } from "../../budget/accounts.ts";
import type { Answer, Answered, Asked } from "../answer.ts";

/** A timer cannot be longer; 24 days are as good as for ever. */

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
function drive<T>(
  asked: Asked,
  limitMs: number,
  run: (work: Work) => Promise<T>,
  answer: (result: T) => Answered,
): Promise<Answered> {
  const { call } = asked;
  const work = new Work(asked);
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const over = () => {
      if (timer !== undefined) clearTimeout(timer);
      call.onCancel = undefined;
    };
    const fail = (error: unknown) => {
      over();
      reject(error instanceof SysError ? error : new SysError("EUPSTREAM", messageOf(error)));
    };
    work.onAbort = fail;
    call.onCancel = () => work.abort(new SysError("EINTR", "nobody waits for it any more"));
    if (limitMs !== Infinity) {
      const timeUp = () =>
        work.abort(new SysError("ETIMEDOUT", `it took longer than ${limitMs} ms`));
      timer = setTimeout(timeUp, Math.min(limitMs, MAX_TIMER_MS));
    }
    try {
      run(work).then((result) => {
        try {
          resolve(answer(result));
          over();
        } catch (error) {
          fail(error);
        }
      }, fail);
    } catch (error) {
      fail(error);
    }
  });
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

export const infer: Answer<"infer"> = (_world, args, asked) => {
  asked.call.waitsOn = "model";
  const model = asked.action.model!;
  return drive(
    asked,
    asked.permit.timeoutMs ?? Infinity,
    (work) => model.infer(args, work),
    ({ usd, ...reply }) => {
      const tokens = reply.usage.inputTokens + reply.usage.outputTokens;
      return { value: reply as unknown as Json, spent: { usd, tokens, toolCalls: 0 } };
    },
  );
};

const ONE_TOOL_CALL: Amount = { usd: 0, tokens: 0, toolCalls: 1 };

export const exec: Answer<"exec"> = (_world, args, asked) => {
  asked.call.waitsOn = "tool";
  const tool = asked.action.tool!;
  const limitMs = Math.min(asked.permit.timeoutMs ?? Infinity, args.timeoutMs ?? Infinity);
  return drive(
    asked,
    limitMs,
    (work) => tool.run(args.args, work),
    (value) => ({ value: value ?? null, spent: ONE_TOOL_CALL, label: tool.label ?? UNLABELLED }),
  );
};

/** The same for every try of the same call of the same process. */
export function keyOf({ process, call }: Pick<Asked, "process" | "call">): string {
  const given = (call.args as { key?: unknown } | null)?.key;
  return typeof given === "string" ? given : `${process.pid}.${call.n}`;
}
