// Grants and pages, whole: real capabilities, the real gate, a real browser. And the secure web.

import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import type { Json } from "@aos/protocol";
import { createAuthority } from "@aos/drivers/sandbox";
import { createBrowserTools } from "@aos/drivers/parts";
import { bootForTest, codeOf } from "../../helpers/kernel.ts";
import { noChromium, useBrowser } from "./browser-rig.ts";

/** Vouches for the sites, as the well-known authorities do. */
const world = createAuthority();

async function secureSite(): Promise<{ host: string; paths: string[]; close(): void }> {
  const paths: string[] = [];
  const SNICallback = (name: string, done: (error: null, context: unknown) => void) =>
    done(null, world.contextFor(name));
  const server = createServer({ SNICallback } as object, (request, response) => {
    paths.push(`${request.method} ${request.url}`);
    response.setHeader("content-type", "text/html");
    response.end(`<title>Safe</title><script>document.write(isSecureContext)</script>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { host: `localhost:${port}`, paths, close: () => void server.close() };
}

describe.skipIf(noChromium)("grants for a browser (chromium)", () => {
  const rig = useBrowser();

  test("each act on a page needs its own verb, each request its own grant", async () => {
    const site = await rig.site({ "/": "<title>Hello</title>text<img src=/img.png>", "/x": "x" });
    const { kernel } = await bootForTest({
      tools: createBrowserTools(rig.runner),
      programs: {
        visitor: async (sys) => [
          await codeOf(sys.exec("browser.navigate", { url: `${site.origin}/x` })),
          await sys.exec("browser.navigate", { url: `${site.origin}/` }),
          ((await sys.exec("browser.read", {})) as { text: string }).text,
          await codeOf(sys.exec("browser.screenshot", {})),
        ],
      },
    });

    const pid = await kernel.spawn({
      agent: "visitor",
      capabilities: [
        "tool:browser.*:call",
        `browser:${site.host}/:navigate,read`,
        `http:${site.host}/:get`,
      ],
    });
    const { output } = await kernel.wait(pid);

    const icon = { resource: `${site.host}/favicon.ico`, verb: "get", code: "EACCES" };
    const image = { resource: `${site.host}/img.png`, verb: "get", code: "EACCES" };
    const [navigated, opened, text, pictured] = output as Json[];
    expect([navigated, text, pictured]).toEqual(["EACCES", "text", "EACCES"]);
    expect(opened).toMatchObject({ title: "Hello", refused: expect.arrayContaining([image]) });
    for (const one of (opened as { refused: Json[] }).refused)
      expect([icon, image]).toContainEqual(one);
    expect(site.paths()).toEqual(["GET /"]);
  });

  test("the secure web is opened by the proxy, request by request, also with a grant for everything", async () => {
    const site = await secureSite();
    const context = {
      ...rig.context(),
      granted: () => [{ pattern: `${site.host}/**`, verbs: ["*"] }],
    };
    const call = rig.fresh({ egress: { ca: world.certificate } });

    const opened = await call("navigate", { url: `https://${site.host}/a` }, context);

    expect(opened).toMatchObject({ title: "Safe", status: 200, refused: [] });
    expect(await call("read", {}, context)).toMatchObject({ text: "true" });
    expect(context.asked).toContainEqual({ kind: "http", resource: `${site.host}/a`, verb: "get" });
    expect(context.asked.filter(({ verb }) => verb === "delete")).toEqual([]);
    site.close();
  });

  test("a certificate that nobody vouches for is not accepted, though the browser would", async () => {
    const site = await secureSite();
    const context = rig.context();

    const opened = await rig.call("navigate", { url: `https://${site.host}/a` }, context);

    expect(opened).toMatchObject({ status: 502 });
    expect(site.paths).toEqual([]);
    site.close();
  });
});
