import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { createServer as createHttpServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DaemonConnectionError, NoDaemon, socketFetch } from "./daemon-fetch.ts";

let folder: string;
let path: string;
let open: { close: () => void } | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aos-fetch-"));
  path = join(folder, "s.sock");
});
afterEach(() => {
  open?.close();
  open = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const listening = async <T extends Server>(server: T): Promise<T> => {
  open = server;
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return server;
};

const GET = { method: "GET", headers: {} };

test("a request arrives with its method, path, headers and body, and the whole answer comes back", async () => {
  const text = "ä".repeat(300_000);
  await listening(
    createHttpServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        const { method, url, headers } = request;
        const isSame = Buffer.concat(pieces).toString() === text;
        response.writeHead(201, { "content-type": "application/json" });
        response.write(JSON.stringify({ method, url, type: headers["content-type"], isSame }));
        response.end(`\n${text}`);
      });
    }),
  );

  const headers = { "content-type": "application/json" };
  const answer = await socketFetch(path)("http://aos/a/b?c=d%20e", {
    method: "POST",
    headers,
    body: text,
  });
  const [told, echoed] = (await answer.text()).split("\n");

  expect(answer.status).toBe(201);
  expect(JSON.parse(told!)).toEqual({
    method: "POST",
    url: "/a/b?c=d%20e",
    type: "application/json",
    isSame: true,
  });
  expect(echoed).toBe(text);
});

test("a stream is read as it comes, and whoever stops reading closes the connection", async () => {
  let closed: () => void;
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  await listening(
    createHttpServer((_, response) => {
      response.write("one\n"); // and no end
      response.on("close", () => closed());
    }),
  );

  const { body } = await socketFetch(path)("http://aos/", GET);
  for await (const piece of body!) {
    expect(Buffer.from(piece).toString()).toBe("one\n");
    break;
  }

  await isClosed;
});

test("DAEMON-FETCH-1: nobody there is NoDaemon; who hangs up before the answer was there", async () => {
  await expect(socketFetch(path)("http://aos/", GET)).rejects.toBeInstanceOf(NoDaemon);

  await listening(createServer((socket) => socket.once("data", () => socket.destroy())));
  const asked = socketFetch(path)("http://aos/", GET);

  await expect(asked).rejects.toBeInstanceOf(DaemonConnectionError);
});

test("an answer that breaks off is an error, and not a shorter answer", async () => {
  const half = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf";
  await listening(createServer((socket) => socket.once("data", () => socket.end(half))));

  const answer = await socketFetch(path)("http://aos/", GET);

  await expect(answer.text()).rejects.toBeInstanceOf(DaemonConnectionError);
});

test("a request that is called off ends, before and after the head of its answer", async () => {
  await listening(createServer((socket) => void socket.once("data", () => {})));
  const early = new AbortController();
  const asked = socketFetch(path)("http://aos/", { ...GET, signal: early.signal });
  setImmediate(() => early.abort());
  await expect(asked).rejects.toBeInstanceOf(DaemonConnectionError);

  open!.close();
  rmSync(path, { force: true });
  const head = "HTTP/1.1 200 OK\r\n\r\n";
  await listening(createServer((socket) => void socket.once("data", () => socket.write(head))));
  const late = new AbortController();
  const answer = await socketFetch(path)("http://aos/", { ...GET, signal: late.signal });
  late.abort();

  await expect(answer.text()).rejects.toBeInstanceOf(DaemonConnectionError);
});

test("a header cannot bring a second one", async () => {
  const headers = { "x-a": "b\r\nx-c: d" };

  await expect(socketFetch(path)("http://aos/", { method: "GET", headers })).rejects.toMatchObject({
    code: "EINVAL",
  });
});
