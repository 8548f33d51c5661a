// Page reads: reads the content of a page. Nothing is sent, and the page does not notice.
//
// PAGE-READS-1  Every result is limited and reports a cut.

import { Buffer } from "node:buffer";
import { type Json, SysError } from "@aos/protocol";
import { z } from "zod";
import { VIEWPORT } from "./chromium.ts";
import type { PageCall } from "./page-gate.ts";
import type { Page } from "./page.ts";
import type { OpenPages } from "./open-pages.ts";

type Look = (windows: OpenPages, call: PageCall) => Promise<Json>;

const MAX_ELEMENTS = 300;
const MAX_HEIGHT = 8192;
const MAX_WIDTH = 4096;
const MAX_BYTES = 3 * 1024 * 1024;

const said = (most: number) => z.string().max(most);
const element = z.strictObject({
  selector: said(10_000),
  tag: said(200),
  type: said(200).optional(),
  name: said(200),
  href: said(500).optional(),
  value: said(200).optional(),
  checked: z.boolean().optional(),
  options: z.array(said(80)).max(50).optional(),
  disabled: z.boolean().optional(),
});
const elements = z.object({ elements: z.array(element).max(MAX_ELEMENTS), cut: z.boolean() });
const info = z.object({ targetInfo: z.object({ title: z.string() }) });

export const readPageText =
  (args: {
    as: "text" | "markdown" | "elements";
    selector?: string | undefined;
    limit: number;
  }): Look =>
  async (windows, call) => {
    const page = await windows.shown(call, "read");
    const { selector, limit, as } = args;
    const { url } = page;
    const shown =
      as === "elements"
        ? await page.ask(as, { selector, most: MAX_ELEMENTS }, elements)
        : await page.ask(
            as,
            { selector, limit },
            z.object({ text: said(limit), cut: z.boolean() }),
          );
    mustStay(page, url);
    const { targetInfo } = await page.send("Target.getTargetInfo", {}, info);
    return { url: url.slice(0, 8192), title: targetInfo.title.slice(0, 500), ...shown } as Json;
  };

const layout = z.object({
  cssContentSize: z.object({ width: z.number().positive(), height: z.number().positive() }),
});
const shot = z.object({ data: z.base64() });

export const captureScreenshot =
  ({ fullPage }: { fullPage: boolean }): Look =>
  async (windows, call) => {
    const page = await windows.shown(call, "screenshot");
    const { url } = page;
    const size = fullPage
      ? (await page.send("Page.getLayoutMetrics", {}, layout)).cssContentSize
      : VIEWPORT;
    const [width, height] = [Math.min(size.width, MAX_WIDTH), Math.min(size.height, MAX_HEIGHT)];
    const area = fullPage
      ? { captureBeyondViewport: true, clip: { x: 0, y: 0, width, height, scale: 1 } }
      : {};
    const cut = size.width > width || size.height > height;
    for (const format of ["png", "jpeg"] as const) {
      const quality = format === "jpeg" ? { quality: 60 } : {};
      const { data } = await page.send(
        "Page.captureScreenshot",
        { format, ...quality, ...area },
        shot,
      );
      mustStay(page, url);
      if (Buffer.byteLength(data, "base64") > MAX_BYTES) continue;
      const mimeType = `image/${format}`;
      return { mimeType, base64: data, width: Math.ceil(width), height: Math.ceil(height), cut };
    }
    throw new SysError("EUPSTREAM", `the picture has more than ${MAX_BYTES} bytes`);
  };

/** The gate was asked about the page that was there. */
function mustStay(page: Page, url: string): void {
  if (page.url !== url) throw new SysError("EAGAIN", "the page changed while it was read");
}
