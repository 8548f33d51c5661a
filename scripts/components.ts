// Components: what the tests need that is no npm package. Each is looked for, installed where we may,
// and named where it is missing.
//
// A package that would start a service is not installed: its files are unpacked beside the npm packages, and
// only its commands are used.

import { spawnSync, type SpawnSyncOptions } from "node:child_process";
import { existsSync, mkdtempSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const APT_GET = "/usr/bin/apt-get";
const DPKG = "/usr/bin/dpkg";
const UNPACKED = fileURLToPath(new URL("../node_modules/.cache/debian/", import.meta.url));

export interface Component {
  readonly name: string;
  /** What is not tested without it. */
  readonly neededFor: string;
  readonly isThere: () => boolean;
  /** Debian's packages that bring it. */
  readonly packages: readonly string[];
  /** Only their files, and none of their services. */
  readonly isUnpacked?: true;
  /** Only `npm run test:deep` has tests that need it. */
  readonly isForDeep?: true;
}

const answers = (command: string, ...words: string[]): boolean =>
  spawnSync(command, words, { stdio: "ignore" }).status === 0;

export const components: readonly Component[] = [
  {
    name: "python3",
    neededFor: "programs in Python",
    isThere: () => answers("python3", "--version"),
    packages: ["python3"],
  },
  {
    name: "bubblewrap",
    neededFor: "the sandbox, and everything that runs in it",
    isThere: () => answers("bwrap", "--version"),
    packages: ["bubblewrap"],
  },
  ...(["git", "jq", "gcc", "make", "curl", "perl"] as const).map((name) => ({
    name,
    neededFor: `tools that run ${name}, and attempts to escape with it`,
    isThere: () => answers(name, "--version"),
    packages: [name === "gcc" ? "build-essential" : name],
  })),
  ...(["zsh", "fish"] as const).map((name) => ({
    name,
    neededFor: `completion in ${name}`,
    isThere: () => answers(name, "--version"),
    packages: [name],
  })),
  {
    name: "tmux",
    neededFor: "what is shown on a terminal",
    isThere: () => answers("tmux", "-V"),
    packages: ["tmux"],
  },
  {
    name: "ripgrep",
    neededFor: "the tool text.ripgrep",
    isThere: () => answers("rg", "--version"),
    packages: ["ripgrep"],
  },
  {
    name: "chromium",
    neededFor: "the browser tools",
    isThere: () => answers("chromium", "--version"),
    packages: ["chromium"],
  },
  ...(["debootstrap", "lintian"] as const).map((name) => ({
    name,
    neededFor: "the Debian package on a machine of its own",
    isThere: () => answers(name, "--version"),
    packages: [name],
    isForDeep: true as const,
  })),
  {
    name: "nats-server",
    neededFor: "hints between nodes that NATS carries",
    isThere: () => natsServer() !== undefined,
    packages: ["nats-server"],
    isUnpacked: true,
  },
  {
    name: "promtool",
    neededFor: "what Prometheus makes of our metrics and alerts",
    isThere: () => promtool() !== undefined,
    packages: ["prometheus"],
    isUnpacked: true,
  },
];

/** The machine's own, or the one that was unpacked. */
export const promtool = (): string | undefined =>
  ["promtool", join(UNPACKED, "usr", "bin", "promtool")].find((command) =>
    answers(command, "--version"),
  );

/** The machine's own, or the one that was unpacked. */
export const natsServer = (): string | undefined =>
  [
    "nats-server",
    join(UNPACKED, "usr", "sbin", "nats-server"),
    join(UNPACKED, "usr", "bin", "nats-server"),
  ].find((command) => answers(command, "--version"));

/** Installs what is missing where that is possible; returns what still is. */
export function installComponents(isDeep: boolean): Component[] {
  const needed = components.filter(({ isForDeep }) => isDeep || isForDeep !== true);
  const missing = needed.filter((component) => !component.isThere());
  if (missing.length === 0 || process.getuid?.() !== 0 || !existsSync(APT_GET)) return missing;
  const packagesOf = (some: readonly Component[]) => some.flatMap(({ packages }) => packages);
  const packages = packagesOf(missing.filter(({ isUnpacked }) => isUnpacked !== true));
  const toUnpack = packagesOf(missing.filter(({ isUnpacked }) => isUnpacked === true));
  console.log(`installing ${[...packages, ...toUnpack].join(", ")}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options: SpawnSyncOptions = { stdio: ["ignore", "ignore", "inherit"], env };
  if (spawnSync(APT_GET, ["update"], options).status === 0) {
    if (packages.length > 0)
      spawnSync(APT_GET, ["install", "-y", "--no-install-recommends", ...packages], options);
    if (toUnpack.length > 0) unpack(toUnpack, options);
  }
  return missing.filter((component) => !component.isThere());
}

function unpack(packages: readonly string[], options: SpawnSyncOptions): void {
  const folder = mkdtempSync(join(tmpdir(), "aos-debian-"));
  try {
    spawnSync(APT_GET, ["download", ...packages], { ...options, cwd: folder });
    mkdirSync(UNPACKED, { recursive: true });
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".deb")))
      spawnSync(DPKG, ["-x", join(folder, file), UNPACKED], options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
