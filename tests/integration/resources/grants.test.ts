// Grants and resources, whole: real capabilities, the real gate, the real tools, real files and servers.

import { once } from "node:events";
import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtInTools } from "../../helpers/built-in-tools.ts";
import type { Json } from "@aos/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bootForTest, codeOf } from "../../helpers/kernel.ts";

let top: string;
let work: string;
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "aos-grants-")));
  work = join(top, "work");
  await mkdir(work);
  await mkdir(join(top, "secret"));
  await writeFile(join(top, "secret", "key"), "SECRET");
});
afterEach(() => rm(top, { recursive: true }));

/** Makes these calls under these grants, each in a process of its own, and gives the codes. */
async function codesOf(
  capabilities: string[],
  calls: [tool: string, args: Json][],
): Promise<Json[]> {
  const { kernel } = await bootForTest({
    tools: builtInTools,
    programs: {
      caller: async (sys, input) => {
        const [tool, args] = input as [string, Json];
        return codeOf(sys.exec(tool, args));
      },
    },
  });
  const codes: Json[] = [];
  for (const input of calls) {
    const granted = ["tool:*:call", ...capabilities];
    const pid = await kernel.spawn({ agent: "caller", input, capabilities: granted });
    codes.push((await kernel.wait(pid)).output);
  }
  return codes;
}

describe("files", () => {
  test("a grant is for what a path leads to, and not only for the path", async () => {
    await writeFile(join(work, "a"), "mine");
    await symlink(join(work, "a"), join(work, "inside"));
    await symlink(join(top, "secret", "key"), join(work, "leaf"));
    await symlink(join(top, "secret"), join(work, "way"));
    await link(join(top, "secret", "key"), join(work, "twin"));
    const at = (name: string, more: object = {}): Json => ({ path: join(work, name), ...more });

    const codes = await codesOf(
      [`file:${work}/**:*`],
      [
        ["file.read", at("a")],
        ["file.read", at("inside")],
        ["file.read", at("leaf")],
        ["file.read", at("way/key")],
        ["file.read", at("twin")],
        ["file.write", at("leaf", { text: "x" })],
        ["file.write", at("way/new", { text: "x" })],
        ["file.append", at("way/key", { line: "x" })],
        ["file.list", at("way")],
        ["file.remove", at("way/key")],
        ["file.remove", at("leaf")],
        ["file.read", { path: join(top, "work-evil") }],
        ["file.read", { path: `${work}/../secret/key` }],
      ],
    );

    const refused = "EACCES";
    expect(codes).toEqual([
      "ok",
      "ok",
      ...Array.from({ length: 8 }, () => refused),
      "ok",
      refused,
      "EINVAL",
    ]);
    expect(await readFile(join(top, "secret", "key"), "utf8")).toBe("SECRET");
    expect(await readdir(join(top, "secret"))).toEqual(["key"]);
  });

  test("each tool needs its own verb", async () => {
    await writeFile(join(work, "a"), "mine");
    const path = join(work, "a");

    const codes = await codesOf(
      [`file:${work}/**:read`],
      [
        ["file.read", { path }],
        ["file.list", { path: work }],
        ["file.write", { path, text: "" }],
        ["file.append", { path, line: "" }],
        ["file.remove", { path }],
      ],
    );

    expect(codes).toEqual(["ok", "EACCES", "EACCES", "EACCES", "EACCES"]);
    expect(await readFile(path, "utf8")).toBe("mine");
  });

  test("a grant in one Unicode form covers a request in another; case counts", async () => {
    await writeFile(join(work, "caf\u00e9"), "mine");

    const codes = await codesOf(
      [`file:${work}/caf\u00e9:read`],
      [
        ["file.read", { path: join(work, "cafe\u0301") }],
        ["file.read", { path: join(work, "CAF\u00c9") }],
      ],
    );

    expect(codes).toEqual(["ok", "EACCES"]);
  });
});

describe("the web", () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    if (request.url === "/away") response.writeHead(302, { location: "/private/x" });
    if (request.url === "/metadata")
      response.writeHead(302, { location: "http://169.254.169.254/latest" });
    response.end("ok");
  });
  let at: string;
  beforeEach(async () => {
    seen.length = 0;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    at = `127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  afterEach(async () => {
    server.close();
    await once(server, "close");
  });

  test("an address of the machine is reached by a grant that names it, and by no star", async () => {
    const call: [string, Json][] = [["http.fetch", { url: `http://${at}/v1/a` }]];
    const [host, port] = at.split(":");

    expect(await codesOf([`http:${at}/v1/**:get`], call)).toEqual(["ok"]);
    expect(await codesOf([`http:*:${port}/**:get`], call)).toEqual(["EACCES"]);
    expect(await codesOf([`http:${host}/**:get`], call)).toEqual(["EACCES"]);
    expect(await codesOf([`http:${at}/v2/**:get`], call)).toEqual(["EACCES"]);
    expect(seen).toEqual(["GET /v1/a"]);
  });

  test("localhost is granted by its name", async () => {
    const port = at.split(":")[1];
    const call: [string, Json][] = [["http.fetch", { url: `http://localhost:${port}/` }]];

    expect(await codesOf([`http:localhost:${port}/**:get`], call)).toEqual(["ok"]);
    expect(await codesOf([`http:*:${port}/**:get`], call)).toEqual(["EACCES"]);
  });

  test("each hop and each method needs its grant", async () => {
    const codes = await codesOf(
      [`http:${at}/*:get,head`],
      [
        ["http.fetch", { url: `http://${at}/here` }],
        ["http.fetch", { url: `http://${at}/here`, method: "head" }],
        ["http.fetch", { url: `http://${at}/away` }],
        ["http.fetch", { url: `http://${at}/away`, maxRedirects: 0 }],
        ["http.fetch", { url: `http://${at}/metadata` }],
        ["http.fetch", { url: `http://${at}/here`, headers: { a: { secret: "TOKEN" } } }],
        ["http.fetch", { url: `http://${at}/here`, method: "options" }],
      ],
    );

    expect(codes).toEqual(["ok", "ok", "EACCES", "ok", "EACCES", "EACCES", "EACCES"]);
    expect(seen).toEqual(["GET /here", "HEAD /here", "GET /away", "GET /away", "GET /metadata"]);
  });
});
