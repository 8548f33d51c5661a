// The document as others read it: every route of the gateway is in it, and redocly has nothing to say.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createApp } from "@aos/daemon/gateway";
import { peerCommand } from "../../peers/peer.ts";
import { openFrontDoor, type FrontDoor } from "../gateway/front-door.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let door: FrontDoor;
beforeAll(async () => {
  door = await openFrontDoor();
});
afterAll(() => door.close());

/** What a person sees in a browser, and what it loads. */
const PAGES =
  /^\/($|approvals$|runs\/|assets\/|favicon\.svg$|docs($|\/\*|\/reference\/(style\.css|try-it\.js))$)/;

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, object>;
}
const document = async (): Promise<Document> =>
  (await (await door.ask("GET", "/openapi.json")).json()) as Document;

test("every route is in the document, and everything in the document is a route", async () => {
  const { paths } = await document();
  const written = Object.entries(paths).flatMap(([path, here]) =>
    Object.keys(here).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = createApp(door.gateway)
    .routes.filter(({ method, path }) => method !== "ALL" && !PAGES.test(path))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);

  expect([...new Set(written)].sort()).toEqual([...new Set(served)].sort());
});

test("the document and its page need no token, and the page is allowed its style", async () => {
  const page = await door.ask("GET", "/docs/reference/http");
  const style = await door.ask("GET", "/docs/reference/style.css");
  const { openapi } = await document();
  const tag = (await door.ask("GET", "/openapi.json")).headers.get("etag")!;
  const again = await door.ask("GET", "/openapi.json", { headers: { "if-none-match": tag } });

  expect(openapi).toBe("3.1.0");
  expect(page.headers.get("content-type")).toContain("text/html");
  expect(await page.text()).toContain('<article id="spawn">');
  expect(page.headers.get("content-security-policy")).toContain("style-src 'self'");
  expect(style.headers.get("content-type")).toContain("text/css");
  expect(again.status).toBe(304);
});

test.skipIf(peerCommand("redocly") === undefined)("redocly lint is clean", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aos-redocly-"));
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(await document()));
  try {
    const words = ["lint", "openapi.json", "--extends=recommended-strict", "--format=json"];
    const env = {
      ...process.env,
      REDOCLY_TELEMETRY: "off",
      REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
    };
    const linting = promisify(execFile)(peerCommand("redocly")!, words, {
      cwd: folder,
      env,
      maxBuffer: 64 * 1024 * 1024,
    });
    const { stdout } = await linting.catch((failed: { stdout: string }) => failed);
    const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: object[] };

    expect(problems).toEqual([]);
    expect(totals).toMatchObject({ errors: 0, warnings: 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  }
});
