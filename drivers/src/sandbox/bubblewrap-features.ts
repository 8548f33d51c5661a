// Bubblewrap's features: its location and the options of this version. Distributions add new options to old versions,
// so the help text is read, not only the version.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

const execute = promisify(execFile);

export interface BubblewrapFeatures {
  readonly path: string;
  readonly version: string;
  /** Binds what a descriptor names, checks that it did, and closes it. */
  readonly hasBindFd: boolean;
  readonly hasDisableUserns: boolean;
  /** A tmpfs can have a size. */
  readonly hasSize: boolean;
}

/** The system's own first: on some systems the right to make namespaces hangs on this path. */
const PLACES = ["/usr/bin/bwrap", "/usr/local/bin/bwrap"];

const INSTALL =
  "bubblewrap is not installed: `apt install bubblewrap`, `dnf install bubblewrap` or `apk add bubblewrap`";

/** Its features, or why there is none to be had. */
export async function findBubblewrap(
  places: readonly string[] = PLACES,
): Promise<BubblewrapFeatures | { readonly problem: string }> {
  const path = places.find((place) => existsSync(place));
  if (path === undefined) return { problem: INSTALL };
  try {
    const [version, help] = await Promise.all([
      execute(path, ["--version"], { env: {} }),
      execute(path, ["--help"], { env: {} }),
    ]);
    return readFeatures(path, version.stdout, help.stdout + help.stderr);
  } catch (error) {
    const { stderr = "", message } = error as Error & { stderr?: string };
    const said = (stderr.trim() || message).split("\n")[0];
    return { problem: `${path} is installed and does not run: ${said}` };
  }
}

export function readFeatures(path: string, version: string, help: string): BubblewrapFeatures {
  const has = (option: string) => new RegExp(`^\\s*${option}\\s`, "m").test(help);
  return {
    path,
    version: /\d+(\.\d+)+/.exec(version)?.[0] ?? "of an unknown version",
    hasBindFd: has("--bind-fd") && has("--ro-bind-fd"),
    hasDisableUserns: has("--disable-userns"),
    hasSize: has("--size"),
  };
}
