// Requests: decides about the requests of a page before they leave the browser, so that a refused request fails in
// the page like a blocked one. The proxy enforces the decision and checks everything again; this reports it to the
// page and the agent.
//
// REQUESTS-1  A page shown in a window needs `browser:…:navigate`, whether the agent, a link, a script or a redirect
//     leads to it.
// REQUESTS-2  Only http and https leave the browser. What is made inside it (`data:`, `blob:`) is no
//     request.

import { SysError } from "@aos/protocol";
import { z } from "zod";
import { readUrl, type UrlTarget, touchOf } from "../../web/url.ts";
import { type Cdp, checkReply } from "./cdp.ts";
import type { PageGate, PageCall } from "./page-gate.ts";

const paused = z.object({
  requestId: z.string(),
  frameId: z.string().optional(),
  resourceType: z.string(),
  request: z.object({ url: z.string(), method: z.string() }),
});

type Paused = z.output<typeof paused>;

const INSIDE = /^(?:data|blob|about):/i;
const WEB = /^https?:/i;

/** `host:port/path`: what capabilities of the kind `browser` are about. */
export const pageResource = ({ host, port, path }: UrlTarget): string => `${host}:${port}${path}`;

/** Answers one Fetch.requestPaused. `isWindow` tells the frame of a window from one inside a page. */
export function judgeRequest(
  said: unknown,
  using: {
    readonly cdp: Cdp;
    readonly gate: PageGate;
    readonly isWindow: (frameId: string) => boolean;
    readonly isUnwanted: (frameId: string) => boolean;
  },
): void {
  const { cdp, gate, isWindow, isUnwanted } = using;
  const asked = checkReply(paused, said, "Fetch.requestPaused");
  const { requestId } = asked;
  if (isUnwanted(asked.frameId ?? ""))
    return cdp.tell("Fetch.failRequest", { requestId, errorReason: "Aborted" });
  const isPage = asked.resourceType === "Document" && isWindow(asked.frameId ?? "");
  const refusal = refusalOf(asked, isPage, gate.online);
  if (refusal === undefined) return cdp.tell("Fetch.continueRequest", { requestId });
  if (isPage && gate.online !== undefined) gate.online.pageRefusal = refusal;
  // A window stays where it is; the place of a picture or a frame shows that something is missing.
  cdp.tell("Fetch.failRequest", { requestId, errorReason: isPage ? "Aborted" : "BlockedByClient" });
}

function refusalOf(
  { request: { url, method } }: Paused,
  isPage: boolean,
  call: PageCall | undefined,
): SysError | undefined {
  if (INSIDE.test(url)) return undefined;
  if (call === undefined) return new SysError("EACCES", "no call is in progress");
  const verb = method.toLowerCase();
  try {
    if (!WEB.test(url))
      throw call.refuse(url, verb, new SysError("EACCES", "only http and https leave the browser"));
    call.expect(resourceOf(url));
    const target = readable(url);
    if (target instanceof SysError) {
      // What only the proxy can read, it decides.
      if (!isPage) return undefined;
      throw call.refuse(resourceOf(url), verb, target);
    }
    if (isPage) call.authorizePage(pageResource(target));
    const touch = touchOf(target, verb);
    if (!call.context.permits(touch)) call.authorize(touch);
    return undefined;
  } catch (error) {
    if (error instanceof SysError) return error;
    throw error;
  }
}

function readable(url: string): UrlTarget | SysError {
  try {
    return readUrl(url);
  } catch (error) {
    if (error instanceof SysError) return error;
    throw error;
  }
}

function resourceOf(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url);
  return `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}${pathname}`;
}
