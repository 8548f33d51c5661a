// CertificateAuthority: issues the certificates of the proxy where it opens TLS. Its key is made on first use and
// exists only in the memory of this process.
//
//   const authority = sharedAuthority();
//   authority.certificate     PEM, trusted only by the programs of a run
//   authority.contextFor(host)   the TLS context for a host
//
// AUTHORITY-1  The key never leaves this file. A certificate is for one host, for servers, and valid for days.
// AUTHORITY-2  The authority can sign only for hosts, not for other authorities.

import { Buffer } from "node:buffer";
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import ipaddr from "ipaddr.js";
import * as der from "./der.ts";

const DAY_MS = 86_400_000;
/** Before now: clocks of programs that count in days. */
const SLACK_MS = DAY_MS;
const AUTHORITY_MS = 3650 * DAY_MS;
const HOST_MS = 30 * DAY_MS;
/** A certificate is made anew well before it ends. */
const KEPT_MS = HOST_MS / 2;
const MAX_KEPT = 500;

const ECDSA_SHA256 = der.sequence(der.name("1.2.840.10045.4.3.2"));
const COMMON_NAME = "2.5.4.3";
const EXTENSION = {
  subjectKey: "2.5.29.14",
  keyUsage: "2.5.29.15",
  otherNames: "2.5.29.17",
  constraints: "2.5.29.19",
  authorityKey: "2.5.29.35",
  purposes: "2.5.29.37",
} as const;
const FOR_SERVERS = "1.3.6.1.5.5.7.3.1";

export interface CertificateAuthority {
  /** PEM. */
  readonly certificate: string;
  /** For the host of a URL: a name, an IPv4 address, or an IPv6 address in brackets. */
  contextFor(host: string): SecureContext;
}

let theOne: CertificateAuthority | undefined;

/** One for this process. */
export const sharedAuthority = (): CertificateAuthority => (theOne ??= createAuthority());

export function createAuthority(now: () => number = Date.now): CertificateAuthority {
  const keys = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const hostKeys = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const issuer = commonName(`Agent OS proxy ${randomBytes(8).toString("hex")}`);
  const issue = (subject: Buffer, key: KeyObject, lastsMs: number, extensions: Buffer[]) =>
    pem(
      "CERTIFICATE",
      certificate({ issuer, subject, key, now: now(), lastsMs, extensions }, keys),
    );

  const own = issue(issuer, keys.publicKey, AUTHORITY_MS, [
    // An authority, with none below it.
    extension("constraints", der.sequence(der.derTrue, der.integer(Buffer.from([0]))), true),
    // To sign certificates.
    extension("keyUsage", der.bits(Buffer.from([0x04]), 2), true),
    extension("subjectKey", der.octets(digestOf(keys.publicKey))),
  ]);
  const forHost = (host: string): string =>
    issue(commonName("Agent OS proxy"), hostKeys.publicKey, HOST_MS, [
      extension("constraints", der.sequence(), true),
      // To sign what it says.
      extension("keyUsage", der.bits(Buffer.from([0x80]), 7), true),
      extension("purposes", der.sequence(der.name(FOR_SERVERS))),
      extension("otherNames", der.sequence(hostName(host))),
      extension("subjectKey", der.octets(digestOf(hostKeys.publicKey))),
      extension("authorityKey", der.sequence(der.plainNumbered(0, digestOf(keys.publicKey)))),
    ]);

  const key = hostKeys.privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const kept = new Map<string, { readonly context: SecureContext; readonly until: number }>();
  return {
    certificate: own,
    contextFor(host) {
      const known = kept.get(host);
      if (known !== undefined && now() < known.until) return known.context;
      const context = createSecureContext({ key, cert: forHost(host), minVersion: "TLSv1.2" });
      kept.delete(host);
      if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
      kept.set(host, { context, until: now() + KEPT_MS });
      return context;
    },
  };
}

interface Contents {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly key: KeyObject;
  readonly now: number;
  readonly lastsMs: number;
  readonly extensions: readonly Buffer[];
}

function certificate(
  { issuer, subject, key, now, lastsMs, extensions }: Contents,
  { privateKey }: { readonly privateKey: KeyObject },
): Buffer {
  const validity = der.sequence(
    der.time(new Date(now - SLACK_MS)),
    der.time(new Date(now + lastsMs)),
  );
  const contents = der.sequence(
    der.numbered(0, der.integer(Buffer.from([2]))),
    der.integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_SHA256,
    issuer,
    validity,
    subject,
    publicBytes(key),
    der.numbered(3, der.sequence(...extensions)),
  );
  return der.sequence(contents, ECDSA_SHA256, der.bits(sign("sha256", contents, privateKey)));
}

const publicBytes = (key: KeyObject): Buffer => key.export({ type: "spki", format: "der" });

/** A short name for a key; any will do that is the same in both certificates. */
const digestOf = (key: KeyObject): Buffer =>
  createHash("sha256").update(publicBytes(key)).digest().subarray(0, 20);

const commonName = (said: string): Buffer =>
  der.sequence(der.set(der.sequence(der.name(COMMON_NAME), der.derUtf8(said))));

const extension = (what: keyof typeof EXTENSION, value: Buffer, isCritical = false): Buffer =>
  der.sequence(der.name(EXTENSION[what]), ...(isCritical ? [der.derTrue] : []), der.octets(value));

const NAME = 2;
const ADDRESS = 7;

function hostName(host: string): Buffer {
  const address = host.replace(/^\[|\]$/g, "");
  return isIP(address) === 0
    ? der.plainNumbered(NAME, Buffer.from(host))
    : der.plainNumbered(ADDRESS, Buffer.from(ipaddr.parse(address).toByteArray()));
}

const pem = (what: string, bytes: Buffer): string =>
  `-----BEGIN ${what}-----\n${bytes.toString("base64").replaceAll(/(.{64})(?=.)/g, "$1\n")}\n-----END ${what}-----\n`;
