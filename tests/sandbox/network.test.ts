// The way out of a sandbox is its proxy's socket, and there is no other.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttp, type Server } from "node:http";
import { createConnection, createServer as createTcp, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { useSandbox } from "./rig.ts";

const rig = useSandbox();

let folder: string;
let socket: string;
let proxy: Server;
let site: Server;
const asked: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "aos-network-"));
  socket = join(folder, "proxy.sock");
  // Answers by itself, in the place of the world.
  proxy = createHttp((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.method === "POST") request.pipe(response);
    else
      response.end(
        request.url?.includes("large") ? Buffer.alloc(5_000_000, "x") : "from the proxy\n",
      );
  }).listen(socket);
  site = createHttp((_request, response) => response.end("from the machine\n")).listen(
    0,
    "127.0.0.1",
  );
  await Promise.all([once(proxy, "listening"), once(site, "listening")]);
});
afterAll(() => {
  proxy.close();
  site.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

const through = () => ({ network: { proxySocket: socket } });

describe("with a proxy", () => {
  test("its programs find it, and what they ask for comes from there", async () => {
    const ending = await rig.run(
      "curl -sS http://example.com/a; curl -sS http://127.0.0.1:9/b",
      through(),
    );

    expect(ending).toMatchObject({ code: 0, stdout: "from the proxy\nfrom the proxy\n" });
    expect(asked).toEqual(
      expect.arrayContaining(["GET http://example.com/a", "GET http://127.0.0.1:9/b"]),
    );
  });

  test("much goes both ways, many at once", async () => {
    const ending = await rig.run(
      `head -c 3000000 /dev/zero > /tmp/up
       for i in 1 2 3 4 5 6 7 8; do (curl -sS http://example.com/large | wc -c) & done
       (curl -sS --data-binary @/tmp/up http://example.com/up | wc -c) & wait`,
      through(),
    );

    expect(ending.stdout.trim().split("\n").sort()).toEqual([
      "3000000",
      ...Array(8).fill("5000000"),
    ]);
  });

  test("it is ready before the program starts, and is not its child", async () => {
    const script = `curl -sS http://example.com/first; wait; ps -o ppid=,comm= -C perl,socat | head -1`;
    const { stdout } = await rig.run(script, through());

    expect(stdout).toMatch(/^from the proxy\n\s+1 /);
  });

  test("a program that is not there says so", async () => {
    const run = await rig.start(["no-such-program"], through());

    expect(await run.ended).toMatchObject({ code: 127 });
  });

  test("authorities are found by programs of many kinds", async () => {
    const ending = await rig.run(
      'for name in SSL_CERT_FILE CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GIT_SSL_CAINFO NODE_EXTRA_CA_CERTS; do eval "tail -n 1 \\$$name"; done; grep -c BEGIN $SSL_CERT_FILE; echo $NODE_USE_ENV_PROXY-$no_proxy-$https_proxy',
      { network: { proxySocket: socket, authorities: "# ours" } },
    );
    const lines = ending.stdout.trim().split("\n");

    expect(lines.slice(0, 5)).toEqual(Array(5).fill("# ours"));
    expect(Number(lines[5])).toBeGreaterThan(10);
    expect(lines[6]).toBe("1--http://127.0.0.1:3128");
  });

  test("there is still no other way out", async () => {
    const { port } = site.address() as AddressInfo;
    const ending = await rig.run(
      `curl -sS --noproxy '*' -m 3 http://127.0.0.1:${port}/ ; curl -sS --noproxy '*' -m 3 http://1.1.1.1/; ls /run/aos`,
      through(),
    );

    expect(ending.stdout).toBe("proxy.sock\nrelay\n");
  });
});

describe("without", () => {
  test("nothing of the machine's network is there", async () => {
    const { port } = site.address() as AddressInfo;
    const ending = await rig.run(
      `curl -sS -m 3 http://127.0.0.1:${port}/; curl -sS -m 3 http://1.1.1.1/; cat /proc/net/dev | tail -n +3 | cut -d: -f1; env | grep -i proxy`,
    );

    expect(ending.stdout.trim()).toBe("lo");
  });

  test("a socket of the machine without a path cannot be reached", async () => {
    const name = `\0aos-test-${process.pid}`;
    const server = createTcp((connection) => connection.end("reached")).listen(name);
    await once(server, "listening");
    const outside = createConnection(name);
    const [chunk] = (await once(outside, "data")) as [Buffer];
    const script = `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); print connect(S, pack("Sa*", AF_UNIX, "\\0aos-test-${process.pid}")) ? "reached" : "refused: $!"'`;

    const ending = await rig.run(script);
    server.close();
    outside.destroy();

    expect(chunk.toString()).toBe("reached");
    expect(ending.stdout).toMatch(/^refused/);
  });

  test("a tool has local sockets, a program none", async () => {
    const script = `perl -MSocket -e 'for my $f (AF_UNIX, AF_INET, AF_INET6, 16, 17, 40) { print socket(S, $f, SOCK_STREAM, 0) ? "yes " : "no " }; print socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) ? "pair" : "none"'`;

    expect((await rig.run(script)).stdout).toBe("yes yes yes no no no pair");
    expect((await rig.run(script, { profile: "program" })).stdout).toBe("no no no no no no pair");
  });
});
