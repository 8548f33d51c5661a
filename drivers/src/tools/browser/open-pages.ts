// OpenPages: the open pages of a browser. Calls refer to the newest; when it closes, to the one before.
//
// BROWSER-WINDOWS-1  A window is registered before it does anything, so that requests of its main frame are known as
//     navigations.
// BROWSER-WINDOWS-2  Their number is limited: an additional window reaches nothing and is closed. It is resumed
//     first, since its opener waits for it.

import { SysError } from "@aos/protocol";
import { z } from "zod";
import { readUrl } from "../../web/url.ts";
import type { Cdp } from "./cdp.ts";
import { VIEWPORT } from "./chromium.ts";
import type { PageGate, PageCall } from "./page-gate.ts";
import { Page } from "./page.ts";
import { pageResource } from "./requests.ts";

const MAX_WINDOWS = 5;

export class OpenPages {
  readonly #cdp: Cdp;
  readonly #gate: PageGate;
  readonly #pages: Page[] = [];
  readonly #unwanted = new Set<string>();
  #context = "";

  constructor(cdp: Cdp, gate: PageGate) {
    this.#cdp = cdp;
    this.#gate = gate;
  }

  async begin(browserContextId: string): Promise<void> {
    this.#context = browserContextId;
    await this.openBlank();
  }

  /** The newest that lives. */
  async newest(): Promise<Page> {
    return this.#pages.findLast(({ isCrashed }) => !isCrashed) ?? this.openBlank();
  }

  async openBlank(): Promise<Page> {
    const { targetId } = await this.#cdp.send(
      "Target.createTarget",
      { url: "about:blank", browserContextId: this.#context, ...VIEWPORT },
      { reply: z.object({ targetId: z.string() }) },
    );
    const page = this.#pages.find(({ id }) => id === targetId);
    if (page === undefined) throw new SysError("EUPSTREAM", "the browser opened no window");
    await page.open();
    return page;
  }

  /** The page that is shown, if the process may do this to it. */
  async shown(call: PageCall, verb: "read" | "click" | "fill" | "screenshot"): Promise<Page> {
    const page = await this.newest();
    if (!/^https?:/.test(page.url))
      throw new SysError("ESTATE", "no page is open", { hint: "open one with browser.navigate" });
    call.context.authorize({ kind: "browser", resource: pageResource(readUrl(page.url)), verb });
    return page;
  }

  /** Closes what shows no page of the web: windows whose page was refused. */
  async closeEmpty(): Promise<void> {
    const empty = this.#pages.slice(1).filter(({ url }) => !/^https?:/.test(url));
    for (const { id, sessionId } of empty) {
      this.remove(sessionId);
      await this.#cdp.send("Target.closeTarget", { targetId: id });
    }
  }

  async settled(until: number): Promise<boolean> {
    for (;;) {
      const pages = [...this.#pages];
      const all = await Promise.all(pages.map((page) => page.settled(until)));
      if (all.includes(false)) return false;
      if (this.#pages.every((page) => pages.includes(page))) return true;
    }
  }

  /** BROWSER-WINDOWS-1. */
  has(frameId: string): boolean {
    return this.#pages.some(({ id }) => id === frameId);
  }

  bySession(session: string): Page | undefined {
    return this.#pages.find(({ sessionId }) => sessionId === session);
  }

  add(ids: { readonly id: string; readonly sessionId: string }): void {
    // BROWSER-WINDOWS-2
    if (this.#pages.length >= MAX_WINDOWS) {
      this.#unwanted.add(ids.id);
      void this.#sendAway(ids).catch(() => {});
      return;
    }
    const page = new Page(ids, this.#cdp, this.#gate);
    this.#pages.push(page);
    page.open().catch(() => {});
  }

  /** BROWSER-WINDOWS-2. Whether a request comes from a window that is being closed. */
  isUnwanted(frameId: string): boolean {
    return this.#unwanted.has(frameId);
  }

  async #sendAway({ id, sessionId }: { readonly id: string; readonly sessionId: string }) {
    await this.#cdp.send("Runtime.runIfWaitingForDebugger", {}, { sessionId });
    await this.#cdp.send("Target.closeTarget", { targetId: id });
  }

  remove(session: string): void {
    const at = this.#pages.findIndex(({ sessionId }) => sessionId === session);
    if (at >= 0) this.#pages.splice(at, 1)[0]!.isClosed = true;
    this.#cdp.endSession(session);
  }
}
