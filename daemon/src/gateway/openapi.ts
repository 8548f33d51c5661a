// GET /openapi.json and GET /docs/reference/http: the API for programs and for people. Both reveal nothing about users and need no
// token.
//
// Built at the first request, so that the start of the daemon does not wait for it.

import { readFile } from "node:fs/promises";
import type { Hono } from "hono";
import type { GatewayContext } from "./gateway-context.ts";
import type { GatewayEnv } from "./caller.ts";
import { tagged } from "./response-headers.ts";

const HTML = { "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" };
const JS = { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-cache" };
const CSS = { "content-type": "text/css; charset=utf-8", "cache-control": "no-cache" };

export function addOpenapiRoutes(
  app: Hono<GatewayEnv>,
  { daemon }: Pick<GatewayContext, "daemon">,
): void {
  let made: ReturnType<typeof make> | undefined;
  const get = () => (made ??= make(daemon.version));
  app.get("/openapi.json", async ({ req }) => tagged(req, Response.json((await get()).document)));
  app.get("/docs/reference/http", async () => new Response((await get()).page, { headers: HTML }));
  app.get(
    "/docs/reference/try-it.js",
    async () => new Response((await get()).script, { headers: JS }),
  );
  app.get(
    "/docs/reference/style.css",
    async () => new Response((await get()).style, { headers: CSS }),
  );
}

async function make(version: string) {
  const [{ openapiDocument }, { renderDocs, DOCS_STYLE }, script] = await Promise.all([
    import("./openapi/document.ts"),
    import("./docs-page.ts"),
    readFile(new URL("openapi/try-it.mjs", import.meta.url), "utf8"),
  ]);
  const document = openapiDocument(version);
  return { document, page: renderDocs(document), style: DOCS_STYLE, script };
}
