// Seatbelt profile: the restrictions of one run in the language of macOS's sandbox-exec. Everything is denied and
// then listed items are allowed; of two matching rules the later one counts.

import type { PlacedMount } from "./sources.ts";

export interface SeatbeltPlan {
  readonly mounts: readonly PlacedMount[];
  /** Paths of the machine. */
  readonly hidden: readonly string[];
  /** Paths that every run may read, beside the system's own. */
  readonly system: readonly string[];
  /** Its own folder for temporary files. */
  readonly scratch: string;
  readonly profile: "tool" | "program";
  /** The relay's port, and the socket that it connects to. */
  readonly proxy?: { readonly port: number; readonly socket: string };
}

const words = (text: string): string[] => text.split(" ");

/** What a program of macOS needs to start. */
const SYSTEM_READ = [
  ...words("/usr /bin /sbin /System /Library/Apple /Library/Developer"),
  ...words("/private/var/db/dyld /private/var/db/timezone /private/etc/ssl"),
];
const FILES_READ = [
  "/",
  "/private",
  "/private/etc/localtime",
  "/private/var/select/sh",
  "/dev/random",
  "/dev/urandom",
];
const DEVICES = ["/dev/null", "/dev/zero", "/dev/tty"];

export function seatbeltProfile(walls: SeatbeltPlan): string {
  const { mounts, hidden, system, scratch, profile, proxy } = walls;
  const readable = [...SYSTEM_READ, ...system, ...mounts.map(({ from }) => from), scratch];
  const writable = [
    ...mounts.filter(({ mode }) => mode === "write").map(({ from }) => from),
    scratch,
  ];
  const readOnly = mounts.filter(({ mode }) => mode === "read").map(({ from }) => from);
  const lines = [
    "(version 1)",
    "(deny default)",
    "(allow process-fork)",
    "(allow process-exec*)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    `(allow file-read* ${all("subpath", readable)} ${all("literal", [...FILES_READ, ...DEVICES])})`,
    `(allow file-read-metadata ${all("literal", above(readable))})`,
    `(allow file-write* ${all("subpath", writable)})`,
    `(allow file-write-data ${all("literal", DEVICES)})`,
    // A folder that may only be read and lies in one that may be written to.
    ...(readOnly.length === 0 ? [] : [`(deny file-write* ${all("subpath", readOnly)})`]),
    ...deeper(mounts).map((path) => `(allow file-write* ${all("subpath", [path])})`),
    // No file lends its owner's rights.
    "(deny file-write-setugid)",
    ...(hidden.length === 0 ? [] : [`(deny file-read* file-write* ${all("subpath", hidden)})`]),
    "(deny network*)",
    ...(profile === "tool" && proxy !== undefined
      ? [
          `(allow network-bind network-inbound (local ip "localhost:${proxy.port}"))`,
          `(allow network-outbound (remote ip "localhost:${proxy.port}"))`,
          `(allow network-outbound ${all("literal", [proxy.socket])})`,
        ]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** Folders that may be written to and lie in one that may only be read. */
function deeper(mounts: readonly PlacedMount[]): string[] {
  const readOnly = mounts.filter(({ mode }) => mode === "read");
  return mounts
    .filter(
      ({ mode, from }) =>
        mode === "write" && readOnly.some((outer) => from.startsWith(`${outer.from}/`)),
    )
    .map(({ from }) => from);
}

/** The folders on the way, which have to be looked at to be passed. */
function above(paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const parts = path.split("/").slice(1, -1);
    for (let depth = 1; depth <= parts.length; depth++)
      found.add(`/${parts.slice(0, depth).join("/")}`);
  }
  return [...found];
}

const all = (kind: "subpath" | "literal", paths: readonly string[]): string =>
  paths.map((path) => `(${kind} ${quote(path)})`).join(" ");

const quote = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
