// CompletionRequest: one request that starts a run, from the identified caller to the answer or its stream.
//
// COMPLETION-REQUEST-1  The caller must be allowed to `spawn`, and the run belongs to the caller's tenant.
// COMPLETION-REQUEST-2  A disconnect ends the run (client-run.ts, OPENAI-RUN-2), unless it runs in the background or an
//     Idempotency-Key says that the caller may return. The same key leads to the same run.
// COMPLETION-REQUEST-3  A stream of an answer is one of the caller's event streams: one too many is refused before
//     anything is started (stream-limit.ts).

import { type ProcessId, SysError } from "@aos/protocol";
import type { Context } from "hono";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import { callerOf, takeStream, type GatewayEnv } from "../gateway/caller.ts";
import { requireOperation } from "../gateway/call-operation.ts";
import { parseJson } from "../gateway/read-request.ts";
import { toFailureText } from "../gateway/problem.ts";
import { tenantContext } from "../gateway/tenant-context.ts";
import { whenSent } from "../gateway/when-sent.ts";
import type { ClientRequest } from "./client-request.ts";
import { runFailed } from "./error-shape.ts";
import {
  streamReply,
  interrupt,
  type ClientSignals,
  type ClientRun,
  startClientRun,
} from "./client-run.ts";
import { sseResponse } from "./sse.ts";
import { continueThread, type Thread } from "./thread.ts";

export interface CompletionStream {
  readonly told: ReturnType<typeof streamReply>;
  readonly onFailure: (error: unknown) => ReturnType<typeof toFailureText>;
}

export class CompletionRequest {
  readonly #context: Context<GatewayEnv>;
  readonly #gateway: GatewayContext;
  readonly #gone: AbortSignal;
  #stays = false;
  /** Gives the event stream back, where one was taken. */
  #release = (): void => {};

  constructor(context: Context<GatewayEnv>, gateway: GatewayContext) {
    const caller = callerOf(context);
    requireOperation(caller, "spawn"); // COMPLETION-REQUEST-1
    this.#context = context;
    this.#gateway = tenantContext(gateway, caller);
    this.#gone = AbortSignal.any([context.req.raw.signal, caller.gone]);
  }

  get kernel(): GatewayContext["kernel"] {
    return this.#gateway.kernel;
  }

  get listener(): ClientSignals {
    return { gone: this.#gone, closing: this.#gateway.closing };
  }

  async body(): Promise<unknown> {
    return parseJson(await this.#context.req.text());
  }

  /** Nobody has to wait for it. */
  stay(): void {
    this.#stays = true;
  }

  async start(ask: ClientRequest, before: Thread): Promise<ClientRun> {
    if (ask.stream) this.#release = takeStream(this.#context); // COMPLETION-REQUEST-3
    try {
      return await this.#start(ask, before);
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  async #start(ask: ClientRequest, before: Thread): Promise<ClientRun> {
    const thread = await continueThread(this.kernel, before, ask.messages);
    const by = callerOf(this.#context).id;
    const run = await this.#once((pid) => startClientRun(this.#gateway, ask, thread, { by, pid }));
    if (this.#gone.aborted) this.#hangUp(run);
    else this.#gone.addEventListener("abort", () => this.#hangUp(run), { once: true });
    return run;
  }

  async answer({ pid }: ClientRun, make: () => Promise<object>): Promise<Response> {
    try {
      return Response.json(await make(), { headers: headersOf(pid) });
    } catch (error) {
      return runFailed(this.#onFailure(error), headersOf(pid));
    } finally {
      this.stay();
    }
  }

  stream(run: ClientRun, frames: (heard: CompletionStream) => AsyncGenerator<string>): Response {
    const heard = { told: this.#toTheEnd(run), onFailure: this.#onFailure };
    this.#gone.addEventListener("abort", this.#release, { once: true });
    return whenSent(sseResponse(frames(heard), headersOf(run.pid)), this.#release);
  }

  async *#toTheEnd(run: ClientRun): ReturnType<typeof streamReply> {
    try {
      yield* streamReply(this.kernel, run, this.listener);
    } finally {
      this.stay(); // whoever goes from here on leaves nothing behind
    }
  }

  /** COMPLETION-REQUEST-2. The key keeps the pid; the run itself is the answer that is given again. */
  async #once(start: (pid?: ProcessId) => Promise<ClientRun>): Promise<ClientRun> {
    const { req } = this.#context;
    const key = req.header("idempotency-key");
    if (key === undefined) return start();
    if (!/^[\x21-\x7e]{1,200}$/.test(key))
      throw new SysError("EINVAL", "an Idempotency-Key must be 1 to 200 visible ASCII characters");
    const request = `POST ${req.path}\n${await req.text()}`;
    const { repeats } = this.#gateway;
    const caller = callerOf(this.#context).id;
    const begun = repeats.begin({ caller, key, request, isSpawn: true });
    if (!("entry" in begun)) throw new SysError("EINVAL", "the key was used for another request");
    try {
      const run = await start(begun.pid);
      this.stay();
      return run;
    } finally {
      repeats.finish(begun, { status: 202, body: "", code: "EAGAIN" });
    }
  }

  #hangUp({ pid }: ClientRun): void {
    if (this.#stays || this.#gateway.closing.aborted) return;
    interrupt(this.kernel, pid).catch(this.#gateway.onMistake);
  }

  readonly #onFailure = (error: unknown) => toFailureText(error, this.#gateway.onMistake);
}

const headersOf = (pid: ProcessId): Record<string, string> => ({ "x-request-id": pid });
