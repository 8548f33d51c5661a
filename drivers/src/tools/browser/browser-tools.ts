// Browser tools: open, read and act on web pages in a real browser.
//
//   browser.navigate  open a page             browser.click  click something in it
//   browser.read      what it says and has    browser.fill   fill a field
//   browser.screenshot
//
// BROWSER-TOOLS-1  navigate, click and fill let a page send data, so all three are egress. read and screenshot do
//     not; no page reaches the network while they run.
// BROWSER-TOOLS-2  Opening a page and filling a field are idempotent. A click may send something, so it is
//     `external`: after a crash its outcome is unknown.
// BROWSER-TOOLS-3  A secret is never entered into a field, because scripts of the page could send it anywhere.
//     Secrets go into headers.

import type { DeviceContext, Json, Label, Tool } from "@aos/protocol";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { readUrl } from "../../web/url.ts";
import { noMark, urlText } from "../../web/url-text.ts";
import type { ProgramRunner } from "../program-runner.ts";
import { clickOn, fillIn, navigateTo } from "./page-actions.ts";
import { readPageText, captureScreenshot } from "./page-reads.ts";
import { pageResource } from "./requests.ts";
import { BrowserSessions, type SessionsOptions } from "./sessions.ts";

const DEFAULT_MS = 30_000;
const MAX_MS = 120_000;
const MAX_CHARS = 500_000;

/** Anybody may have written it, and anybody may read it. */
const FROM_OUTSIDE: Label = { integrity: "untrusted", secrecy: "public" };

const NO_SECRET =
  "a secret cannot be entered into a field, because scripts of the page could send it anywhere; use it in a header of http.send";

const selector = z
  .string()
  .min(1)
  .max(2000)
  .describe("A CSS selector, as browser.read gives them.");
const timeoutMs = z.number().int().positive().max(MAX_MS).default(DEFAULT_MS);

const navigateInput = z.strictObject({
  url: urlText(NO_SECRET),
  timeoutMs,
});

const readInput = z.strictObject({
  as: z
    .enum(["text", "markdown", "elements"])
    .default("text")
    .describe("`elements`: what can be clicked and filled, each with its selector."),
  selector: selector.optional().describe("Only what is below the first element that fits."),
  limit: z.number().int().positive().max(MAX_CHARS).default(50_000).describe("Of characters."),
  timeoutMs,
});

const clickInput = z
  .strictObject({
    selector: selector.optional(),
    text: z.string().min(1).max(500).optional().describe("What the button or link says."),
    timeoutMs,
  })
  .refine((args) => (args.selector === undefined) !== (args.text === undefined), {
    message: "give either a selector or a text",
  });

const fillInput = z.strictObject(
  {
    selector,
    value: z
      .string()
      .max(100_000)
      .refine(noMark, NO_SECRET)
      .describe("A text; a choice of a list; true or false for a box."),
    timeoutMs,
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys" && issue.keys?.includes("secret") ? NO_SECRET : undefined,
  },
);

const screenshotInput = z.strictObject({
  fullPage: z.boolean().default(false).describe("With what is below the window, up to a limit."),
  timeoutMs,
});

const GIVES =
  "Gives `url`, `title`, `status`, `loaded`, and `refused`: what the page asked for and may not reach.";

export function createBrowserTools(
  runner: ProgramRunner,
  options: SessionsOptions = {},
): readonly Tool[] {
  const sessions = new BrowserSessions(runner, options);
  const all = {
    version: "1",
    tags: ["browser", "web", "page"],
    sandbox: "process",
    label: FROM_OUTSIDE,
    hints: { ms: 2000 },
  } as const;
  const looking = (
    context: DeviceContext,
    ms: number,
    work: Parameters<BrowserSessions["call"]>[2],
  ) => sessions.call(context, { isOnline: false, timeoutMs: ms }, work) as Promise<Json>;
  const acting = (
    context: DeviceContext,
    ms: number,
    work: Parameters<BrowserSessions["call"]>[2],
  ) => sessions.call(context, { isOnline: true, timeoutMs: ms }, work) as Promise<Json>;

  const navigate = defineTool({
    ...all,
    name: "browser.navigate",
    description: `Open a page in the browser. ${GIVES}`,
    input: navigateInput,
    effect: "idempotent",
    egress: true,
    authority: ["url"],
    sinks: ["egress"],
    touches: ({ url }) => [
      { kind: "browser", resource: pageResource(readUrl(url)), verb: "navigate" },
    ],
    run: (args, context) => {
      const target = readUrl(args.url);
      const how = { isOnline: true, timeoutMs: args.timeoutMs, asked: pageResource(target) };
      return sessions.call(context, how, navigateTo(args.url, target, args.timeoutMs));
    },
  });

  const read = defineTool({
    ...all,
    name: "browser.read",
    description:
      "Read the open page: its text, the same as markdown with links, or its elements. Gives `url`, `title`, `text` or `elements`, and `cut`.",
    input: readInput,
    effect: "read",
    sinks: [],
    run: (args, context) => looking(context, args.timeoutMs, readPageText(args)),
  });

  const click = defineTool({
    ...all,
    name: "browser.click",
    description: `Click an element of the open page, by selector or by what it says. ${GIVES}`,
    input: clickInput,
    effect: "external",
    egress: true,
    authority: ["selector", "text"],
    sinks: ["egress"],
    run: (args, context) => acting(context, args.timeoutMs, clickOn(args)),
  });

  const fill = defineTool({
    ...all,
    name: "browser.fill",
    description: `Fill a field of the open page. ${GIVES}`,
    input: fillInput,
    effect: "idempotent",
    egress: true,
    authority: ["selector", "value"],
    sinks: ["egress"],
    run: (args, context) => acting(context, args.timeoutMs, fillIn(args)),
  });

  const screenshot = defineTool({
    ...all,
    name: "browser.screenshot",
    description:
      "A picture of the open page. Gives `mimeType`, `base64`, `width`, `height`, and `cut` when the page is longer.",
    input: screenshotInput,
    effect: "read",
    sinks: [],
    run: (args, context) => looking(context, args.timeoutMs, captureScreenshot(args)),
  });

  return [navigate, read, click, fill, screenshot];
}
