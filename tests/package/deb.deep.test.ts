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
import { EARLIER, earlierPackage, earlierTrouble } from "./earlier-release.ts";

const run = promisify(execFile);
const hasLintian = spawnSync("lintian", ["--version"]).status === 0;
const repository = fileURLToPath(new URL("../..", import.meta.url));
const trouble = machineTrouble();
if (trouble !== undefined && process.env["CI"] === "true") throw new Error(trouble);

const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
  version: string;
};
const AGENTS = 100;
/** Without the history of this repository: today's release under another number, on the schema that 0.1.0 left. */
const noHistory = earlierTrouble();
const olderVersion = noHistory === undefined ? EARLIER : "0.1.99";
const OLDER_SCHEMA = noHistory === undefined ? 4 : 5;
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
const files = async () =>
  (
    await machine.run(
      "find / -xdev ! -path '/proc/*' ! -path '/dev/*' ! -path '/var/lib/dpkg/*' ! -path '/var/log/*' ! -path '/var/cache/debconf/*' ! -path '/srv/*' ! -path '/etc/*-' | sort",
    )
  ).split("\n");

/** The users of all processes that are the daemon. */
const DAEMON_OWNERS = `for p in /proc/[0-9]*; do
  if tr '\\0' ' ' <$p/cmdline 2>/dev/null | grep -q '^[^ ]*node .*daemon\\.mjs'; then stat -c %U $p; fi
done`;

const clerk = `apiVersion: aos/v1
kind: Agent
name: clerk
model: scripted/clerk
tools: [file.append]
capabilities: [model:scripted/clerk:infer, tool:file.append:call, file:/srv/ledger/ledger.txt:write]
`;
const script = `turns:
  - call: [{ tool: file.append, args: { path: /srv/ledger/ledger.txt, line: "{{input}}" } }]
  - say: "Entered: {{last}}"
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
      older =
        noHistory === undefined
          ? await earlierPackage(newer, top)
          : await deb("--to", top, "--version", olderVersion);
      machine = await createDebianMachine();
      // Without an init system nothing is started unless the machine's owner says so.
      writeFileSync(machine.path("usr/sbin/policy-rc.d"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
      for (const file of [older, newer])
        writeFileSync(
          machine.path(`srv/${file === older ? "older" : "newer"}.deb`),
          readFileSync(file),
        );
      await machine.run("touch /etc/group- /etc/passwd-");
      before = await files();
      client = createClient({
        fetch: socketFetch(machine.path("run/aos/aos.sock")),
        baseUrl: "http://aos",
      });
    }, LONG_MS);
    afterAll(async () => {
      await (machine as DebianMachine | undefined)?.remove();
      rmSync(top, { recursive: true, force: true, maxRetries: 20 });
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
      await machine.run("dpkg -i /srv/newer.deb");
      await machine.run(
        "addgroup --quiet friends && adduser --quiet --disabled-password --gecos '' ann && adduser --quiet ann aos-operators && adduser --quiet --disabled-password --gecos '' eve",
      );

      expect(await machine.run(DAEMON_OWNERS)).toBe("aos\n");
      expect(
        await machine.run(
          "stat -c '%a %U %G' /var/lib/aos /run/aos/aos.sock /etc/agent-os/environment",
        ),
      ).toBe("700 aos aos-operators\n660 aos aos-operators\n600 root root\n");
      const ann = { user: "ann", env: { HOME: "/home/ann" } };
      const eve = { user: "eve", env: { HOME: "/home/eve", AOS_SOCKET: "/run/aos/aos.sock" } };
      expect(await machine.run("aos status -o json", ann)).toContain('"version"');
      await expect(machine.run("aos status", eve)).rejects.toThrow(/EACCES|permission/i);
      await expect(machine.run("cat /var/lib/aos/secret.key", ann)).rejects.toThrow(
        /Permission denied/,
      );
    });

    test("its daemon runs programs in the sandbox, also with no privilege to gain", async () => {
      const ann = { user: "ann", env: { HOME: "/home/ann" } };
      const doctor = await machine.run("aos doctor -o json || true", ann);
      // What the unit adds to the user: NoNewPrivileges and an empty bounding set.
      const bare = "setpriv --no-new-privs --bounding-set=-all --inh-caps=-all";
      const probe = "bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev echo held";

      expect(JSON.parse(doctor)).toMatchObject({ sandbox: { fs: "enforced", net: "enforced" } });
      expect(await machine.run(`${bare} ${probe}`, { user: "aos" })).toBe("held\n");
    });

    test.skipIf(!hasLintian)(
      "lintian finds no error that is not overridden with a reason",
      async () => {
        // Manual pages are checked by tests/scripts/packaging.test.ts; lintian starts a formatter for each.
        const words = ["--allow-root", "--fail-on", "error", "-X", "documentation/manual", newer];
        const { stdout } = await run("lintian", words);

        expect(stdout).not.toMatch(/^E:/m);
      },
    );

    test(
      `dpkg -i over ${olderVersion} with ${AGENTS} waiting agents: all go on, each once${noHistory ? ` (${noHistory})` : ""}`,
      async () => {
        await machine.run("dpkg -P agent-os && dpkg -i /srv/older.deb");
        await machine.run("printf 'AOS_HTTP=off\\n' >> /etc/agent-os/environment");
        // 0.1.0 read the settings of its home only.
        writeFileSync(machine.path("var/lib/aos/config.yaml"), "approvals: { perHour: 1000 }\n");
        for (const [folder, text] of [
          ["agents", clerk],
          ["scripts", script],
        ] as const) {
          mkdirSync(machine.path(`var/lib/aos/${folder}`), { recursive: true });
          writeFileSync(machine.path(`var/lib/aos/${folder}/clerk.yaml`), text);
        }
        await machine.run("chown -R aos:aos-operators /var/lib/aos");
        await machine.run("install -d -o aos -g aos-operators /srv/ledger");
        await machine.run("/etc/init.d/agent-os restart");
        const pids: string[] = [];
        for (let n = 0; n < AGENTS; n++)
          pids.push(
            (
              await client.spawn({
                agent: "clerk",
                input: `letter ${n}`,
                label: "untrusted/public",
              })
            ).pid,
          );
        await expect.poll(async () => (await client.questions({})).length).toBe(AGENTS);

        if (noHistory !== undefined) {
          await machine.run("/etc/init.d/agent-os stop");
          const asDaemon = { user: "aos", env: { HOME: "/var/lib/aos", AOS_HOME: "/var/lib/aos" } };
          await machine.run(`aos migrate --schema ${OLDER_SCHEMA}`, asDaemon);
        }

        const said = await machine.run("dpkg -i /srv/newer.deb 2>&1");

        expect(said).toContain(`Unpacking agent-os (${version}) over (${olderVersion})`);
        expect(await machine.run("ls /var/lib/aos/backups")).toContain(`-schema-${OLDER_SCHEMA}`);
        expect(await machine.run("dpkg-query -W -f '${Status} ${Version}' agent-os")).toBe(
          `install ok installed ${version}`,
        );
        expect(await machine.run("tail -1 /etc/agent-os/environment")).toBe("AOS_HTTP=off\n"); // a conffile is its owner's
        // What 0.1.0 asked did not name all that would run: after the answer it is asked once more, in today's words.
        const isOver = async () => {
          for (const { id } of await client.questions({ limit: 1000 }))
            await client.answer({ id, choice: "approve" });
          const processes = await client.list({ limit: 1000 });
          return processes.every(({ state }) => state === "completed");
        };
        while (!(await isOver()));
        expect((await client.list({ limit: 1000 })).length).toBe(AGENTS);
        const lines = readFileSync(machine.path("srv/ledger/ledger.txt"), "utf8")
          .trim()
          .split("\n");
        expect(lines.toSorted()).toEqual(pids.map((_, n) => `letter ${n}`).toSorted());
      },
      LONG_MS,
    );

    test("its scripts may be run again, and a version that is there is installed over itself", async () => {
      await machine.run(
        `dpkg -i /srv/newer.deb && /var/lib/dpkg/info/agent-os.postinst configure ${version}`,
      );

      expect((await client.list({ limit: 1000 })).length).toBe(AGENTS);
    });

    test("removal keeps the home; purge leaves nothing behind", async () => {
      await machine.run("dpkg -r agent-os");
      expect(await machine.run("ls /var/lib/aos/aos.db /etc/agent-os/config.yaml")).toContain(
        "aos.db",
      );
      await expect(machine.run("test -e /run/aos")).rejects.toThrow();
      await machine.run(
        "rm -rf /tmp/node-compile-cache; deluser --quiet ann && rm -rf /home/ann; deluser --quiet eve && rm -rf /home/eve; delgroup --quiet friends",
      );

      await machine.run("dpkg -P agent-os");

      expect((await files()).filter((file) => !before.includes(file))).toEqual([]);
      expect(await machine.run("getent passwd aos; getent group aos aos-operators; true")).toBe("");
      expect(
        spawnSync("sh", [
          "-c",
          `grep -l agent-os ${machine.path("proc")}/*/cmdline`,
        ]).stdout.toString(),
      ).toBe("");
    });
  },
);
