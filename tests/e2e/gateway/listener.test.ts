// Where the API listens.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:https";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  type GatewayEnv,
  httpConfigOf,
  httpSection,
  listenOnNetwork,
  type HttpListener,
} from "@aos/daemon/gateway";
import { rawRequest, statusOf } from "./raw.ts";

const open: (HttpListener | { close(): unknown })[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** Says which door a request came through. */
const app = {
  fetch: (_request: Request, { transport: door }: GatewayEnv["Bindings"]) => new Response(door),
} as unknown as Parameters<typeof listenOnNetwork>[0];
const listen = async (options: Partial<Parameters<typeof listenOnNetwork>[1]> = {}) => {
  const listener = await listenOnNetwork(app, { host: "127.0.0.1", ...options });
  open.push(listener);
  return listener;
};
const occupied = async (): Promise<number> => {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(server);
  return (server.address() as AddressInfo).port;
};

test("HTTP-LISTENER-3: a port that nobody chose is the next free one", async () => {
  const [first, second] = [await listen(), await listen()];

  expect(first.url).not.toBe(second.url);
  for (const { url } of [first, second]) expect(await (await fetch(url)).text()).toBe("network");
});

test("HTTP-LISTENER-3: a port that was asked for is that one, or a failure", async () => {
  const port = await occupied();

  await expect(listen({ port })).rejects.toMatchObject({
    code: "ESTORE",
    message: expect.stringContaining(`127.0.0.1:${port}`),
  });
});

test("HTTP-LISTENER-1: it listens on loopback unless told", () => {
  expect(httpSection.http.parse(undefined)).toMatchObject({ enabled: true, host: "127.0.0.1" });
  const written = httpSection.http.parse({ port: 1 });
  expect(httpConfigOf(written, "off").enabled).toBe(false);
  expect(httpConfigOf(written, "[::1]:9")).toMatchObject({ host: "::1", port: 9 });
  expect(httpConfigOf(written, undefined)).toBe(written);
});

test("HTTP-LISTENER-2: who does not finish the header has less time than who sends a body", async () => {
  const patience = { headersMs: 100, requestMs: 60_000, checkMs: 50 };
  const { url } = await listen({ port: 0, patience });

  const answer = await rawRequest(Number(new URL(url).port), "GET / HTTP/1.1\r\nHost: x\r\n");

  expect(statusOf(answer)).toBe(408);
});

test("with a certificate it speaks TLS, and says so in its address", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aos-tls-"));
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  execFileSync(
    "openssl",
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost -keyout ${keyFile} -out ${certFile}`.split(
      " ",
    ),
    { stdio: "ignore" },
  );
  const tls = { cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
  rmSync(folder, { recursive: true });

  const { url } = await listen({ port: 0, tls });

  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const said = await new Promise<string>((resolve, reject) => {
    const options = { ca: tls.cert, servername: "localhost", agent: false } as const;
    get(url, { ...options, checkServerIdentity: () => undefined }, (answer) => {
      answer.setEncoding("utf8").once("data", resolve);
    }).once("error", reject);
  });
  expect(said).toBe("network");
});
