import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import { createEgress, type EgressOptions } from "./egress.ts";
import { readUrl } from "./url.ts";

let cert: string;
let server: Server;
let port: number;
const names: unknown[] = [];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "aos-tls-"));
  const [keyFile, certFile] = [join(folder, "key"), join(folder, "cert")];
  const subject = [
    "-subj",
    "/CN=a.example",
    "-addext",
    "subjectAltName=DNS:a.example,IP:127.0.0.1",
  ];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  execFileSync(
    "/usr/bin/openssl",
    ["req", "-x509", ...key, ...subject, "-keyout", keyFile, "-out", certFile],
    { stdio: "ignore" },
  );
  cert = readFileSync(certFile, "utf8");
  server = createServer({ key: readFileSync(keyFile), cert }, (incoming, response) => {
    names.push((incoming.socket as TLSSocket).servername);
    response.end("safe");
  });
  rmSync(folder, { recursive: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as { port: number }).port;
});
afterAll(() => void server.close());

const get = (host: string, options: EgressOptions) =>
  createEgress({ resolve: async () => ["127.0.0.1"], ...options }).send(
    {
      method: "get",
      target: readUrl(`https://${host}:${port}/`),
      headers: {},
      limit: 100,
      timeoutMs: 20_000,
      maxRedirects: 0,
    },
    deviceContextForTest(),
  );

describe("over TLS", () => {
  test("the certificate is for the name that was asked for, at the address that was checked", async () => {
    expect((await get("a.example", { ca: cert })).bytes.toString()).toBe("safe");
    expect((await get("127.0.0.1", { ca: [cert] })).bytes.toString()).toBe("safe");
    expect(names).toEqual(["a.example", false]);
  });

  test("one for another name is refused", async () => {
    await expect(get("b.example", { ca: cert })).rejects.toMatchObject({
      code: "EUPSTREAM",
      message: expect.stringContaining("ERR_TLS_CERT_ALTNAME_INVALID"),
    });
  });

  test("one that nobody vouches for is refused, whatever the environment says", async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      await expect(get("a.example", {})).rejects.toMatchObject({ code: "EUPSTREAM" });
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });
});
