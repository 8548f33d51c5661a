// Completion in the shells themselves: keys are pressed, and the line is looked at.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { AOS, createTestHome, daemonPid, type TestHome } from "../home.ts";
import { isInstalled, openShell } from "./shell.ts";

let home: TestHome;
let folder: string;
let pid: string;

beforeAll(async () => {
  home = createTestHome({ AOS_HTTP: "off" });
  folder = mkdtempSync(join(tmpdir(), "aos-e2e-shell-"));
  mkdirSync(join(folder, ".agents", "agents"), { recursive: true });
  writeFileSync(
    join(folder, ".agents", "agents", "nightwatch.yaml"),
    "apiVersion: aos/v1\nkind: Agent\nname: nightwatch\nmodel: scripted/none\n",
  );
  writeFileSync(join(folder, ".agents", "agents", "night$(touch x).yaml"), "");
  mkdirSync(join(folder, "offline-agent"));
  await home.aosWith({ cwd: folder }, "trust", "--yes");
  pid = (await home.aos("spawn", "examples/hello", "hi")).stdout.trim();
  await home.aos("wait", pid);
});
afterAll(async () => {
  await home.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

describe.each(["bash", "zsh"] as const)("%s", (shell) => {
  test.skipIf(!isInstalled(shell))("completes what the rows and the daemon know", async () => {
    const typed = await openShell(shell, { folder, env: home.env });
    onTestFinished(() => typed.close());

    const lines: Record<string, string> = {};
    for (const keys of [
      "aos comple",
      "aos approvals sh",
      "aos show @",
      "aos show @la",
      `aos show ${pid.slice(0, 8)}`,
      "aos ps --output=ya",
      "aos ps --stat",
      "aos tool show file.read_",
      "aos run night",
      "aos run offline",
      "aos completion fi",
    ]) {
      lines[keys] = (await typed.line(`${keys}\t`)).trimEnd();
    }

    expect(lines).toEqual({
      "aos comple": "aos completion",
      "aos approvals sh": "aos approvals show",
      "aos show @": "aos show @last",
      "aos show @la": "aos show @last",
      [`aos show ${pid.slice(0, 8)}`]: `aos show ${pid}`,
      "aos ps --output=ya": "aos ps --output=yaml",
      "aos ps --stat": "aos ps --state",
      "aos tool show file.read_": "aos tool show file.read_many",
      "aos run night": "aos run nightwatch",
      "aos run offline": "aos run offline-agent/",
      "aos completion fi": "aos completion fish",
    });
  });
});

test.skipIf(!isInstalled("fish"))("fish completes what the rows and the daemon know", () => {
  const complete = (line: string) => {
    const PATH = [dirname(AOS), home.env["PATH"]].join(delimiter);
    const script = "aos completion fish | source; complete -C $argv[1]";
    const { stdout } = spawnSync("fish", ["--no-config", "-c", script, line], {
      cwd: folder,
      env: { ...home.env, PATH, HOME: folder },
      encoding: "utf8",
    });
    return stdout.trim().split("\n");
  };

  expect(complete("aos comple")).toEqual([expect.stringMatching(/^completion\t/)]);
  expect(complete("aos show @la")).toEqual(["@last\tthe newest"]);
  expect(complete(`aos show ${pid.slice(0, 8)}`)).toEqual([`${pid}\thello, completed`]);
  expect(complete("aos ps --output=ya")).toEqual(["--output=yaml"]);
  expect(complete("aos run night")).toEqual(["nightwatch\tagent"]);
  expect(complete("aos run offline")).toEqual([expect.stringMatching(/^offline-agent\//)]);
});

test("without a daemon it is silent, starts none, and still knows the words", async () => {
  const other = createTestHome();
  onTestFinished(() => other.remove());

  const pids = await other.aos("__complete", "show", "");
  const words = await other.aos("__complete", "appro");
  const agents = await other.aosWith({ cwd: folder }, "__complete", "run", "night");

  expect(pids).toMatchObject({ code: 0, stdout: "", stderr: "" });
  expect(words.stdout).toMatch(/^approvals\t.*\napprove\t/);
  // COMPLETE-2: nothing that a shell would obey.
  expect(agents.stdout).toBe("nightwatch\tagent\n:files\n");
  expect(daemonPid(other.folder)).toBeUndefined();
});
