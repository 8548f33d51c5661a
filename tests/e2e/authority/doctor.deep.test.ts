// The doctor, labels from the command line, and help.

import { chmodSync } from "node:fs";
import type { AttackReport, DoctorReport, ProcessDetail } from "@aos/protocol";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { finish } from "../home.ts";
import { createWorld, policy, type Step, type World } from "./world.ts";

let world: World;

const SEND: Step = [
  "exec",
  { tool: "http.send", args: { url: "https://a.example/", method: "post" } },
];
const HEAR: Step = ["receive", {}];

beforeAll(async () => {
  world = createWorld();
  await world.home.aos("up", "-d");
});
afterAll(() => world.remove());

describe("doctor", () => {
  test("says that all is well, and honestly what only advises", async () => {
    const ran = await world.aos("doctor", "-o", "json");
    const report = ran.json() as DoctorReport;

    expect(ran.code).toBe(0);
    expect(report.ok).toBe(true);
    expect(report.checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "node",
        "home",
        "home files",
        "audit key",
        "secret key",
        "policy",
        "database",
        "audit",
        "sandbox",
      ]),
    );
    expect(Object.keys(report.sandbox)).toEqual(
      "fs net pids mem cpu disk files syscalls".split(" "),
    );
    expect(report.sandbox).toMatchObject({ fs: "enforced", net: "enforced", syscalls: "enforced" });
    expect(report.sandbox.disk).toBe("advisory");
    expect((await world.aos("doctor")).stdout).toMatch(/sandbox fs +enforced \(mount namespace\)/);
  });

  test("finds a home that others can enter", async () => {
    chmodSync(world.home.folder, 0o755);
    onTestFinished(() => chmodSync(world.home.folder, 0o700));

    const ran = await world.aos("doctor", "-o", "json");

    expect(ran.code).toBe(1);
    const home = (ran.json() as DoctorReport).checks.find(({ name }) => name === "home");
    expect(home).toMatchObject({ ok: false, detail: expect.stringContaining("0755") });
  });
});

describe("doctor --attack", () => {
  test("tries only what is named, and says on standard error how far it is", async () => {
    const ran = await world.aos("doctor", "--attack", "--only", "L1,C", "-o", "json");
    const { attacks, gotThrough } = ran.json() as AttackReport;

    expect(ran.code).toBe(0);
    expect(gotThrough).toBe(0);
    expect(new Set(attacks.map(({ id }) => id[0]))).toEqual(new Set(["C", "L"]));
    expect(attacks.at(-1)).toMatchObject({ id: "L1", group: "endorsement", outcome: "stopped" });
    const [patterns, all] = [attacks.length - 1, attacks.length];
    expect(ran.stderr).toContain(`${patterns} of ${all} attacks: patterns and grammar\n`);
    expect(ran.stderr).toContain(`${all} of ${all} attacks: endorsement\n`);
  });

  test.each(["Z9", "paths", "A1,", "a1"])(
    "a name that is not there is refused: %s",
    async (only) => {
      const ran = await world.aos("doctor", "--attack", "--only", only, "-o", "json");

      expect(ran.error()).toMatchObject({
        code: "EINVAL",
        hint: expect.stringContaining("A paths; B links"),
      });
      expect(ran.code).toBe(2);
    },
  );

  test("under a policy that allows everything, what got through is first and the exit code is 1", async () => {
    const lax = createWorld({
      "config.yaml": "policy: { default: false, files: [mine.yaml] }\n",
      "mine.yaml": policy(),
    });
    onTestFinished(() => lax.remove());

    const ran = await lax.aos("doctor", "--attack", "--only", "E3,F1");
    const whole = await lax.aos("doctor", "--attack", "--only", "E3,F1", "--verbose");

    const [, first] = ran.stdout.split("\n");
    expect(first).toMatch(/^got-through +F1 +policy, labels, approvals /);
    expect(ran.stdout).not.toContain("E3");
    expect(ran.stdout).toMatch(/^handles, chains, counters, revocation +1 of 1$/m);
    expect(ran.stdout).toMatch(/^policy, labels, approvals +0 of 1$/m);
    expect(whole.stdout).toMatch(/^got-through +F1 [^]*^stopped +E3 /m);
    expect([ran.code, whole.code]).toEqual([1, 1]);
  });

  test("when the daemon stops meanwhile, it is a failure and no clean bill", async () => {
    const other = createWorld();
    onTestFinished(() => other.remove());
    await other.home.aos("up", "-d");

    const attacking = other.home.start("doctor", "--attack");
    const ran = finish(attacking);
    await new Promise((resolve) => attacking.stderr?.once("data", resolve));
    await other.home.aos("down");

    expect(await ran).toMatchObject({ code: 130, stdout: "" });
    expect((await ran).stderr).toMatch(/aborted after \d+ of \d+ attacks/);
  });
});

describe("labels", () => {
  test("spawn --label makes it RED, and show says so", async () => {
    const pid = await world.does([HEAR], "--label", "untrusted/confidential");

    const shown = (await world.aos("show", pid, "-o", "json")).json() as ProcessDetail;
    const text = await world.aos("show", pid);
    const power = await world.aos("caps", "show", pid);

    expect(shown.labels).toEqual({ integrity: "untrusted", secrecy: "confidential" });
    expect(text.stdout).toContain("colour: RED");
    expect(power.stdout).toContain("untrusted/confidential (RED)");
    await world.aos("kill", "-KILL", pid);
  });

  test("send --label labels who reads it", async () => {
    const pid = await world.does([HEAR, HEAR]);
    await world.until(pid, "waiting");

    await world.aos("send", pid, "from a page", "--label", "untrusted/public");
    await world.aos("send", pid, "bye");
    await world.did(pid);

    expect((await world.aos("caps", "show", pid)).stdout).toContain("untrusted/public (RED)");
  });

  test.each([
    ["spawn", "doer.yaml", "--label", "red"],
    ["run", "doer.yaml", "--label", "untrusted"],
    ["spawn", "doer.yaml", "--label", "trusted/public/x"],
  ])("aos %s %s %s %s is refused", async (...words) => {
    const ran = await world.aos(...words, "-o", "json");

    expect(ran.error()).toMatchObject({
      code: "EINVAL",
      hint: expect.stringContaining("untrusted"),
    });
    expect(ran.code).toBe(2);
  });

  test("what a RED process would send out waits for a person", async () => {
    const pid = await world.does([HEAR], "--label", "untrusted/public");
    await world.aos("caps", "grant", pid, "tool:http.send:call", "http:a.example/**:post");

    const checked = await world.aos("caps", "check", pid, SEND[0], JSON.stringify(SEND[1]));

    expect(checked.code).toBe(96);
    expect(checked.stdout).toContain("kernel/red-egress");
    await world.aos("kill", "-KILL", pid);
  });
});

test.each([["caps"], ["policy"], ["secret"], ["approvals"], ["audit"]])(
  "aos %s --help lists what it has, and each page ends with examples",
  async (noun) => {
    const help = await world.aos(noun, "--help");
    const names = [...help.stdout.matchAll(/^ {2}(\w+)( |$)/gm)].map((match) => match[1] ?? "");
    const pages = await Promise.all(names.map((name) => world.aos(noun, name, "--help")));

    expect(help.code).toBe(0);
    expect(names.length).toBeGreaterThan(1);
    for (const { stdout } of pages) expect(stdout).toMatch(/Examples:\n( {2}\$ .*\n?)+\n*$/);
  },
);
