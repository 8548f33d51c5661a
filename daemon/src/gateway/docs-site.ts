// DocsSite: serves the documentation, as built by scripts/build-docs.ts.
//
//   GET /docs/               the first page
//   GET /docs/PAGE.html …    pages, and what they load
//
// DOCS-SITE-1  Only files of the build are served: a path is looked up among their names and never made into one.
// DOCS-SITE-2  Without a build, a page says how to make one.
//
// The files say nothing about users and need no token.

import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Hono } from "hono";
import type { GatewayEnv } from "./caller.ts";
import { STATIC_TYPES } from "./static-types.ts";

const BUILT = fileURLToPath(new URL("../../../docs/dist", import.meta.url));

const UNBUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<title>Documentation · Agent OS</title></head><body>
<h1>The documentation is not built</h1>
<p>In the folder of Agent OS: <code>npm run docs</code>, then load this again. The same pages are in
<code>docs/</code>, as Markdown. <a href="/docs/reference/http">The HTTP reference</a> needs no build.</p>
</body></html>
`;

export function addDocsSite(app: Hono<GatewayEnv>, folder: string = BUILT): void {
  // The links of a page are relative to its folder.
  app.get("/docs", ({ redirect }) => redirect("/docs/", 308));
  app.get("/docs/*", async ({ req, notFound }) => {
    const path = req.path.slice("/docs/".length) || "index.html";
    const files = await filesBelow(folder);
    if (files.size === 0)
      return new Response(UNBUILT, { status: 503, headers: headersOf(".html") }); // DOCS-SITE-2
    if (!files.has(path)) return notFound(); // DOCS-SITE-1
    return new Response(await readFile(join(folder, path)), { headers: headersOf(extname(path)) });
  });
}

async function filesBelow(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return new Set(
    entries
      .filter((entry) => entry.isFile() && STATIC_TYPES[extname(entry.name)] !== undefined)
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/")),
  );
}

const headersOf = (extension: string): Record<string, string> => ({
  "content-type": STATIC_TYPES[extension]!,
  "cache-control": "no-cache",
});
