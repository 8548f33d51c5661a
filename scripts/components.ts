// Components: what the tests need that is no npm package. Each is looked for, installed where we may,
// and named where it is missing.

import { spawnSync, type SpawnSyncOptions } from "node:child_process";
import { existsSync } from "node:fs";

const APT_GET = "/usr/bin/apt-get";

export interface Component {
  readonly name: string;
  /** What is not tested without it. */
  readonly neededFor: string;
  readonly isThere: () => boolean;
  /** Debian's packages that bring it. */
  readonly packages: readonly string[];
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
];

/** Installs what is missing where that is possible; returns what still is. */
export function installComponents(): Component[] {
  const missing = components.filter((component) => !component.isThere());
  if (missing.length === 0 || process.getuid?.() !== 0 || !existsSync(APT_GET)) return missing;
  const packages = missing.flatMap((component) => component.packages);
  console.log(`installing ${packages.join(", ")}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options: SpawnSyncOptions = { stdio: ["ignore", "ignore", "inherit"], env };
  if (spawnSync(APT_GET, ["update"], options).status === 0)
    spawnSync(APT_GET, ["install", "-y", "--no-install-recommends", ...packages], options);
  return missing.filter((component) => !component.isThere());
}
