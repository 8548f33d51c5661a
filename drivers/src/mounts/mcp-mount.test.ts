// Mounts of MCP resources: paths and URIs, and servers that lie.

import type { DeviceContext, MountRequest, Touch } from "@aos/protocol";
import { expect, test } from "vitest";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import type { ResourceContent, ResourceServer } from "../mcp/server-resources.ts";
import { mcpMount, pathOfUri, uriOfPath } from "./mcp-mount.ts";

const declared = {
  name: "notes",
  declaration: { driver: "mcp", server: "s" },
  declaredBy: "config.yaml",
} as const;

function serverWith(
  uris: readonly string[],
  contents: readonly ResourceContent[] = [],
  more: Partial<ResourceServer> = {},
): ResourceServer {
  return {
    touches: [],
    list: async () => ({ uris, next: undefined }),
    read: async () => contents,
    ...more,
  };
}

const request = (call: MountRequest["call"], path: string, more: Partial<MountRequest> = {}) => ({
  call,
  path,
  ...more,
});
const anyContext = (): DeviceContext => deviceContextForTest();

test.each([
  ["demo://notes/today.md", "demo/notes/today.md"],
  ["file:///etc/passwd", "file%3A%2F%2F%2Fetc%2Fpasswd"],
  ["urn:isbn:1", "urn%3Aisbn%3A1"],
  ["a://b/../c", "a%3A%2F%2Fb%2F..%2Fc"],
  ["a://../c", "a%3A%2F%2F..%2Fc"],
])("MCP-MOUNT-3: %s is %s, and back", (uri, path) => {
  expect(pathOfUri(uri)).toBe(path);
  expect(uriOfPath(path)).toBe(uri);
});

test.each(["", `x:${"y".repeat(300)}`, "\ud800:"])("MCP-MOUNT-3: %j is in no list", (uri) => {
  expect(pathOfUri(uri)).toBeUndefined();
});

test("a list is of all pages, sorted, each path once, below the path that was asked for", async () => {
  const pages = [
    ["b://x/2", "b://x/1"],
    ["b://x/1", "c://y"],
  ];
  const server = serverWith([], [], {
    list: async (cursor = "0") => ({
      uris: pages[Number(cursor)]!,
      next: cursor === "0" ? "1" : undefined,
    }),
  });
  const mount = mcpMount(declared, () => server);

  expect(await mount.list(request("list", ""), anyContext())).toEqual({
    paths: ["b/x/1", "b/x/2", "c/y"],
    next: null,
  });
  const below = await mount.list(request("list", "b", { limit: 1 }), anyContext());
  expect(below).toEqual({ paths: ["b/x/1"], next: "b/x/1" });
});

test("MCP-MOUNT-2: a server whose pages never end, or whose answer is too large, is EUPSTREAM or EINVAL", async () => {
  const endless = serverWith([], [], { list: async () => ({ uris: ["a://b"], next: "more" }) });
  const large = serverWith([], [{ uri: "a://b", text: "x".repeat(9_000_000) }]);

  const listing = mcpMount(declared, () => endless).list(request("list", ""), anyContext());
  await expect(listing).rejects.toMatchObject({ code: "EUPSTREAM" });
  const reading = mcpMount(declared, () => large).read(request("read", "a/b"), anyContext());
  await expect(reading).rejects.toMatchObject({ code: "EINVAL" });
});

test("text is read whole or in pieces, bytes as base64, several contents as a list", async () => {
  const read = (contents: readonly ResourceContent[], more = {}) =>
    mcpMount(declared, () => serverWith([], contents)).read(
      request("read", "a/b", more),
      anyContext(),
    );

  expect(await read([{ uri: "a://b", text: "hello" }])).toBe("hello");
  expect(await read([{ uri: "a://b", text: "hello" }], { offset: 1, length: 2 })).toEqual({
    text: "el",
    next: 3,
    of: 5,
  });
  expect(await read([{ uri: "a://b", blob: "AQI=" }])).toEqual({ base64: "AQI=" });
  expect(
    await read([
      { uri: "a://b", text: "1" },
      { uri: "a://c", blob: "AQ==" },
    ]),
  ).toEqual([
    { uri: "a://b", data: "1" },
    { uri: "a://c", data: { base64: "AQ==" } },
  ]);
});

test("MCP-MOUNT-1: a mount of a manifest needs the right to the server; secrets are always needed", () => {
  const host: Touch = { kind: "http", resource: "h:443/", verb: "post" };
  const secret: Touch = { kind: "secret", resource: "KEY", verb: "use" };
  const server = { ...serverWith([]), touches: [host, secret] };
  const right = { kind: "tool", resource: "mcp.s.resources", verb: "call" };
  const ofManifest = mcpMount({ ...declared, declaredBy: "manifest" }, () => server);

  expect(ofManifest.touches(request("read", "a/b"))).toEqual([right, host, secret]);
  expect(mcpMount(declared, () => server).touches(request("read", "a/b"))).toEqual([secret]);
});

test("what the server reaches beyond its declaration is asked of the gate", async () => {
  const beyond: Touch = { kind: "http", resource: "other:443/", verb: "post" };
  const context = deviceContextForTest({ grants: () => false });
  const server = serverWith([], [], {
    list: async (_cursor, inner) => {
      inner.authorize(beyond);
      return { uris: [], next: undefined };
    },
  });

  const listing = mcpMount(declared, () => server).list(request("list", ""), context);

  await expect(listing).rejects.toMatchObject({ code: "EACCES" });
  expect(context.asked).toEqual([beyond]);
});

test("a server that is not declared is EUPSTREAM, and says which", async () => {
  const reading = mcpMount(declared, () => undefined).read(request("read", "a/b"), anyContext());

  await expect(reading).rejects.toMatchObject({ code: "EUPSTREAM", message: /MCP server s/ });
});
