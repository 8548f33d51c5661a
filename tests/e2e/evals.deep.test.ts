// Evaluations as people use them: the command line on a real daemon, with the example of docs/evaluation.md.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EvalComparison, EvalReport } from "@aos/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestHome, killDaemon, ROOT, type TestHome } from "./home.ts";

let home: TestHome;
let folder: string;

const EXAMPLE = join(ROOT, "examples", "evaluation", "capitals.eval.yaml");

function put(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const aos = (...words: string[]) => home.aosWith({ cwd: folder }, ...words);

const evalFile = (more: object = {}) =>
  JSON.stringify({
    apiVersion: "aos/v1",
    kind: "Eval",
    name: "sums",
    agents: ["agent.yaml"],
    data: "cases.csv",
    scorers: [{ type: "exact" }],
    ...more,
  });

beforeAll(() => {
  home = createTestHome();
  folder = join(home.folder, "..", "project");
  mkdirSync(folder);
  put(
    "agent.yaml",
    "apiVersion: aos/v1\nkind: Agent\nname: adder\nmodel: scripted/adder\ncapabilities: [model:scripted/adder:infer]\n",
  );
  put(
    "adder.yaml",
    `turns:
  - when: { last: user, contains: slow }
    say: late
    delayMs: 3000
  - when: { last: user, contains: "1 + 1" }
    say: "2"
  - when: { last: user }
    say: "5"
`,
  );
  put("cases.csv", "id,input,expected\none,1 + 1,2\ntwo,2 + 2,4\n");
});
afterAll(() => home.remove());

describe("aos eval", () => {
  test("runs the example of the page, with intervals, a judge and exit codes", async () => {
    const run = (...words: string[]) => aos("eval", EXAMPLE, ...words, "-o", "json");
    const all = await run();
    const report = all.json() as EvalReport;
    const strict = await run("--models", "scripted/hasty", "--fail-under", "exact=0.9");
    const [careful, hasty] = report.variantReports;

    expect(all.code).toBe(0);
    expect(careful).toMatchObject({ name: "scripted/careful", passed: { mean: 1, cases: 4 } });
    expect(careful!.passed.interval!.low).toBeCloseTo(0.5101, 3);
    expect(hasty).toMatchObject({ name: "scripted/hasty", passed: { mean: 0.5 } });
    expect(report.results.find((one) => one.case === "letter")?.label).toBe("untrusted/public");
    expect(strict.code).toBe(1);
    expect((strict.json() as EvalReport).thresholds).toMatchObject([
      { scorer: "exact", mean: 0.5, isMet: false },
    ]);
  });

  test("lists, shows, compares, and writes reports for people and for CI", async () => {
    const [junit, markdown] = [join(folder, "r.xml"), join(folder, "r.md")];
    const words = ["eval", put("sums.yaml", evalFile()), "--junit", junit, "--markdown", markdown];
    const { stdout } = await aos(...words);
    const listed = (await aos("eval", "ls", "-o", "name")).stdout.trim().split("\n");
    const pid = listed[0]!;
    const compared = await aos("eval", "compare", pid, pid, "-o", "json");
    const shown = await aos("eval", "show", pid, "--all");
    const run = ((await aos("eval", "show", pid, "-o", "json")).json() as EvalReport).results[0]!;
    const replayed = await aos("replay", run.pid!);

    expect(stdout).toContain("50.0% [9.5%, 90.5%]");
    expect(shown.stdout).toMatch(/one +passed +agt_/);
    expect(shown.stdout).toMatch(/two +failed +agt_\w+ +exact: it is "5", and "4" was expected/);
    expect(readFileSync(junit, "utf8")).toContain('tests="2" failures="1"');
    expect(readFileSync(markdown, "utf8")).toContain("| two | failed |");
    expect((compared.json() as EvalComparison).pairs[0]!.differences[0]).toMatchObject({
      says: "cannot tell",
      cases: 2,
    });
    expect(replayed.stdout).toContain("identical");
  });

  test("scores with a program, in the sandbox without network, and not without one", async () => {
    const script = `import json, socket, sys, os
told = json.load(sys.stdin)
try:
    socket.create_connection(("127.0.0.1", 9), 1)
    net = "open"
except OSError as error:
    net = "refused" if error.errno == 111 else "none"
good = float(told["output"]) == float(told["expected"])
print(json.dumps({"score": 1 if good else 0, "reason": net + " " + ",".join(sorted(os.listdir(".")))}))
`;
    put("close.py", script);
    const scorers = [{ type: "code", command: ["python3", "close.py"], files: ["close.py"] }];
    const file = put("code.yaml", evalFile({ scorers }));
    const sound = (await aos("eval", file, "-o", "json")).json() as EvalReport;
    writeFileSync(join(home.folder, "config.yaml"), "sandbox: { level: none }\n");
    await aos("down");
    const none = (await aos("eval", file, "-o", "json")).json() as EvalReport;
    writeFileSync(join(home.folder, "config.yaml"), "");
    await aos("down");

    const reasons = sound.results.map(({ scores }) => scores[0]!.reason);
    expect(sound.results.map(({ state }) => state)).toEqual(["passed", "failed"]);
    expect(reasons.every((reason) => /^(none|refused) close\.py$/.test(reason))).toBe(true);
    expect(none.results.map(({ state }) => state)).toEqual(["unscored", "unscored"]);
    expect(none.results[0]!.scores[0]!.reason).toContain("in a sandbox only");
  });

  test("goes on after kill -9 of daemon and client, and runs nothing twice", async () => {
    const names = ["a", "b", "slow", "c"];
    put(
      "long.csv",
      `id,input,expected\n${names.map((name) => `${name},${name},${name === "slow" ? "late" : "5"}`).join("\n")}\n`,
    );
    const file = put("long.yaml", evalFile({ data: "long.csv", concurrency: 1 }));
    const { stdout } = await aos("eval", file, "--no-wait");
    const pid = stdout.trim();
    const doneOf = async () => (await home.client.eval({ pid })).done;
    while ((await doneOf()) < 2) await sleep(20);
    await killDaemon(home.folder);

    const resumed = await aos("eval", "--resume", pid, "-o", "json");
    const report = resumed.json() as EvalReport;
    const runs = (await home.client.list({ limit: 1000 })).filter(
      ({ agent, startedAt }) => agent === "adder" && startedAt >= report.startedAt,
    );

    expect(resumed.code).toBe(0);
    expect(report.pid).toBe(pid);
    expect(report.results.map(({ state }) => state)).toEqual(Array(4).fill("passed"));
    expect(runs).toHaveLength(4);
  });

  test("is cancelled with its runs, and resumed without what is scored", async () => {
    const file = put(
      "cancel.yaml",
      evalFile({
        data: [
          { input: "1 + 1", expected: "2" },
          { input: "slow", expected: "late" },
        ],
        concurrency: 1,
      }),
    );
    const pid = (await aos("eval", file, "--no-wait")).stdout.trim();
    while ((await home.client.eval({ pid })).done < 1) await sleep(20);
    const cancelled = await aos("eval", "cancel", pid, "-o", "json");
    const killed = (await aos("eval", "show", pid, "-o", "json")).json() as EvalReport;
    const resumed = (await aos("eval", "--resume", pid, "-o", "json")).json() as EvalReport;

    expect(cancelled.code).toBe(0);
    expect(killed.state).toBe("killed");
    expect(resumed).toMatchObject({ resumes: pid, state: "completed" });
    expect(resumed.results[0]!.pid).toBe(killed.results[0]!.pid);
    expect(resumed.results.map(({ state }) => state)).toEqual(["passed", "passed"]);
  });

  test("makes a data set from recorded runs, with their labels, and evaluates it", async () => {
    await aos("run", "agent.yaml", "1 + 1", "--label", "untrusted/internal");
    const words = ["--from-runs", "--agent", "adder", "-n", "1", "--out", "runs.jsonl"];
    const made = await aos("eval", "dataset", ...words);
    const [first] = readFileSync(join(folder, "runs.jsonl"), "utf8").split("\n");
    const again = await aos(
      "eval",
      put("again.yaml", evalFile({ data: "runs.jsonl" })),
      "-o",
      "json",
    );

    expect(made.code).toBe(0);
    expect(JSON.parse(first!)).toMatchObject({
      input: "1 + 1",
      expected: "2",
      label: "untrusted/internal",
      metadata: { agent: "adder", state: "completed" },
    });
    expect((again.json() as EvalReport).results).toMatchObject([
      { state: "passed", label: "untrusted/internal" },
    ]);
  });

  test("says what is wrong with a file, with its line, and starts nothing", async () => {
    const before = (await aos("eval", "ls", "-o", "name")).stdout;
    const bad = await aos(
      "eval",
      put("bad.yaml", evalFile({ scorers: [{ type: "x" }] })),
      "-o",
      "json",
    );
    const none = await aos("eval", "missing.yaml", "-o", "json");
    const both = await aos("eval", "-o", "json");

    expect([bad.code, bad.error().code]).toEqual([2, "EINVAL"]);
    expect(bad.error().message).toMatch(/bad\.yaml:1: scorers\[0\]/);
    expect(none.error().message).toContain("missing.yaml");
    expect(both.error().hint).toContain("aos eval FILE");
    expect((await aos("eval", "ls", "-o", "name")).stdout).toBe(before);
    expect(existsSync(join(folder, "missing.yaml"))).toBe(false);
  });
});
