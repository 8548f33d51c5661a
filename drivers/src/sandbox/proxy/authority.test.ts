import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { isIP } from "node:net";
import { connect, createServer, type TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import { createAuthority, sharedAuthority } from "./authority.ts";

/** What a program that trusts `ca` sees of a server that speaks as `host`. */
async function shake(
  authority: ReturnType<typeof createAuthority>,
  host: string,
  ca = authority.certificate,
  wanted = host,
): Promise<X509Certificate> {
  const server = createServer({
    SNICallback: (_name, done) => done(null, authority.contextFor(host)),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const client: TLSSocket = connect({
    port,
    host: "127.0.0.1",
    ca,
    servername: "any.example",
    checkServerIdentity: (_name, certificate) => identity(wanted, certificate.raw),
  });
  try {
    await once(client, "secureConnect");
    return client.getPeerX509Certificate()!;
  } finally {
    client.destroy();
    server.close();
  }
}

function identity(wanted: string, raw: Buffer): Error | undefined {
  const certificate = new X509Certificate(raw);
  const address = wanted.replace(/^\[|\]$/g, "");
  const found = isIP(address) === 0 ? certificate.checkHost(address) : certificate.checkIP(address);
  return found === undefined ? new Error("another host") : undefined;
}

const hosts = [
  "a.example",
  "x-1.b_2.example",
  "10.0.0.7",
  "[2001:db8::1]",
  "[::1]",
  "[1:2:3:4:5:6:7:8]",
];

describe("a certificate", () => {
  test.each(hosts)("for %s is one for it and no other", async (host) => {
    const authority = createAuthority();

    const certificate = await shake(authority, host);

    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    await expect(shake(authority, host, undefined, "b.example")).rejects.toThrow("another host");
  });

  test("is trusted by nobody who does not trust this authority", async () => {
    const authority = createAuthority();

    const shaking = shake(authority, "a.example", createAuthority().certificate);

    await expect(shaking).rejects.toThrow(/unable to verify/);
  });

  test("lasts for days, and is made anew before it ends", async () => {
    let now = Date.now() - 16 * 86_400_000;
    const authority = createAuthority(() => now);
    const first = await shake(authority, "a.example");
    const again = await shake(authority, "a.example");
    now += 16 * 86_400_000;
    const later = await shake(authority, "a.example");

    expect(again.serialNumber).toBe(first.serialNumber);
    expect(later.serialNumber).not.toBe(first.serialNumber);
    const days = (Date.parse(first.validTo) - Date.parse(first.validFrom)) / 86_400_000;
    expect(days).toBe(31);
  });

  test("only so many are kept", () => {
    const authority = createAuthority();
    const first = authority.contextFor("a.example");
    expect(authority.contextFor("a.example")).toBe(first);

    for (let n = 0; n < 500; n++) authority.contextFor(`${n}.example`);

    expect(authority.contextFor("a.example")).not.toBe(first);
  });
});

test("the authority signs itself, may sign hosts, and no authority below it", () => {
  const certificate = new X509Certificate(createAuthority().certificate);

  expect(certificate.ca).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.issuer).toBe(certificate.subject);
  // As openssl prints them: critical, an authority, none below; for certificates only.
  const der = certificate.raw.toString("hex");
  expect(der).toContain("0603551d130101ff040830060101ff020100");
  expect(der).toContain("0603551d0f0101ff040403020204");
});

test("there is one for this process, and its key is in nothing that it gives", () => {
  expect(sharedAuthority()).toBe(sharedAuthority());
  expect(JSON.stringify(sharedAuthority())).not.toContain("PRIVATE");
});
