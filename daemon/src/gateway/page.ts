// Page: serves the files of the dashboard, as built by `npm run build -w dashboard`.
//
//   GET /  /approvals  /runs/PID …   the page itself: the view is chosen in the browser
//   GET /assets/NAME                 what it loads
//
// GATEWAY-PAGE-1  Files with a digest in their names are cached for ever; the page that names them is always
//     revalidated.
// GATEWAY-PAGE-2  Only files of the build are served, nothing beside or above them.
// GATEWAY-PAGE-3  Without a build, a page says how to make one.
// GATEWAY-PAGE-4  Who asks for a page (`accept: text/html`) at an address that is no route gets the page, which says
//     that it has no such view. Everyone else, and whoever asks below a root of the API, is told that there is no
//     such route.
//
// The files reveal nothing about users and need no token; the requests of the page do.

import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Hono } from "hono";
import type { GatewayEnv } from "./caller.ts";
import { STATIC_TYPES } from "./static-types.ts";

const BUILT = fileURLToPath(new URL("../../../dashboard/dist", import.meta.url));

/** Below these nothing is a view. */
const API_ROOTS =
  /^\/(api|v1|mcp|assets|docs|metrics|healthz|readyz|openapi\.json|\.well-known)(\/|$)/;

const HTML = "text/html; charset=utf-8";

const UNBUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<title>Agent OS</title></head><body>
<h1>The daemon runs; its page is not built</h1>
<p>In the folder of Agent OS: <code>npm run build -w dashboard</code>, then load this again.</p>
<p>All that it shows is on the command line too: <code>aos ps</code>, <code>aos approvals</code>.</p>
</body></html>
`;

/** After all other routes. */
export function addPage(app: Hono<GatewayEnv>, folder: string = BUILT): void {
  const shell = async () => {
    const page = await readFile(join(folder, "index.html"), "utf8").catch(() => undefined);
    const headers = { "content-type": HTML, "cache-control": "no-cache" };
    if (page === undefined) return new Response(UNBUILT, { status: 503, headers }); // GATEWAY-PAGE-3
    return new Response(page, { headers });
  };
  app.get("/", shell);
  app.get("/assets/:name", async (context) => {
    const file = await read(join(folder, "assets"), context.req.param("name"));
    return file === undefined ? context.notFound() : answer(file, "max-age=31536000, immutable");
  });
  app.get("/favicon.svg", async (context) => {
    const file = await read(folder, "favicon.svg");
    return file === undefined ? context.notFound() : answer(file, "no-cache");
  });
  app.use(({ req }, next) => {
    const wantsPage = req.method === "GET" && (req.header("accept") ?? "").includes("text/html");
    return wantsPage && !API_ROOTS.test(req.path) ? shell() : next(); // GATEWAY-PAGE-4
  });
}

interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** GATEWAY-PAGE-2. A name is one of the folder's own: it is never made into a path before that is known. */
async function read(folder: string, name: string): Promise<PageFile | undefined> {
  const type = STATIC_TYPES[extname(name)];
  const names = await readdir(folder).catch((): string[] => []);
  if (type === undefined || !names.includes(name)) return undefined;
  return { type, bytes: await readFile(join(folder, name)) };
}

/** GATEWAY-PAGE-1. */
const answer = ({ type, bytes }: PageFile, cacheControl: string): Response =>
  new Response(bytes, { headers: { "content-type": type, "cache-control": cacheControl } });
