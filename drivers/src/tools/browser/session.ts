// BrowserSession: the browser of one process tree. It is kept between calls, with its cookies and windows.
//
// BROWSER-SESSION-1  One call at a time; the others wait.
// BROWSER-SESSION-2  A cancelled call, or one that the browser does not answer in time, ends the browser, because its
//     further actions would belong to no call.
// BROWSER-SESSION-3  After its end it has left no process, socket or file. Waiting calls fail with the
//     reason.
// BROWSER-SESSION-4  A dying browser closes its windows first. A failure that could be a sign of this is reported
//     only after the browser has proved to be alive.
// BROWSER-SESSION-5  Data given to a page in one call may be read in another: its secrecy counts for all later calls
//     of the tree (retained-secrecy.ts).

import { setImmediate as nextTurn } from "node:timers/promises";
import { SysError, type DeviceContext } from "@aos/protocol";
import { z } from "zod";
import { RetainedSecrecy } from "../../workspace/retained-secrecy.ts";
import { describeReport } from "../../sandbox/index.ts";
import { openProxy, type Proxy } from "../../sandbox/proxy/index.ts";
import { proxyEnvironment } from "../../sandbox/relay.ts";
import type { RunEnding, SandboxedRun } from "../../sandbox/sandbox.ts";
import type { EgressOptions } from "../../web/egress.ts";
import type { ProgramRunner } from "../program-runner.ts";
import { Cdp, type CdpEvent, checkReply } from "./cdp.ts";
import { startChromium } from "./chromium.ts";
import { PageGate, PageCall } from "./page-gate.ts";
import { judgeRequest } from "./requests.ts";
import { OpenPages } from "./open-pages.ts";

export interface CallOptions {
  /** Whether the page may send while the call runs. */
  readonly isOnline: boolean;
  readonly timeoutMs: number;
  /** The page that the gate has been asked about with the call. */
  readonly asked?: string;
}

/** For what comes after a time-out of the call's own: to stop the page, to say where it is. */
const GRACE_MS = 5000;
const START_MS = 60_000;
const MAX_SAID_CHARS = 2000;

const attached = z.object({
  sessionId: z.string(),
  targetInfo: z.object({ targetId: z.string(), type: z.string() }),
});
const detached = z.object({ sessionId: z.string() });
const download = z.object({ url: z.string(), guid: z.string() });

export class BrowserSession {
  readonly ended: Promise<void>;
  lastUsedAt = performance.now();
  readonly #gate: PageGate;
  readonly #run: SandboxedRun;
  readonly #cdp: Cdp;
  readonly #windows: OpenPages;
  readonly #heldBy: string;
  #why: SysError | undefined;
  #said = "";
  readonly #kept = new RetainedSecrecy(); // BROWSER-SESSION-5
  #queue: Promise<unknown> = Promise.resolve();
  #calls = 0;

  static async start(
    runner: ProgramRunner,
    opener: DeviceContext,
    egress: EgressOptions,
    startBrowser: typeof startChromium = startChromium,
  ): Promise<BrowserSession> {
    const sandbox = await runner.sandbox();
    const gate = new PageGate();
    const context = gate.contextOf(opener);
    const proxy = await openProxy({ ...egress, context, folder: runner.socketFolder });
    let session: BrowserSession | undefined;
    try {
      const run = await startBrowser(sandbox, proxy);
      session = new BrowserSession({ run, proxy, gate, heldBy: describeReport(sandbox.report) });
      await session.#within(session.#begin(), START_MS, "the browser did not start in time");
      return session;
    } catch (error) {
      await session?.end(new SysError("EUPSTREAM", "the browser did not start"));
      await proxy.close();
      throw error;
    }
  }

  private constructor(parts: {
    readonly run: SandboxedRun;
    readonly proxy: Proxy;
    readonly gate: PageGate;
    readonly heldBy: string;
  }) {
    const { run, proxy, gate } = parts;
    this.#run = run;
    this.#gate = gate;
    this.#heldBy = parts.heldBy;
    this.#cdp = new Cdp({
      input: run.stdin!,
      output: run.stdout!,
      onEvent: (event) => this.#take(event),
      onBroken: (error) => void this.end(error),
    });
    this.#windows = new OpenPages(this.#cdp, gate);
    run.stderr!.on("data", (chunk) => {
      this.#said = (this.#said + String(chunk)).slice(-MAX_SAID_CHARS);
    });
    this.ended = run.ended.then(async (ending) => {
      this.#why ??= reasonOf(ending, this.#said);
      this.#cdp.end(this.#why);
      await proxy.close();
    });
  }

  get isOver(): boolean {
    return this.#why !== undefined;
  }

  get isBusy(): boolean {
    return this.#calls > 0;
  }

  /** BROWSER-SESSION-3. */
  async end(why: SysError): Promise<void> {
    this.#why ??= why;
    this.#gate.close();
    this.#cdp.end(this.#why);
    this.#run.kill();
    await this.ended;
  }

  /** BROWSER-SESSION-1. */
  async call<Result>(
    context: DeviceContext,
    options: CallOptions,
    work: (windows: OpenPages, call: PageCall) => Promise<Result>,
  ): Promise<Result> {
    this.#calls += 1;
    const turn = this.#queue.then(() => this.#one(context, options, work));
    this.#queue = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      this.#calls -= 1;
      this.lastUsedAt = performance.now();
    }
  }

  async #one<Result>(
    context: DeviceContext,
    { isOnline, timeoutMs, asked }: CallOptions,
    work: (windows: OpenPages, call: PageCall) => Promise<Result>,
  ): Promise<Result> {
    const { signal } = context;
    if (this.#why !== undefined) throw this.#why;
    if (signal.aborted) throw stopped(signal);
    context.heldBy(this.#heldBy);
    this.#kept.joinInto(context);
    if (isOnline) this.#kept.hear(context.hasRead);
    const call = new PageCall(context, isOnline, asked);
    const stop = () => void this.end(stopped(signal));
    signal.addEventListener("abort", stop, { once: true });
    this.#gate.open(call);
    try {
      const late = `the page did not answer within ${timeoutMs} ms, so the browser was ended`;
      return await this.#within(work(this.#windows, call), timeoutMs + GRACE_MS, late);
    } finally {
      this.#gate.close();
      signal.removeEventListener("abort", stop);
    }
  }

  /** BROWSER-SESSION-2. */
  async #within<Result>(work: Promise<Result>, ms: number, late: string): Promise<Result> {
    const timer = setTimeout(() => void this.end(new SysError("ETIMEDOUT", late)), ms);
    try {
      return await Promise.race([work, this.ended.then(() => Promise.reject(this.#why!))]);
    } catch (error) {
      if (this.#why === undefined && isOfBrowser(error)) await this.#showsLife();
      // What was cut off tells less than what cut it off; and then nothing is left.
      if (this.#why === undefined) throw error;
      await this.ended;
      throw this.#why;
    } finally {
      clearTimeout(timer);
    }
  }

  /** BROWSER-SESSION-4. Resolves when it has answered, or has ended; a browser that does neither is ended (BROWSER-SESSION-2). */
  async #showsLife(): Promise<void> {
    await Promise.race([this.#cdp.send("Browser.getVersion").catch(() => {}), this.ended]);
    await nextTurn();
    // What it starts in may be dead while the browser still speaks.
    if (!isThere(this.#run.pid)) await this.ended;
  }

  async #begin(): Promise<void> {
    const cdp = this.#cdp;
    // Before there is any page, so that no request of one is missed.
    await cdp.send("Fetch.enable");
    const { browserContextId } = await cdp.send(
      "Target.createBrowserContext",
      { proxyServer: proxyEnvironment(undefined)["http_proxy"], proxyBypassList: "<-loopback>" },
      { reply: z.object({ browserContextId: z.string() }) },
    );
    const deny = { behavior: "deny", browserContextId, eventsEnabled: true };
    await cdp.send("Browser.setDownloadBehavior", deny);
    const filter = [{ type: "page" }, { exclude: true }];
    const auto = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter };
    await cdp.send("Target.setAutoAttach", auto);
    await this.#windows.begin(browserContextId);
  }

  #take(event: CdpEvent): void {
    const { method, params, sessionId } = event;
    if (method === "Fetch.requestPaused") {
      const isWindow = (frameId: string) => this.#windows.has(frameId);
      const isUnwanted = (frameId: string) => this.#windows.isUnwanted(frameId);
      judgeRequest(params, { cdp: this.#cdp, gate: this.#gate, isWindow, isUnwanted });
    } else if (method === "Target.attachedToTarget") {
      const { sessionId: session, targetInfo } = checkReply(attached, params, method);
      this.#windows.add({ id: targetInfo.targetId, sessionId: session });
    } else if (method === "Target.detachedFromTarget") {
      this.#windows.remove(checkReply(detached, params, method).sessionId);
    } else if (method === "Browser.downloadWillBegin") {
      this.#gate.call?.note("downloads", checkReply(download, params, method).url);
    } else if (sessionId !== undefined) {
      this.#windows.bySession(sessionId)?.take(event);
    }
  }
}

/** Whether the browser said so, or a window that went. */
const isOfBrowser = (error: unknown): boolean =>
  error instanceof SysError && (error.code === "ESTATE" || error.code === "EUPSTREAM");

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function stopped({ reason }: AbortSignal): SysError {
  return reason instanceof SysError ? reason : new SysError("EINTR", "the call was stopped");
}

function reasonOf({ limit, signal, code, isAborted }: RunEnding, said: string): SysError {
  const how =
    limit?.message ??
    (isAborted ? "it was ended" : signal === null ? `code ${code}` : `signal ${signal}`);
  const last =
    limit === undefined && !isAborted && code !== null ? said.trim().split("\n").at(-1) : "";
  return new SysError("EUPSTREAM", `the browser has ended: ${how}${last ? `: ${last}` : ""}`, {
    hint: "the next call starts a new one, without pages and cookies",
  });
}
