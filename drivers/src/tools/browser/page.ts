// Page: one window of the browser, and what is known of it from outside.
//
// BROWSER-PAGE-1  The address of a page comes from the browser, not from its scripts.
// BROWSER-PAGE-2  A dialog of a page (`alert`, `confirm`) is dismissed at once and reported to the agent.

import { setTimeout as delay } from "node:timers/promises";
import { SysError } from "@aos/protocol";
import { z } from "zod";
import { type Cdp, type CdpEvent, checkReply } from "./cdp.ts";
import { VIEWPORT } from "./chromium.ts";
import type { PageGate } from "./page-gate.ts";
import { expressionOf, type PageScript } from "./page-scripts.ts";

const LOOK_MS = 25;
/** How long nothing may happen before a page is taken to be done. */
const QUIET_MS = 300;
/** The same while it still waits for an answer: many pages always do. */
const LONG_QUIET_MS = 4000;
/** Requests whose end is not told, or never comes. */
const NOT_AWAITED = new Set(["EventSource", "Ping"]);

const events = {
  "Page.frameNavigated": z.object({
    frame: z.object({ id: z.string(), url: z.string(), unreachableUrl: z.string().optional() }),
  }),
  "Page.navigatedWithinDocument": z.object({ frameId: z.string(), url: z.string() }),
  "Page.frameRequestedNavigation": z.object({ frameId: z.string() }),
  "Page.frameStartedNavigating": z.object({ frameId: z.string() }),
  "Page.frameStartedLoading": z.object({ frameId: z.string() }),
  "Page.frameStoppedLoading": z.object({ frameId: z.string() }),
  "Page.javascriptDialogOpening": z.object({ type: z.string(), message: z.string() }),
  "Network.requestWillBeSent": z.object({ requestId: z.string(), type: z.string().optional() }),
  "Network.loadingFinished": z.object({ requestId: z.string() }),
  "Network.loadingFailed": z.object({ requestId: z.string() }),
  "Network.responseReceived": z.object({
    type: z.string(),
    frameId: z.string().optional(),
    response: z.object({ status: z.number() }),
  }),
  "Inspector.targetCrashed": z.object({}),
} as const;

const evaluated = z.object({
  result: z.object({ value: z.unknown().optional() }),
  exceptionDetails: z.object({ text: z.string() }).optional(),
});

const failed = z.object({
  failed: z.object({
    code: z.enum(["EINVAL", "ENOENT", "ESTATE"]),
    message: z.string().max(10_000),
  }),
});

export class Page {
  readonly id: string;
  readonly sessionId: string;
  url = "about:blank";
  /** Of the last document that was shown. */
  status: number | undefined;
  isCrashed = false;
  isClosed = false;
  readonly #cdp: Cdp;
  readonly #gate: PageGate;
  readonly #requests = new Set<string>();
  #opening: Promise<unknown> | undefined;
  #isLoading = false;
  #lastEventAt = performance.now();

  constructor(ids: { readonly id: string; readonly sessionId: string }, cdp: Cdp, gate: PageGate) {
    this.id = ids.id;
    this.sessionId = ids.sessionId;
    this.#cdp = cdp;
    this.#gate = gate;
  }

  /** Lets it go, once it is known. Until then it waits. */
  open(): Promise<unknown> {
    const view = { ...VIEWPORT, deviceScaleFactor: 1, mobile: false };
    return (this.#opening ??= Promise.all([
      this.send("Page.enable"),
      this.send("Network.enable"),
      this.send("Emulation.setDeviceMetricsOverride", view),
      this.send("Runtime.runIfWaitingForDebugger"),
    ]));
  }

  send<Result>(method: string, params?: object, reply?: z.ZodType<Result>): Promise<Result> {
    const { sessionId } = this;
    if (this.isClosed)
      return Promise.reject(new SysError("ESTATE", `${method}: the window was closed`));
    return this.#cdp.send(method, params, { sessionId, ...(reply === undefined ? {} : { reply }) });
  }

  take({ method, params }: CdpEvent): void {
    if (!Object.hasOwn(events, method)) return;
    this.#lastEventAt = performance.now();
    if (is("Page.frameNavigated", method, params)) {
      if (params.frame.id === this.id)
        this.url = params.frame.unreachableUrl ? "" : params.frame.url;
    } else if (is("Page.navigatedWithinDocument", method, params)) {
      if (params.frameId === this.id) this.url = params.url;
    } else if (is("Page.frameStartedLoading", method, params)) {
      if (params.frameId === this.id) this.#isLoading = true;
    } else if (is("Page.frameStoppedLoading", method, params)) {
      if (params.frameId === this.id) this.#isLoading = false;
    } else if (is("Network.requestWillBeSent", method, params)) {
      if (!NOT_AWAITED.has(params.type ?? "")) this.#requests.add(params.requestId);
    } else if (is("Network.loadingFinished", method, params)) {
      this.#requests.delete(params.requestId);
    } else if (is("Network.loadingFailed", method, params)) {
      this.#requests.delete(params.requestId);
    } else if (is("Network.responseReceived", method, params)) {
      if (params.type === "Document" && params.frameId === this.id)
        this.status = params.response.status;
    } else if (is("Page.javascriptDialogOpening", method, params)) {
      this.#answer(params);
    } else if (is("Inspector.targetCrashed", method, params)) {
      this.isCrashed = true;
    }
  }

  /** BROWSER-PAGE-2. To leave a page is never refused. */
  #answer({ type, message }: { readonly type: string; readonly message: string }): void {
    this.#gate.call?.note("dialogs", `${type}: ${message}`);
    const accept = type === "beforeunload" || type === "alert";
    this.#cdp.tell("Page.handleJavaScriptDialog", { accept }, this.sessionId);
  }

  /** Waits until nothing happens any more; false when that did not come in time. */
  async settled(until: number): Promise<boolean> {
    this.#lastEventAt = performance.now();
    for (;;) {
      if (this.isCrashed) throw new SysError("EUPSTREAM", "the page crashed");
      if (this.isClosed) return true;
      const now = performance.now();
      const quietMs = this.#requests.size > 0 ? LONG_QUIET_MS : QUIET_MS;
      if (!this.#isLoading && now - this.#lastEventAt >= quietMs) return true;
      if (now >= until) return false;
      await delay(LOOK_MS);
    }
  }

  /** Ends what still loads. */
  async stop(): Promise<void> {
    await this.send("Page.stopLoading");
    this.#requests.clear();
    this.#isLoading = false;
  }

  async ask<Answer>(
    script: PageScript,
    request: object,
    answer: z.ZodType<Answer>,
  ): Promise<Answer> {
    if (this.isCrashed) throw new SysError("EUPSTREAM", "the page crashed; open it again");
    const { executionContextId: contextId } = await this.send(
      "Page.createIsolatedWorld",
      { frameId: this.id, worldName: "aos" },
      z.object({ executionContextId: z.number() }),
    );
    const expression = expressionOf(script, request);
    const { result, exceptionDetails } = await this.send(
      "Runtime.evaluate",
      { expression, contextId, returnByValue: true },
      evaluated,
    );
    if (exceptionDetails !== undefined)
      throw new SysError("EUPSTREAM", `the page cannot be inspected: ${exceptionDetails.text}`);
    const no = failed.safeParse(result.value);
    if (no.success) throw new SysError(no.data.failed.code, no.data.failed.message);
    return checkReply(answer, result.value, script);
  }
}

/** What the event says, when it is this one. */
function is<Name extends keyof typeof events>(
  name: Name,
  method: string,
  params: unknown,
): params is z.output<(typeof events)[Name]> {
  return name === method && events[name].parse(params) !== undefined;
}
