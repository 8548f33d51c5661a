// Earlier release: the Debian package that 0.1.0 would have been. That release had none: its sources, from the history of
// this repository, take the place of ours in a package of today, with the dependencies, the Node, the unit and the
// scripts of today.

import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));

export const EARLIER = "0.1.0";
/** The last commit with that version. */
const COMMIT = "6ce002cd";
const ROOMS = ["cli", "client", "daemon", "drivers", "kernel", "protocol", "sdk", "userland"];

/** Why it cannot be made: a clone may have no history. */
export function earlierTrouble(): string | undefined {
  const { status } = spawnSync("git", ["cat-file", "-e", `${COMMIT}^{commit}`], {
    cwd: repository,
  });
  return status === 0 ? undefined : `this clone does not have ${COMMIT}`;
}

/** `today` is a package of today. */
export async function earlierPackage(today: string, to: string): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), "aos-earlier-"));
  try {
    const root = join(work, "root");
    await run("dpkg-deb", ["-R", today, root]);
    const lib = join(root, "usr/lib/agent-os");
    for (const name of readdirSync(lib))
      if (name !== "node_modules") rmSync(join(lib, name), { recursive: true });
    const sources = join(work, "sources.tar");
    await run("git", ["archive", "-o", sources, COMMIT, "package.json", ...ROOMS], {
      cwd: repository,
    });
    await run("tar", ["-xf", sources, "-C", lib]);
    mkdirSync(join(lib, "node_modules/@aos"));
    for (const room of ROOMS) symlinkSync(`../../${room}`, join(lib, "node_modules/@aos", room));
    const control = join(root, "DEBIAN/control");
    const text = readFileSync(control, "utf8").replace(/^Version: .*$/m, `Version: ${EARLIER}`);
    writeFileSync(control, text);
    rmSync(join(root, "DEBIAN/md5sums"));
    const file = join(to, `agent-os_${EARLIER}.deb`);
    await run("dpkg-deb", ["--root-owner-group", "-Zgzip", "-z1", "--build", root, file]);
    return file;
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 20 });
  }
}
