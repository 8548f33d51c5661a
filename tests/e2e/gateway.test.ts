// The API over a real kernel, without a socket.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Client, type FetchLike } from "@aos/client";
import { MAX_BODY_BYTES, operationNames, type Program } from "@aos/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { operationHandlers, createApp } from "@aos/daemon/gateway";
import { checkedAnswer } from "../helpers/answer-check.ts";
import { openTestGateway } from "./gateway/test-gateway.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../helpers/checked-kernel.ts")).checkedModule(original),
);

const listen: Program = async (sys) => (await sys.receive()).body;
const echo: Program = async (_sys, input) => input;

let folder: string;
let app: ReturnType<typeof createApp>;
let client: Client;
let close: () => Promise<void>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "aos-gateway-"));
  const opened = await openTestGateway({
    folder,
    programs: { listen, echo },
    isKept: false,
    onMistake: (error) => {
      throw error;
    },
  });
  app = createApp(opened.gateway);
  const fetch: FetchLike = async (url, init) => {
    const response = await app.request(url, init, { transport: "socket" });
    return checkedAnswer(response, { method: init.method, url });
  };
  client = createClient({ fetch, baseUrl: "http://test" });
  close = () => opened.kernel.close();
});
afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

const manifest = (name: string, more = "") => ({
  file: `${name}.yaml`,
  text: `apiVersion: aos/v1\nkind: Agent\nname: ${name}\nprogram: ${name}\ncapabilities: ["message:*:receive"]\n${more}`,
});

test("every operation has an answer", () => {
  expect(Object.keys(operationHandlers).sort()).toEqual([...operationNames].sort());
});

test("spawn, wait and show, by the pid, its beginning and @last", async () => {
  const { pid } = await client.spawn({ agent: "echo", input: { n: 1 } });

  expect(await client.wait({ pid, timeoutMs: 120_000 })).toMatchObject({
    exitCode: 0,
    output: { n: 1 },
  });
  for (const name of [pid, pid.slice(0, 20), pid.slice(4, 20), "@last"]) {
    expect(await client.show({ pid: name })).toMatchObject({ pid, agent: "echo" });
  }
});

test("a manifest is read here, and its mistakes are named with their line", async () => {
  const spawning = client.spawn({ manifest: manifest("echo", "colour: red\n") });

  await expect(spawning).rejects.toMatchObject({
    code: "EINVAL",
    message: expect.stringMatching(/^echo\.yaml:6: colour: unknown field/),
    detail: [expect.objectContaining({ line: 6, field: "colour" })],
  });
  expect(await client.list()).toEqual([]);
});

test("watch streams the records to the end", async () => {
  const { pid } = await client.spawn({ manifest: manifest("listen") });
  const kinds: string[] = [];
  const watching = (async () => {
    for await (const record of client.watch({ pid })) kinds.push(record.kind);
  })();

  await client.send({ pid, body: "hello" });
  await watching;

  expect(kinds[0]).toBe("start");
  expect(kinds.at(-1)).toBe("end");
  expect((await client.journal({ pid })).map(({ kind }) => kind)).toEqual(kinds);
});

test("who waits while the daemon stops is told so", async () => {
  const { pid } = await client.spawn({ manifest: manifest("listen") });
  const waiting = client.wait({ pid });
  const failed = expect(waiting).rejects.toMatchObject({ code: "EINTR" });

  await client.shutdown();

  await failed;
});

test.each([
  ["an unknown route", "GET", "/api/v1/colours", undefined, 404, "ENOENT"],
  ["an unknown process", "GET", "/api/v1/processes/agt_0", undefined, 404, "ENOENT"],
  ["an unknown field in the query", "GET", "/api/v1/processes?colour=1", undefined, 400, "EINVAL"],
  ["a number that is none", "GET", "/api/v1/processes?limit=x", undefined, 400, "EINVAL"],
  ["an unknown field in the body", "POST", "/api/v1/gc", '{"colour":1}', 400, "EINVAL"],
  ["a body that is no JSON", "POST", "/api/v1/gc", "{", 400, "EINVAL"],
  ["a body that is no object", "POST", "/api/v1/gc", "[]", 400, "EINVAL"],
  ["a body that is too large", "POST", "/api/v1/gc", " ".repeat(MAX_BODY_BYTES + 1), 413, "EINVAL"],
  [
    "an unknown capability",
    "POST",
    "/api/v1/processes",
    '{"agent":"echo","capabilities":["x"]}',
    400,
    "EINVAL",
  ],
  ["neither name nor manifest", "POST", "/api/v1/processes", "{}", 400, "EINVAL"],
])("%s is a problem with a code", async (_, method, path, body, status, code) => {
  const init = {
    method,
    ...(body === undefined ? {} : { body, headers: { "content-type": "application/json" } }),
  };
  const response = await app.request(path, init, { transport: "socket" });

  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(await response.json()).toMatchObject({ status, code, message: expect.any(String) });
});

test("a body of another type is refused", async () => {
  const init = { method: "POST", body: "dryRun=true" };
  const response = await app.request("/api/v1/gc", init, { transport: "socket" });

  expect(response.status).toBe(400);
});
