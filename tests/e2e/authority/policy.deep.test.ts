// The operator's policy: checked, tested, shown, loaded as a whole or not at all.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BacktestReport, PolicyReport } from "@aos/protocol";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createTestHome, daemonPid, type TestHome } from "../home.ts";
import { createWorld, ECHO, policy, repeat, write, type World } from "./world.ts";

let world: World;

const NO_ECHO = '{ id: no-echo, deny: "tool:echo" }';
const BAD = `version: 1
rules:
  - { id: all, allow: "*" }
  - id: typo
    deny: raed
  - id: nobody
    ask: "tool:echo"
    channel: finanze
`;

const layersNow = async () =>
  ((await world.aos("policy", "show", "-o", "json")).json() as PolicyReport).layers.map(
    (layer) => (layer as { name: string }).name,
  );
const home = (name: string) => join(world.home.folder, name);

beforeAll(async () => {
  world = createWorld();
  await world.home.aos("up", "-d");
});
afterAll(() => world.remove());

describe("looking at a file", () => {
  test("check says everything that is wrong, with file and line", async () => {
    write(world.folder, {
      "bad.yaml": BAD,
      "good.yaml": policy(NO_ECHO),
      "empty.yaml": "# nothing\n",
      "broken.yaml": "version: 1\nrules: [\n",
      "security.md": "---\nkernel: { version: '1.0', mode: strict }\nsignals: [SIGTREM]\n---\n",
    });

    const good = await world.aos("policy", "check", "good.yaml");
    const bad = await world.aos(
      "policy",
      "check",
      "bad.yaml",
      "empty.yaml",
      "broken.yaml",
      "security.md",
    );
    const json = await world.aos("policy", "check", "bad.yaml", "-o", "json");

    expect(good.code).toBe(0);
    expect(bad.code).toBe(2);
    expect(bad.stdout).toMatch(/^bad\.yaml:5: rules\[1\]\.deny: .*raed.*read/m);
    expect(bad.stdout).toMatch(/^bad\.yaml:8: rules\[2\]\.channel: .*finanze/m);
    expect(bad.stdout).toMatch(/^empty\.yaml:1: is empty/m);
    expect(bad.stdout).toMatch(/^broken\.yaml:\d: /m);
    expect(bad.stdout).toMatch(/^security\.md:\d: /m);
    expect(json.json()).toMatchObject({ ok: false, problems: [{ file: "bad.yaml", line: 5 }, {}] });
  });

  test("test runs the cases beside it, on top of the policy that ships", async () => {
    const cases = (expected: string) => `cases:
  - { name: echo, given: { tool: echo, args: {} }, expect: ${expected}, rule: no-echo }
  - { name: whatever it is given, given: { tool: echo }, expect: deny, rule: no-echo }
  - { name: red, given: { sinks: [egress], label: untrusted/public }, expect: ask }
`;
    write(world.folder, {
      ".agents/policy.yaml": policy(NO_ECHO),
      ".agents/policy.test.yaml": cases("deny"),
      "other.yaml": policy(NO_ECHO),
      "other.test.yaml": cases("allow"),
      "third.yaml": policy(NO_ECHO),
      "third.test.yaml": "cases:\n  - { name: x, given: { tol: echo }, expect: deny }\n",
    });
    onTestFinished(() => rmSync(join(world.folder, ".agents"), { recursive: true }));

    const passed = await world.aos("policy", "test", "-o", "json");
    const failed = await world.aos("policy", "test", "other.yaml");
    const wrong = await world.aos("policy", "test", "third.yaml");

    expect(passed.json()).toMatchObject({
      ok: true,
      cases: [{ ok: true }, { ok: true }, { ok: true }],
    });
    expect(passed.code).toBe(0);
    expect(failed.stdout).toMatch(/^no +echo +allow by no-echo +deny +organisation\/no-echo/m);
    expect(failed.code).toBe(1);
    expect(wrong.stderr).toMatch(/third\.test\.yaml:2: cases\[0\]\.given\.tol: unknown field/);
    expect(wrong.code).toBe(2);
  });

  test("backtest of a first policy.yaml lists what it would have changed", async () => {
    const pid = await world.does([ECHO]);
    await world.did(pid);
    write(world.folder, { "first.yaml": policy(NO_ECHO) });

    const layers = await layersNow();
    const ran = await world.aos("policy", "backtest", "first.yaml", "--since", "1h", "-o", "json");

    expect(layers).toEqual(["kernel"]);
    expect((ran.json() as BacktestReport).changes).toMatchObject([
      { pid, tool: "echo", from: "allow", to: "deny", rule: "organisation/no-echo" },
    ]);
  });

  test("backtest lists what would have changed, and changes nothing", async () => {
    write(world.home.folder, { "policy.yaml": policy() });
    await world.aos("policy", "reload");
    const pid = await world.does([ECHO]);
    await world.did(pid);
    write(world.folder, { "next.yaml": policy(NO_ECHO) });

    const ran = await world.aos("policy", "backtest", "next.yaml", "--since", "1h", "-o", "json");
    const same = await world.aos("policy", "backtest", "good.yaml", "--since", "1s");

    const report = ran.json() as BacktestReport;
    expect(report.changes.find((change) => change.pid === pid)).toMatchObject({
      agent: "doer",
      tool: "echo",
      from: "allow",
      to: "deny",
      rule: expect.stringContaining("no-echo"),
    });
    expect(same.code).toBe(0);
    expect(await world.did(await world.does([ECHO]))).toEqual([{ text: "hi" }]);
  });
});

describe("loading", () => {
  test("reload takes all files or none, and the ledger has both", async () => {
    write(world.home.folder, { "policy.d/b.yaml": policy() });
    await world.aos("policy", "reload");
    write(world.home.folder, { "policy.yaml": policy(NO_ECHO), "policy.d/b.yaml": BAD });

    const refused = await world.aos("policy", "reload");
    const before = await world.did(await world.does([ECHO]));
    write(world.home.folder, { "policy.d/b.yaml": policy(), "policy.d/b.test.yaml": "cases: []" });
    const taken = await world.aos("policy", "reload", "-o", "json");
    const after = await world.did(await world.does([ECHO]));

    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/policy\.d\/b\.yaml:5: rules\[1\]\.deny: .*raed/);
    expect(refused.stderr).toContain(
      "the previous policy stays in force; fix the file and run `aos policy reload`",
    );
    expect(before).toEqual([{ text: "hi" }]);
    expect(taken.code).toBe(0);
    expect(await layersNow()).toEqual(["kernel", "organisation", "organisation:b"]);
    expect(after).toEqual(["EPOLICY"]);
    const whats = (await world.ledger()).map(({ what }) => what);
    expect(whats).toContain("policy.refused");
    expect(whats.at(-1)).toBe("policy.load");
  });

  test("show prints one layer with its rules; an unknown one is named", async () => {
    const shown = await world.aos("policy", "show", "--layer", "kernel");
    const none = await world.aos("policy", "show", "--layer", "nothing");

    expect(shown.stdout).toContain("red-egress");
    expect(none.code).toBe(1);
    expect(none.stderr).toContain("kernel");
  });

  test("a changed file takes effect by itself; a bad or vanished one does not", async () => {
    writeFileSync(home("policy.yaml"), policy());
    await echoBecomes({ text: "hi" });

    writeFileSync(home("policy.yaml"), policy(NO_ECHO));
    await echoBecomes("EPOLICY");

    writeFileSync(home("policy.yaml"), BAD);
    await logSays("rules[1].deny");
    rmSync(home("policy.yaml"));
    await logSays("is gone");

    expect(await layersNow()).toContain("organisation");
    expect(await world.did(await world.does([ECHO]))).toEqual(["EPOLICY"]);
  });

  test("a hang-up makes the daemon read them again, and takes what is gone", async () => {
    process.kill(daemonPid(world.home.folder) ?? 0, "SIGHUP");

    await echoBecomes({ text: "hi" });
    expect(await layersNow()).not.toContain("organisation");
    expect((await world.ledger()).at(-1)).toMatchObject({ what: "policy.load", by: "SIGHUP" });
  });

  const echoBecomes = (what: unknown) =>
    repeat(async () => {
      const [did] = await world.did(await world.does([ECHO]));
      return JSON.stringify(did) === JSON.stringify(what) ? true : undefined;
    });
  const logSays = (text: string) =>
    repeat(async () => {
      const { readFileSync } = await import("node:fs");
      return readFileSync(home("daemon.log"), "utf8").includes(text) ? true : undefined;
    });
});

describe("starting", () => {
  const prepared = (files: Record<string, string>): TestHome => {
    const other = createTestHome();
    write(other.folder, files);
    onTestFinished(() => other.remove());
    return other;
  };

  test.each([
    ["an unknown name", { "policy.yaml": BAD }, /policy\.yaml:5: rules\[1\]\.deny: .*raed/],
    ["an empty file", { "policy.yaml": "" }, /policy\.yaml:1: is empty/],
    [
      "no rules",
      { "policy.d/a.yaml": "version: 1\nrules: []\n" },
      /a\.yaml:2: rules: the policy is empty/,
    ],
    ["a folder for a file", { "policy.yaml/x": "" }, /policy\.yaml:1: is not a file/],
    [
      "no policy at all",
      { "config.yaml": "policy: { default: false }\n" },
      /policy\.default is false, and no other policy exists/,
    ],
    [
      "a file that is not there",
      { "config.yaml": "policy: { files: [mine.yaml] }\n" },
      /policy\.files names .*mine\.yaml, which does not exist/,
    ],
  ])("%s is said, and no daemon starts", async (_, files, said) => {
    const other = prepared(files as Record<string, string>);

    const foreground = await other.aos("up");
    const background = await other.aos("up", "-d");

    for (const ran of [foreground, background]) {
      expect(ran.stderr).toMatch(said);
      expect(ran.code).toBe(2);
    }
    expect(daemonPid(other.folder)).toBeUndefined();
  });

  test("without the policy that ships, the operator's own is all there is", async () => {
    const other = prepared({
      "config.yaml": "policy: { default: false, files: [mine.yaml] }\n",
      "mine.yaml": policy(),
    });

    await other.aos("up", "-d");
    const shown = (await other.aos("policy", "show", "-o", "json")).json() as PolicyReport;

    expect(shown.layers).toMatchObject([
      { name: `organisation:${join(other.folder, "mine.yaml")}` },
    ]);
  });
});
