// The Debian package on a machine of its own: installed, used, upgraded with agents that wait, removed, purged.

import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createClient, type Client } from "@aos/client";
import { socketFetch } from "@aos/cli/parts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDebianMachine, machineTrouble, type DebianMachine } from "./debian-machine.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const trouble = machineTrouble();
if (trouble !== undefined && process.env["CI"] === "true") throw new Error(trouble);

const AGENTS = 100;
/** Two packages and a Debian are made. */
const LONG_MS = 3_600_000;
const top = mkdtempSync(join(tmpdir(), "aos-debs-"));
let machine: DebianMachine;
let client: Client;

const npm = async (...words: string[]): Promise<string> => {
  const { stdout } = await run("npm", ["run", "-s", ...words], { cwd: repository });
  return join(repository, stdout.trim());
};
const digest = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
/** Every file of the machine but what dpkg and the system keep of what was ever installed. */
const files = () =>
  machine
    .run(
      "find / -xdev ! -path '/proc/*' ! -path '/dev/*' ! -path '/var/lib/dpkg/*' ! -path '/var/log/*' ! -path '/var/cache/debconf/*' ! -path '/srv/*' ! -path '/etc/*-' | sort",
    )
    .split("\n");

const clerk = `apiVersion: aos/v1
kind: Agent
name: clerk
model: scripted/clerk
tools: [file.append]
capabilities: [model:scripted/clerk:infer, tool:file.append:call, file:/var/lib/aos/ledger.txt:write]
`;
const script = `turns:
  - call: [{ tool: file.append, args: { path: /var/lib/aos/ledger.txt, line: "{{input}}" } }]
  - say: Entered.
`;

describe.skipIf(trouble !== undefined)(
  `the Debian package${trouble ? ` (${trouble})` : ""}`,
  () => {
    let older: string;
    let newer: string;
    let before: string[];

    beforeAll(async () => {
      await npm("package", "--", "--to", top);
      const deb = (...words: string[]) =>
        npm("package:deb", "--", "--packed", join(top, "agent-os"), "--quick", ...words);
      newer = await deb("--to", top);
      older = await deb("--to", top, "--version", "0.1.99");
      machine = await createDebianMachine();
      // Without an init system nothing is started unless the machine's owner says so.
      writeFileSync(machine.path("usr/sbin/policy-rc.d"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
      for (const file of [older, newer])
        writeFileSync(
          machine.path(`srv/${file === older ? "older" : "newer"}.deb`),
          readFileSync(file),
        );
      machine.run("touch /etc/group- /etc/passwd-");
      before = files();
      client = createClient({
        fetch: socketFetch(machine.path("run/aos/aos.sock")),
        baseUrl: "http://aos",
      });
    }, LONG_MS);
    afterAll(async () => {
      await (machine as DebianMachine | undefined)?.remove();
      rmSync(top, { recursive: true, force: true });
    });

    test("PACKAGE-DEB-1: two builds of one source are the same bytes", async () => {
      const to = join(top, "again");
      const again = await npm(
        "package:deb",
        "--",
        "--packed",
        join(top, "agent-os"),
        "--quick",
        "--to",
        to,
      );

      expect(digest(again)).toBe(digest(newer));
    });

    test("it installs, and its daemon runs as a user of its own, whose group may use it", async () => {
      machine.run("dpkg -i /srv/older.deb");
      machine.run(
        "addgroup --quiet friends && adduser --quiet --disabled-password --gecos '' ann && adduser --quiet ann aos-operators && adduser --quiet --disabled-password --gecos '' eve",
      );

      expect(machine.run("ps -o user= -C node || stat -c %U /var/lib/aos")).toMatch(/^aos/);
      expect(
        machine.run("stat -c '%a %U %G' /var/lib/aos /run/aos/aos.sock /etc/agent-os/environment"),
      ).toBe("700 aos aos-operators\n660 aos aos-operators\n600 root root\n");
      expect(machine.run("HOME=/home/ann aos status -o json", "ann")).toContain('"version"');
      expect(() =>
        machine.run("HOME=/home/eve AOS_SOCKET=/run/aos/aos.sock aos status", "eve"),
      ).toThrow(/EACCES|permission|not allowed|cannot/i);
      expect(() => machine.run("cat /var/lib/aos/secret.key", "ann")).toThrow(/Permission denied/);
    });

    test(`dpkg -i over the older version with ${AGENTS} waiting agents: all go on, each once`, async () => {
      machine.run("printf 'AOS_HTTP=off\\n' >> /etc/agent-os/environment");
      machine.run("printf 'approvals: { perHour: 1000 }\\n' >> /etc/agent-os/config.yaml");
      for (const [folder, text] of [
        ["agents", clerk],
        ["scripts", script],
      ] as const) {
        mkdirSync(machine.path(`var/lib/aos/${folder}`), { recursive: true });
        writeFileSync(machine.path(`var/lib/aos/${folder}/clerk.yaml`), text);
      }
      machine.run("chown -R aos:aos-operators /var/lib/aos/agents /var/lib/aos/scripts");
      machine.run("/etc/init.d/agent-os restart");
      const pids: string[] = [];
      for (let n = 0; n < AGENTS; n++)
        pids.push(
          (await client.spawn({ agent: "clerk", input: `letter ${n}`, label: "untrusted/public" }))
            .pid,
        );
      await expect.poll(async () => (await client.questions({ limit: 1000 })).length).toBe(AGENTS);

      const said = machine.run("dpkg -i /srv/newer.deb 2>&1");

      expect(said).toContain("Unpacking agent-os (0.2.0) over (0.1.99)");
      expect(machine.run("dpkg-query -W -f '${Status} ${Version}' agent-os")).toBe(
        "install ok installed 0.2.0",
      );
      expect(machine.run("tail -1 /etc/agent-os/environment")).toBe("AOS_HTTP=off\n"); // a conffile is its owner's
      for (const { id } of await client.questions({ limit: 1000 }))
        await client.answer({ id, choice: "yes" });
      for (const pid of pids)
        expect(await client.wait({ pid, timeoutMs: 600_000 })).toMatchObject({
          state: "completed",
        });
      const lines = readFileSync(machine.path("var/lib/aos/ledger.txt"), "utf8").trim().split("\n");
      expect(lines.toSorted()).toEqual(pids.map((_, n) => `letter ${n}`).toSorted());
    });

    test("its scripts may be run again, and a version that is there is installed over itself", async () => {
      machine.run("dpkg -i /srv/newer.deb && /var/lib/dpkg/info/agent-os.postinst configure 0.2.0");

      expect((await client.list({ limit: 1000 })).length).toBe(AGENTS);
    });

    test("removal keeps the home; purge leaves nothing behind", () => {
      machine.run("dpkg -r agent-os");
      expect(machine.run("ls /var/lib/aos/aos.db /etc/agent-os/config.yaml")).toContain("aos.db");
      expect(() => machine.run("test -e /run/aos")).toThrow();
      machine.run(
        "rm -rf /tmp/node-compile-cache; deluser --quiet ann && rm -rf /home/ann; deluser --quiet eve && rm -rf /home/eve; delgroup --quiet friends",
      );

      machine.run("dpkg -P agent-os");

      expect(files().filter((file) => !before.includes(file))).toEqual([]);
      expect(machine.run("getent passwd aos; getent group aos aos-operators; true")).toBe("");
      expect(
        spawnSync("sh", [
          "-c",
          `grep -l agent-os ${machine.path("proc")}/*/cmdline`,
        ]).stdout.toString(),
      ).toBe("");
    });
  },
);
