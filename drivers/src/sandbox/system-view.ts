// System view: the part of the machine that every run sees, read-only: programs and libraries, and an artificial /etc
// with copies of what programs need: library cache, time zone, certificates. No other file of the machine's /etc is
// in it.
//
// SYSTEM-VIEW-1  Nothing that names the machine, its users, its hosts or its keys is copied.
// SYSTEM-VIEW-2  It is made once. Certificates installed later are seen after a restart of the daemon.

import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** The user that programs believe to be. */
export const INSIDE = { uid: 1000, gid: 1000, name: "agent" } as const;

const COPIED: readonly string[] = [
  "alternatives",
  "ca-certificates/extracted",
  "crypto-policies",
  "debian_version",
  "fonts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "magic",
  "mime.types",
  "os-release",
  "pki/ca-trust/extracted",
  "pki/tls/cert.pem",
  "pki/tls/certs",
  "pki/tls/openssl.cnf",
  "protocols",
  "services",
  "ssl/cert.pem",
  "ssl/certs",
  "ssl/openssl.cnf",
  "timezone",
];

const WRITTEN: Readonly<Record<string, string>> = {
  passwd: `root:x:0:0:root:/:/usr/sbin/nologin\n${INSIDE.name}:x:${INSIDE.uid}:${INSIDE.gid}:${INSIDE.name}:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n`,
  group: `root:x:0:\n${INSIDE.name}:x:${INSIDE.gid}:\nnogroup:x:65534:\n`,
  "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
  hosts: "127.0.0.1 localhost sandbox\n::1 localhost sandbox\n",
  hostname: "sandbox\n",
  "machine-id": "",
};

/** Makes the /etc of every run at `folder`. */
export function makeEtc(folder: string, machineEtc = "/etc"): void {
  mkdirSync(folder);
  for (const name of COPIED) copyIfAny(join(machineEtc, name), join(folder, name));
  for (const [name, text] of Object.entries(WRITTEN)) writeFileSync(join(folder, name), text);
  openToRead(folder);
}

function copyIfAny(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  try {
    // The thing itself, where it is a link to it; links inside a folder stay what they are.
    cpSync(realpathSync(from), to, { recursive: true, verbatimSymlinks: true });
  } catch {
    // Somebody else's file that we may not read: then the run may not either.
  }
}

/** The user of the run must be able to read it, whatever our umask is. */
function openToRead(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToRead(path);
    else if (entry.isFile()) chmodSync(path, 0o644);
  }
}

/** The bundle of certificate authorities of this machine, as text. */
export function systemAuthorities(): string {
  const bundles = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
  ];
  const bundle = bundles.find((path) => existsSync(path));
  return bundle === undefined ? "" : readFileSync(bundle, "utf8");
}

export interface SystemPaths {
  /** Folders that are bound as they are. */
  readonly folders: readonly string[];
  /** Links at the top, as where /bin is usr/bin. */
  readonly links: readonly (readonly [target: string, at: string])[];
}

/** /usr, and what is at the top beside it: links on most systems, folders on older ones. */
export function systemPlaces(): SystemPaths {
  const folders = ["/usr"];
  const links: [string, string][] = [];
  for (const at of ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]) {
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() === true) links.push([readlinkSync(at), at]);
    else if (stats?.isDirectory() === true) folders.push(at);
  }
  return { folders, links };
}
