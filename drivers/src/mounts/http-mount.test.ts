import type { ServerResponse } from "node:http";
import type { DeviceContext, Json, MountDeclaration } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import { webForTest } from "../../../tests/helpers/drivers/web.ts";
import { createEgress } from "../web/egress.ts";
import { httpMount } from "./http-mount.ts";

const PAGES: Record<string, Json> = {
  "": { data: { items: [{ id: "a" }, { id: 2 }, { id: "../x" }, { id: "b/c" }] }, next: "p2" },
  p2: { data: { items: [{ id: "z" }] }, next: null },
};

type HttpDeclaration = Extract<MountDeclaration, { driver: "http" }>;

const declaration: HttpDeclaration = {
  driver: "http",
  url: "http://api.example/v1",
  headers: { authorization: "Bearer {{secret:TOKEN}}" },
  list: {
    path: "/items",
    query: { after: "{cursor}", max: "{limit}" },
    items: "data.items",
    name: "id",
    next: "next",
  },
  read: { path: "/items/{path}" },
  search: { path: "/find", query: { q: "{query}" }, items: "hits", name: "id" },
};

const setUp = async (
  more: Partial<HttpDeclaration> = {},
  declaredBy: "config.yaml" | "manifest" = "config.yaml",
) => {
  const json = (response: ServerResponse, body: Json) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  const web = await webForTest({
    "api.example": (request, response) => {
      const { pathname, searchParams } = new URL(request.url!, "http://x");
      if (pathname === "/v1/items") return json(response, PAGES[searchParams.get("after") ?? ""]!);
      if (pathname === "/v1/find")
        return json(response, { hits: [{ id: "a", q: searchParams.get("q") }] });
      if (pathname === "/v1/items/out")
        return void response.writeHead(302, { location: "http://evil.example/" }).end();
      if (pathname === "/v1/items/metadata")
        return void response.writeHead(302, { location: "http://169.254.169.254/latest" }).end();
      if (pathname === "/v1/items/up")
        return void response.writeHead(302, { location: "/admin" }).end();
      if (pathname === "/v1/items/huge")
        return void response.writeHead(200).end("x".repeat(8_400_000));
      if (pathname === "/v1/items/slow") return;
      if (pathname === "/v1/items/broken") return void response.writeHead(503).end();
      if (pathname === "/v1/items/liar")
        return void response.writeHead(200, { "content-type": "application/json" }).end("<html>");
      if (pathname === "/v1/items/text") return void response.writeHead(200).end("plain text");
      if (pathname.startsWith("/v1/items/a")) return json(response, { path: request.url! });
      response.writeHead(404).end();
    },
    "evil.example": (_, response) => void response.end("evil"),
  });
  const mount = httpMount(
    { name: "api", declaredBy, declaration: { ...declaration, ...more } },
    createEgress(web.options),
  );
  return { web, mount };
};

/** Nothing is granted but the secret. */
const context = (): DeviceContext =>
  deviceContextForTest({
    grants: ({ kind }) => kind === "secret",
    secrets: () => "s3cr3t-value",
  });

const read = (path: string) => ({ call: "read", path }) as const;

test("entries are listed page by page, and names that are no path are left out", async () => {
  const { web, mount } = await setUp();
  await using _ = web;

  const first = await mount.list({ call: "list", path: "" }, context());
  const second = await mount.list(
    { call: "list", path: "", cursor: first.next!, limit: 5 },
    context(),
  );

  expect(first).toEqual({ paths: ["a", "2"], next: "p2" });
  expect(second).toEqual({ paths: ["z"], next: null });
  expect(web.seen[1]!.url).toBe("/v1/items?after=p2&max=5");
  expect(web.seen[0]!.headers["authorization"]).toBe("Bearer s3cr3t-value");
});

test("an entry is read, as JSON or as text, and words are searched", async () => {
  const { web, mount } = await setUp();
  await using _ = web;

  expect(await mount.read(read("a"), context())).toEqual({ path: "/v1/items/a" });
  expect(await mount.read(read("text"), context())).toBe("plain text");
  expect(
    await mount.search!({ call: "search", path: "", query: "x&y=1" }, context()),
  ).toMatchObject({ found: [{ path: "a", data: { q: "x&y=1" } }] });
});

test("HTTP-MOUNT-2: a path is encoded and adds nothing to the request", async () => {
  const { web, mount } = await setUp();
  await using _ = web;

  await mount.read(read("a?admin=1#x"), context());

  expect(web.seen[0]!.url).toBe("/v1/items/a%3Fadmin%3D1%23x");
  for (const path of ["%2e%2e/admin", "a/../../admin"])
    await expect(mount.read(read(path), context())).rejects.toMatchObject({
      code: expect.stringMatching(/EINVAL|ENOENT/) as unknown,
    });
  expect(web.seen.every(({ url }) => url.startsWith("/v1/"))).toBe(true);
});

describe("HTTP-MOUNT-1: a redirect", () => {
  test.each([
    ["to another host", "out"],
    ["to the metadata address", "metadata"],
    ["out of the declared path", "up"],
  ])("%s needs a grant of its own", async (_what, path) => {
    const { web, mount } = await setUp();
    await using _ = web;

    await expect(mount.read(read(path), context())).rejects.toMatchObject({ code: "EACCES" });
    expect(web.seen.map(({ host }) => host)).toEqual(["api.example"]);
  });
});

test("a private address behind the declared name needs a grant of its own", async () => {
  const { web } = await setUp();
  await using _ = web;
  const egress = createEgress({ ...web.options, resolve: async () => ["10.0.0.5"] });
  const mount = httpMount({ name: "api", declaredBy: "config.yaml", declaration }, egress);

  await expect(mount.read(read("a"), context())).rejects.toMatchObject({ code: "EACCES" });
});

test.each([
  ["none", "ENOENT"],
  ["huge", "EUPSTREAM"],
  ["broken", "EUPSTREAM"],
  ["liar", "EUPSTREAM"],
])("%s is %s", async (path, code) => {
  const { web, mount } = await setUp();
  await using _ = web;

  await expect(mount.read(read(path), context())).rejects.toMatchObject({ code });
});

test("a server that does not answer is given up", async () => {
  const { web, mount } = await setUp({ timeout: 300 });
  await using _ = web;

  await expect(mount.read(read("slow"), context())).rejects.toMatchObject({ code: "ETIMEDOUT" });
});

test("without the secret nothing is sent; and what a manifest declares needs the host, too", async () => {
  const { web, mount } = await setUp();
  await using _ = web;
  const { web: other, mount: theirs } = await setUp({}, "manifest");
  await using theirWeb = other;

  await expect(
    mount.read(read("a"), deviceContextForTest({ grants: () => false })),
  ).rejects.toMatchObject({ code: "EACCES" });
  await expect(theirs.read(read("a"), context())).rejects.toMatchObject({ code: "EACCES" });
  expect([...web.seen, ...theirWeb.seen]).toEqual([]);
  expect(theirs.touches(read("a"))).toEqual([
    { kind: "http", resource: "api.example:80/v1/items/a", verb: "get" },
    { kind: "secret", resource: "TOKEN", verb: "use" },
  ]);
});
