// The service under a real systemd: a Debian machine of the test's own, whose first process is systemd. The unit of the
// Debian package with and without its drop-in, and the units that `aos service install` writes.

import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDebianMachine, machineTrouble, type DebianMachine } from "./debian-machine.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const trouble = machineTrouble();
if (trouble !== undefined && process.env["CI"] === "true") throw new Error(trouble);
/** A package and a Debian are made. */
const LONG_MS = 3_600_000;
const top = mkdtempSync(join(tmpdir(), "aos-systemd-"));
const ann = { user: "ann", cwd: "/srv/ann", env: { HOME: "/home/ann" } };
/** A program in TypeScript that reads a file of its project: it takes the sandbox. */
const COUNT = "aos run notes /work/note.txt --dir notes";

describe.skipIf(trouble !== undefined)(
  `the service under systemd${trouble ? ` (${trouble})` : ""}`,
  { timeout: LONG_MS },
  () => {
    let machine: DebianMachine;
    const state = () => machine.run("systemctl is-active agent-os || true");
    const mainPid = async () =>
      (await machine.run("systemctl show -p MainPID --value agent-os")).trim();
    const failure = (running: Promise<string>) =>
      running.then(
        () => "it did not fail",
        (error: Error) => error.message,
      );

    beforeAll(async () => {
      const { stdout } = await run(
        "npm",
        ["run", "-s", "package:deb", "--", "--quick", "--to", top],
        { cwd: repository },
      );
      machine = await createDebianMachine({ init: "systemd" });
      copyFileSync(join(repository, stdout.trim()), machine.path("srv/agent-os.deb"));
      await machine.run("dpkg -i /srv/agent-os.deb");
      await machine.run(
        "adduser --quiet --disabled-password --gecos '' ann && adduser --quiet ann aos-operators && install -d -o ann /srv/ann",
      );
      await machine.run("aos init tools notes && chmod -R go+rX notes", ann);
      await machine.run("aos trust notes --yes", ann);
    }, LONG_MS);
    afterAll(async () => {
      await (machine as DebianMachine | undefined)?.remove();
      rmSync(top, { recursive: true, force: true, maxRetries: 20 });
    });

    test("the package starts its service, whose programs run in the sandbox", async () => {
      expect(await state()).toBe("active\n");
      expect(await machine.run("systemctl is-enabled agent-os")).toBe("enabled\n");
      const { checks, sandbox } = JSON.parse(
        await machine.run("aos doctor -o json || true", ann),
      ) as { checks: { name: string; ok: boolean; isOptional?: true }[]; sandbox: object };

      expect(checks.filter(({ ok, isOptional }) => !ok && !isOptional)).toEqual([]);
      expect(sandbox).toMatchObject({ fs: "enforced", net: "enforced", syscalls: "enforced" });
      expect(await machine.run(COUNT, ann)).toContain('{"words":6}');
    });

    test("it is started again after a kill, and agents that wait go on", async () => {
      await machine.run("aos init approval clerk", ann);
      await machine.run('aos spawn clerk "pay mallory 500 francs" --label untrusted/public', ann);
      const approval = async () => (await machine.run("aos approvals -o name", ann)).trim();
      await expect.poll(approval).not.toBe("");
      const before = await mainPid();

      await machine.run(`kill -9 ${before}`);
      await expect.poll(() => failure(machine.run("aos status", ann))).toBe("it did not fail");

      expect(await mainPid()).not.toBe(before);
      await machine.run(`aos approve ${await approval()}`, ann);
      expect(await machine.run("aos wait @last", ann)).toContain("Entered.");
    });

    test("`aos down` and `aos up -d` of root go through it, and an operator is told who may", async () => {
      const root = { env: { HOME: "/root" } };
      await machine.run("aos down", root);

      expect(await state()).toBe("inactive\n");
      expect(await failure(machine.run("aos up -d", ann))).toContain("run it with sudo");
      expect(await failure(machine.run("aos ps", ann))).toContain("systemctl start agent-os");
      const up = JSON.parse(await machine.run("aos up -d -o json", root)) as object;

      expect(await state()).toBe("active\n");
      expect(up).toMatchObject({ pid: Number(await mainPid()), home: "/var/lib/aos" });
      expect(await machine.run("aos up -d 2>&1", ann)).toContain("is up already");
    });

    test("the strict unit, without the drop-in, serves agents that start no program", async () => {
      const dropIn = "/etc/systemd/system/agent-os.service.d";
      await machine.run(`mkdir -p ${dropIn} && ln -s /dev/null ${dropIn}/sandbox.conf`);
      await machine.run("systemctl daemon-reload && systemctl restart agent-os");
      await expect.poll(() => failure(machine.run("aos status", ann))).toBe("it did not fail");
      const exposure = async () =>
        Number(
          /exposure level for agent-os\.service: ([\d.]+)/.exec(
            await machine.run("systemd-analyze security --no-pager agent-os"),
          )?.[1],
        );

      const strict = await exposure();
      await machine.run("aos init hello greeter", ann);
      expect(await machine.run("aos run greeter hi", ann)).toContain("Hello!");
      expect(await failure(machine.run("aos doctor", ann))).toMatch(/does not (start|run)/);
      await machine.run(`rm -r ${dropIn} && systemctl daemon-reload && systemctl restart agent-os`);
      await expect.poll(() => failure(machine.run("aos status", ann))).toBe("it did not fail");

      expect(strict).toBeLessThanOrEqual(2);
      expect(await exposure()).toBeLessThanOrEqual(3.5);
      expect(await machine.run(COUNT, ann)).toContain('{"words":6}');
    });

    test.each([
      ["a user's own", "--user", "ann"],
      ["one of the machine, of root's making", "--system --as ann", "root"],
    ])(
      "`aos service install`, %s: starts, runs programs in the sandbox, stops, is removed",
      async (_, scope, user) => {
        await machine.run("systemctl stop agent-os; loginctl enable-linger ann");
        const runtime = "/run/user/$(id -u ann)";
        await machine.run(`until test -S ${runtime}/systemd/private; do sleep 0.1; done`);
        const home = "/home/ann/.aos";
        const as = (who: string) => ({ user: who, cwd: "/srv/ann", env: { AOS_HOME: home } });
        const aos = (words: string, who = "ann") =>
          machine.run(`XDG_RUNTIME_DIR=${runtime} HOME=~${who} aos ${words}`, as(who));
        // The package's unit is for another home; one of root's would hide it.
        if (user === "root")
          await machine.run("mv /lib/systemd/system/agent-os.service /srv/unit.aside");

        const installed = await aos(`service install ${scope} -o json`, user);
        await aos("trust notes --yes");
        const counted = await aos("run notes /work/note.txt --dir notes");
        await aos("down", user);
        const stopped = await aos("service status -o json || true", user);
        await aos("up -d", user);
        await aos("service uninstall", user);
        if (user === "root")
          await machine.run("mv /srv/unit.aside /lib/systemd/system/agent-os.service");
        await machine.run("systemctl daemon-reload");

        expect(JSON.parse(installed)).toMatchObject({ manager: "systemd", state: "active" });
        expect(counted).toContain('{"words":6}');
        expect(JSON.parse(stopped)).toMatchObject({ installed: true, state: "stopped" });
        expect(await failure(aos("service status", user))).toContain("has no service");
      },
    );
  },
);
