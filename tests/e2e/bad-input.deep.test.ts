// Bad input gets a clear error that names file, line and field, an exit code, and nothing half done.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createTestHome, daemonPid, finish, type TestHome } from "./home.ts";

let home: TestHome;
let work: string;

beforeAll(() => {
  home = createTestHome();
  work = mkdtempSync(join(tmpdir(), "aos-e2e-work-"));
});
afterAll(async () => {
  await home.remove();
  rmSync(work, { recursive: true, force: true, maxRetries: 20 });
});

const manifest = (name: string, lines: string): string => {
  const text = `apiVersion: aos/v1\nkind: Agent\nname: broken\n${lines}`;
  writeFileSync(join(work, name), text);
  return name;
};

describe("a manifest is refused with its line", () => {
  test.each([
    ["text that is no YAML", "tools: [echo\n", /^aos: x\.yaml:\d+: /],
    ["an unknown field", "colour: red\n", /^aos: x\.yaml:4: colour: unknown field/],
    ["a field of the wrong kind", "tools: echo\n", /^aos: x\.yaml:4: tools: .*expected array/],
    ["a missing field", "", /none/],
    ["an unknown limit", "budget:\n  dollars: 1\n", /^aos: x\.yaml:5: budget\.dollars: unknown/],
    ["a quantity without a unit", "budget:\n  wall: 10\n", /^aos: x\.yaml:5: budget\.wall: .*unit/],
    [
      "an unknown kind of capability",
      "capabilities:\n  - tool:echo:call\n  - flie:/work/**:read\n",
      /^aos: x\.yaml:6: capabilities\[1\]: .*flie.*file/,
    ],
    [
      "a verb that the kind does not have",
      "capabilities: [file:/work/**:smell]\n",
      /^aos: x\.yaml:4: capabilities\[0\]: .*smell/,
    ],
  ])("%s", async (what, lines, problem) => {
    if (what === "a missing field") writeFileSync(join(work, "x.yaml"), "kind: Agent\n");
    else manifest("x.yaml", lines);
    const said = what === "a missing field" ? /^aos: x\.yaml:1: apiVersion: is missing/m : problem;

    const ran = await home.aosWith({ cwd: work }, "run", "x.yaml");

    const words = ran.stderr.replace(/^aos: started the daemon.*\n/, "");
    expect(words).toMatch(said);
    expect(ran.code).toBe(2);
    expect(ran.stdout).toBe("");
    expect((await home.aos("ps", "-a", "-o", "json")).json()).toEqual([]);
  });

  test("an error for programs is JSON on standard error", async () => {
    manifest("x.yaml", "colour: red\n");

    const ran = await home.aosWith({ cwd: work }, "spawn", "x.yaml", "-o", "json");

    expect(ran.error()).toMatchObject({
      code: "EINVAL",
      message: expect.stringMatching(/^x\.yaml:4: colour: unknown field/),
    });
    expect(ran.stdout).toBe("");
  });

  test("a folder without agent.yaml, a file and a name that are not there", async () => {
    mkdirSync(join(work, "empty"), { recursive: true });

    const folder = await home.aosWith({ cwd: work }, "run", "./empty");
    const file = await home.aosWith({ cwd: work }, "run", "nothing.yaml");
    const name = await home.aosWith({ cwd: work }, "run", "nobody");

    expect(folder.stderr).toMatch(/^aos: no agent\.yaml in \.\/empty\nhint: /);
    expect(file.stderr).toMatch(/^aos: nothing\.yaml does not exist\nhint: /);
    expect(name.stderr).toMatch(/^aos: .*nobody.*\n(hint: .*\n)?$/);
    expect([folder.code, file.code, name.code]).toEqual([1, 1, 1]);
  });
});

describe("options", () => {
  test.each([
    [["rnu"], 2, /unknown command 'rnu'\nhint: .*run/],
    [["ps", "--colour"], 2, /unknown option '--colour'/],
    [["ps", "--state", "asleep"], 2, /states are pending/],
    [["ps", "-o", "xml"], 2, /json, yaml/],
    [["run"], 2, /missing required argument 'agent'/],
    [["wait", "@last", "--timeout", "30"], 2, /--timeout: .*duration/],
    [["kill", "-9", "@last"], 2, /signals go by name.*SIGTRUST/],
    [["kill", "-WHAT", "@last"], 2, /no signal WHAT/],
    [["run", "agent", "--budget", "gold=1"], 2, /--budget: unknown limit "gold"/],
    [["run", "agent", "--cap", "flie:/x:read"], 2, /flie/],
    [["show", "agt_nothing"], 1, /no process is called agt_nothing, and no pid begins with it/],
    [["approve", "ask_nothing"], 1, /ask_nothing/],
    [["retry", "@last", "--result", "{"], 2, /--result is not JSON/],
  ])("aos %j is refused", async (words, code, said) => {
    const ran = await home.aos(...words);

    expect(ran.stderr).toMatch(said);
    expect(ran.stdout).toBe("");
    expect(ran.code).toBe(code);
  });
});

describe("homes", () => {
  const up = (env: Record<string, string>) => {
    const other = createTestHome(env);
    mkdirSync(other.folder, { mode: 0o700 });
    onTestFinished(() => other.remove());
    return other;
  };

  test("a home that is below a file is refused, in the foreground and in the background", async () => {
    const file = join(work, "file");
    writeFileSync(file, "");
    const other = up({ AOS_HOME: join(file, "home") });

    const foreground = await other.aos("up");
    const background = await other.aos("up", "-d", "-o", "json");

    expect(foreground.stderr).toMatch(
      /^aos: the home .*\/file\/home is not a folder.*\nhint: .*AOS_HOME/,
    );
    expect(background.error()).toMatchObject({ code: "ESTORE", hint: expect.any(String) });
    expect([foreground.code, background.code]).toEqual([1, 1]);
  });

  test("a socket path that is too long names the limit and the way out", async () => {
    const long = join(work, "l".repeat(100));
    const other = up({ AOS_HOME: long });

    const ran = await other.aos("run", "examples/hello");

    expect(ran.stderr).toMatch(
      /^aos: the socket path is \d+ bytes long, and the limit is 103: .*\nhint: .*AOS_SOCKET/,
    );
    expect(ran.code).toBe(2);
    expect(readdirSync(work)).not.toContain("l".repeat(100));

    const short = join(work, "s.sock");
    const way = await other.aosWith({ env: { AOS_SOCKET: short } }, "status");
    expect(way.stderr).toContain(short);
  });

  test("an unknown key in config.yaml names file, line and field", async () => {
    const other = up({});
    writeFileSync(join(other.folder, "config.yaml"), "# mine\nlimits:\n  spawnDeph: 3\n");

    const ran = await other.aos("up", "-d");

    expect(ran.stderr).toMatch(
      /config\.yaml:3: limits\.spawnDeph: unknown field; did you mean spawnDepth\?/,
    );
    expect(ran.code).toBe(2);
    expect(daemonPid(other.folder)).toBeUndefined();
  });

  test("a second daemon on the same home says who holds it", async () => {
    const other = up({});
    await other.aos("up", "-d");
    const pid = daemonPid(other.folder);

    const second = await finish(other.start("up"));
    const background = await other.aos("up", "-d");

    expect(second.stderr).toMatch(new RegExp(`in use by daemon ${pid} `));
    expect(second.code).toBe(1);
    expect(background.stderr).toContain(`up already (pid ${pid})`);
    expect(background.code).toBe(0);
    expect((await other.aos("status", "-o", "json")).json()).toMatchObject({ daemon: { pid } });
  });

  test("a database of a newer version is left alone", async () => {
    const other = up({});
    await other.aos("up", "-d");
    await other.aos("down");
    makeNewer(join(other.folder, "aos.db"));
    other.spoilt = true; // this version cannot read it

    const ran = await other.aos("up", "-d");

    expect(ran.stderr).toMatch(/^aos: .*schema 9999.*newer.*\nhint: use that release/);
    expect(ran.code).toBe(1);
    expect(daemonPid(other.folder)).toBeUndefined();
  });

  test("a file where the socket should be is not removed", async () => {
    const other = up({});
    writeFileSync(join(other.folder, "aos.sock"), "mine");

    const ran = await other.aos("up", "-d");

    expect(ran.stderr).toMatch(/aos\.sock exists and is not a socket/);
    expect(ran.code).toBe(1);
  });
});

/** Says that a later version has written this database. */
function makeNewer(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("INSERT INTO aos_version VALUES (9999, 'later')");
  database.close();
}
