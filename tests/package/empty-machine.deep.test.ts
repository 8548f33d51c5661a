// The first hour of somebody who has a tarball and an empty Debian with bubblewrap, Python and an old Node: every line is
// typed as it is printed here. docs/package.md has the list, and README.md the number of lines and their time.

import { execFile, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDebianMachine, machineTrouble, type DebianMachine } from "./debian-machine.ts";
import { firstHour } from "./first-hour.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const trouble = machineTrouble();
if (trouble !== undefined && process.env["CI"] === "true") throw new Error(trouble);
/** A Debian is made, and a hundred packages are fetched. */
const LONG_MS = 3_600_000;

/** npm and its Node as this machine has them, and not the Node that came with this repository. */
function installNpm(machine: DebianMachine): void {
  const PATH = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .join(delimiter);
  const which = (program: string) =>
    spawnSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8", env: { PATH } });
  const npm = dirname(dirname(realpathSync(which("npm").stdout.trim())));
  spawnSync("mkdir", ["-p", machine.path("usr/local/lib")]);
  spawnSync("cp", ["-r", npm, machine.path("usr/local/lib/npm")]);
  copyFileSync(realpathSync(which("node").stdout.trim()), machine.path("usr/local/bin/node"));
  for (const name of ["npm", "npx"])
    spawnSync("ln", ["-s", `../lib/npm/bin/${name}-cli.js`, machine.path(`usr/local/bin/${name}`)]);
}

/** The registry, the proxy and the certificates of this machine: without them npm finds nothing. */
async function npmEnvironment(machine: DebianMachine): Promise<Record<string, string>> {
  const certificates = "/etc/ssl/certs/ca-certificates.crt";
  if (existsSync(certificates)) copyFileSync(certificates, machine.path(certificates));
  const { stdout } = await run("npm", ["config", "get", "registry"], { cwd: tmpdir() });
  const proxies = Object.entries(process.env).filter(([name]) => /_proxy$/i.test(name));
  return {
    ...(Object.fromEntries(proxies) as Record<string, string>),
    NODE_EXTRA_CA_CERTS: certificates,
    npm_config_registry: stdout.trim(),
    npm_config_update_notifier: "false",
  };
}

describe.skipIf(trouble !== undefined)(
  `an empty machine${trouble ? ` (${trouble})` : ""}`,
  { timeout: LONG_MS },
  () => {
    const top = mkdtempSync(join(tmpdir(), "aos-empty-"));
    let machine: DebianMachine;

    beforeAll(async () => {
      const words = ["run", "-s", "package", "--", "--to", top];
      const { stdout } = await run("npm", words, { cwd: repository });
      machine = await createDebianMachine();
      await machine.run("adduser --quiet --disabled-password --gecos '' ann");
      await machine.run("mkdir project", { user: "ann", cwd: "/home/ann" });
      copyFileSync(stdout.trim(), machine.path("home/ann/project/agent-os.tgz"));
      installNpm(machine);
    }, LONG_MS);
    afterAll(async () => {
      await (machine as DebianMachine | undefined)?.remove();
      rmSync(top, { recursive: true, force: true, maxRetries: 20 });
    });

    test("installs the tarball, and runs, kills, resumes, approves, embeds, and speaks Python", async () => {
      const env = { ...(await npmEnvironment(machine)), HOME: "/home/ann" };
      const where = { user: "ann", cwd: "/home/ann/project", env };
      const times: string[] = [];
      const begun = performance.now();

      for (const { line, prints, isAsked = false } of firstHour) {
        const before = performance.now();
        const typed = () => machine.run(line, where);
        if (prints === undefined) await typed();
        else if (isAsked) await expect.poll(typed).toMatch(prints);
        else expect(await typed()).toMatch(prints);
        times.push(`${((performance.now() - before) / 1000).toFixed(1)} s  ${line.split("\n")[0]}`);
      }

      const seconds = Math.round((performance.now() - begun) / 1000);
      console.log(`${firstHour.length} commands, ${seconds} s\n${times.join("\n")}`);
    });

    test("says in one sentence that the library needs a newer Node than the machine's", async () => {
      const where = { user: "ann", cwd: "/home/ann/project" };
      const version = await machine.run("node --version", where);
      const imported = machine.run(`node --input-type=module -e 'import "agent-os"'`, where);

      if (Number.parseInt(version.slice(1), 10) >= 24) expect(await imported).toBe("");
      else await expect(imported).rejects.toThrow(/agent-os needs Node 24 or newer, and this is/); // PACKAGE-3
    });

    test("is what docs/package.md shows, line by line, and README.md counts", () => {
      const page = readFileSync(join(repository, "docs/package.md"), "utf8");
      const readme = readFileSync(join(repository, "README.md"), "utf8");

      for (const { line } of firstHour) expect(page).toContain(`\n${line}\n`);
      expect(page).toContain(`${firstHour.length} commands`);
      expect(readme).toContain(`${firstHour.length} commands`);
    });
  },
);
