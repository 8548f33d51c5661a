// Page actions: performs an action on a page and reports its result.
//
// PAGE-ACTIONS-1  An action ends when the page is idle, or at its time-out: loading is then stopped, since nothing
//     leaves the browser after the call.
// PAGE-ACTIONS-2  A window may close at any moment, also by the action itself: the result is then about the window
//     before.
// PAGE-ACTIONS-3  A refused page is a refusal; refused requests of a shown page are in the result.

import { type Json, SysError } from "@aos/protocol";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { UrlTarget } from "../../web/url.ts";
import type { PageCall } from "./page-gate.ts";
import type { Page } from "./page.ts";
import type { OpenPages } from "./open-pages.ts";

type Act = (windows: OpenPages, call: PageCall) => Promise<Json>;

/** How long after an act a page may take to begin with something. */
const BEGIN_MS = 50;

const navigated = z.object({
  errorText: z.string().optional(),
  isDownload: z.boolean().optional(),
});
const point = z.object({ x: z.number(), y: z.number() });
const info = z.object({ targetInfo: z.object({ title: z.string() }) });

export const navigateTo =
  (url: string, target: UrlTarget, timeoutMs: number): Act =>
  async (windows, call) => {
    const until = performance.now() + timeoutMs;
    const page = await windows.newest();
    page.status = undefined;
    const going = page.send("Page.navigate", { url }, navigated);
    const { errorText, isDownload } = await inTime(going, page, timeoutMs);
    if (call.pageRefusal !== undefined) throw call.pageRefusal;
    if (isDownload === true)
      throw new SysError("EACCES", "the page is a download, which the browser does not support", {
        hint: "use http.fetch for the content of a URL",
      });
    if (errorText !== undefined && errorText !== "")
      throw new SysError("EUPSTREAM", `${target.origin}: ${errorText}`);
    const isLoaded = await rest(windows, until);
    if (call.pageRefusal !== undefined) throw call.pageRefusal;
    throwIfRefused(page, call);
    return told(windows, call, isLoaded);
  };

export const clickOn =
  (args: { selector?: string | undefined; text?: string | undefined; timeoutMs: number }): Act =>
  async (windows, call) => {
    const until = performance.now() + args.timeoutMs;
    const page = await windows.shown(call, "click");
    const { x, y } = await page.ask("locate", { selector: args.selector, text: args.text }, point);
    const at = { x, y, button: "left", clickCount: 1 };
    for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
      await unlessClosed(page, page.send("Input.dispatchMouseEvent", { ...at, type }));
    return told(windows, call, await rest(windows, until));
  };

export const fillIn =
  (args: { selector: string; value: string; timeoutMs: number }): Act =>
  async (windows, call) => {
    const until = performance.now() + args.timeoutMs;
    const page = await windows.shown(call, "fill");
    const request = { selector: args.selector, value: args.value };
    const { isTyped } = await page.ask("fill", request, z.object({ isTyped: z.boolean() }));
    if (isTyped) await unlessClosed(page, page.send("Input.insertText", { text: args.value }));
    return told(windows, call, await rest(windows, until));
  };

/** PAGE-ACTIONS-2. */
async function unlessClosed<Result>(
  page: Page,
  work: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (page.isClosed) return undefined;
    throw error;
  }
}

/** The browser answers when the page's first bytes are there. */
async function inTime<Result>(going: Promise<Result>, page: Page, ms: number): Promise<Result> {
  const over = new AbortController();
  const late = delay(ms, "late" as const, { signal: over.signal });
  for (const one of [going, late]) one.catch(() => {});
  const first = await Promise.race([going, late]).finally(() => over.abort());
  if (first !== "late") return first;
  await page.stop();
  throw new SysError("ETIMEDOUT", `the page did not load within ${ms} ms`);
}

/** PAGE-ACTIONS-1. */
async function rest(windows: OpenPages, until: number): Promise<boolean> {
  await delay(BEGIN_MS);
  const isLoaded = await windows.settled(until);
  const page = await windows.newest();
  if (!isLoaded) await unlessClosed(page, page.stop());
  await windows.closeEmpty();
  return isLoaded;
}

/** The proxy refused it, and what is shown is the refusal: the name was allowed, and its address is not. */
function throwIfRefused({ url, status = 0 }: Page, call: PageCall): void {
  if (status < 400 || !URL.canParse(url)) return;
  const { port, protocol, pathname } = new URL(url);
  const refusal = call.refusalAt(`:${port || (protocol === "https:" ? 443 : 80)}${pathname}`);
  if (refusal !== undefined) throw refusal;
}

async function told(windows: OpenPages, call: PageCall, isLoaded: boolean): Promise<Json> {
  const page = await windows.newest();
  const asked = await unlessClosed(page, page.send("Target.getTargetInfo", {}, info));
  if (asked === undefined) return told(windows, call, isLoaded);
  const { targetInfo } = asked;
  return {
    url: page.url.slice(0, 8192),
    title: targetInfo.title.slice(0, 500),
    ...(page.status === undefined ? {} : { status: page.status }),
    loaded: isLoaded,
    refused: call.refused as unknown as Json,
    ...(call.dialogs.length === 0 ? {} : { dialogs: [...call.dialogs] }),
    ...(call.downloads.length === 0 ? {} : { refusedDownloads: [...call.downloads] }),
  };
}
