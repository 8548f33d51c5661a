// HTTP tools: `http.fetch` reads from the web, `http.send` sends to it. They are two, because repeating a read is
// harmless and repeating a send is not.
//
// Both are egress: a URL carries data too.

import { Buffer } from "node:buffer";
import type { DeviceContext, Json, JsonObject, Label, Tool, Touch } from "@aos/protocol";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { onSideThread } from "../side-thread.ts";
import type { Egress, EgressReply } from "../../web/egress.ts";
import { headerTexts, type HeaderTexts, secretsIn } from "../../web/header-text.ts";
import { showBody } from "../../web/reply.ts";
import { readUrl, touchOf } from "../../web/url.ts";
import { noMark, urlText } from "../../web/url-text.ts";

const DEFAULT_BYTES = 1_048_576;
const MAX_BYTES = 8_388_608;
const DEFAULT_MS = 30_000;
const MAX_MS = 300_000;
const MAX_REDIRECTS = 5;

/** Anybody may have written it, and anybody may read it. */
const FROM_OUTSIDE: Label = { integrity: "untrusted", secrecy: "public" };

const NO_MARK = "a secret is allowed only in the value of a header";

const anyRequest = {
  url: urlText(NO_MARK),
  headers: headerTexts,
  limit: z
    .number()
    .int()
    .positive()
    .max(MAX_BYTES)
    .default(DEFAULT_BYTES)
    .describe("The most bytes of the body to give; `cut` says that there were more."),
  timeoutMs: z.number().int().positive().max(MAX_MS).default(DEFAULT_MS),
  maxRedirects: z
    .number()
    .int()
    .nonnegative()
    .max(MAX_REDIRECTS)
    .default(MAX_REDIRECTS)
    .describe("How many redirects to follow; with 0 the redirect itself is the reply."),
};

const fetchInput = z.strictObject({
  method: z.enum(["get", "head", "options"]).default("get"),
  ...anyRequest,
  as: z
    .enum(["body", "text", "markdown"])
    .default("body")
    .describe("The body as it came, or a page as text, without its scripts and hidden parts."),
});

const sendInput = z
  .strictObject({
    method: z.enum(["post", "put", "patch", "delete"]),
    ...anyRequest,
    text: z.string().refine(noMark, NO_MARK).optional().describe("The body, as text."),
    json: z
      .json()
      .refine((value) => noMark(JSON.stringify(value)), NO_MARK)
      .optional()
      .describe("The body, as JSON."),
    base64: z.base64().optional().describe("The body, as bytes."),
  })
  .refine(
    ({ text, json, base64 }) => [text, json, base64].filter((one) => one !== undefined).length <= 1,
    "give only one of text, json and base64 as the body",
  );

interface HttpToolRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: HeaderTexts;
}

const touchesOf = ({ url, method, headers }: HttpToolRequest): Touch[] => [
  touchOf(readUrl(url), method),
  ...secretsIn(headers).map((name) => ({ kind: "secret", resource: name, verb: "use" })),
];

export function createHttpTools(egress: Egress): readonly Tool[] {
  const httpFetch = defineTool({
    name: "http.fetch",
    version: "1",
    description:
      "Get a URL (or its head or options). Gives `status`, `headers`, the body as `text` or `base64`, `url` where it came from, `hops` on the way, and `cut`.",
    input: fetchInput,
    effect: "read",
    egress: true,
    authority: ["url"],
    sinks: () => ["egress"],
    touches: touchesOf,
    run: async (args, context) => {
      const shown = show(await egress.send({ ...args, target: readUrl(args.url) }, context));
      return args.as === "body" ? shown : asText(shown, args.as);
    },
    label: FROM_OUTSIDE,
  });

  const httpSend = defineTool({
    name: "http.send",
    version: "1",
    description:
      "Send to a URL by post, put, patch or delete, with a body as `text`, `json` or `base64`. Gives the same as http.fetch. Carries an Idempotency-Key that is the same for every try of one call.",
    input: sendInput,
    effect: "external",
    egress: true,
    authority: ["url", "method"],
    sinks: ({ method }) => (method === "delete" ? ["egress", "destructive"] : ["egress"]),
    touches: touchesOf,
    run: async (args, context) => {
      const { type, body } = bodyOf(args);
      const headers = withDefaults(args.headers, type, context);
      const request = { ...args, headers, ...(body && { body }), target: readUrl(args.url) };
      return show(await egress.send(request, context));
    },
    label: FROM_OUTSIDE,
  });

  return [httpFetch, httpSend];
}

function bodyOf({ text, json, base64 }: z.output<typeof sendInput>): {
  type?: string;
  body?: Buffer;
} {
  if (text !== undefined) return { type: "text/plain; charset=utf-8", body: Buffer.from(text) };
  if (json !== undefined)
    return { type: "application/json", body: Buffer.from(JSON.stringify(json)) };
  if (base64 !== undefined)
    return { type: "application/octet-stream", body: Buffer.from(base64, "base64") };
  return {};
}

function withDefaults(
  headers: HeaderTexts,
  type: string | undefined,
  { key }: DeviceContext,
): HeaderTexts {
  const says = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  return {
    ...(type === undefined || says ? {} : { "content-type": type }),
    ...headers,
    "idempotency-key": key,
  };
}

const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;
const THREAD = new URL("./html-thread.ts", import.meta.url);

/** A page as its text; what is no page stays as it came. */
async function asText(shown: JsonObject, as: "text" | "markdown"): Promise<Json> {
  const { text, headers, url } = shown as { text?: string; headers: JsonObject; url: string };
  const type = headers["content-type"];
  if (typeof text !== "string" || typeof type !== "string" || !HTML.test(type)) return shown;
  const data = { html: text, isMarkdown: as === "markdown", url };
  return { ...shown, text: await onSideThread<string>(THREAD, data, "http.fetch") };
}

function show({ status, headers, url, hops, bytes, cut }: EgressReply): JsonObject {
  const type = headers["content-type"];
  const body = showBody({ bytes, cut }, typeof type === "string" ? type : undefined);
  return { status, headers, ...body, url, hops: [...hops], cut };
}
