// The daemon as a service: installed, started and stopped through the service manager, and removed. The
// manager is fake-systemctl.mjs, which runs the unit as it is written; systemd itself reads the unit in the
// tests that can have it.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { isRunning } from "@aos/cli/parts";
import { createTestHome, daemonPid, type TestHome } from "./home.ts";

const FAKE = fileURLToPath(new URL("fake-systemctl.mjs", import.meta.url));
const ANALYZE = "/usr/bin/systemd-analyze";
const has = (program: string) => spawnSync(program, ["--version"]).status === 0;

let top: string;
let state: string;
let file: string;
let home: TestHome;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "aos-service-"));
  [state, file] = [join(top, "state"), join(top, "config/systemd/user/agent-os.service")];
  mkdirSync(join(top, "bin"));
  mkdirSync(state);
  copyFileSync(FAKE, join(top, "bin/systemctl"));
  home = createTestHome({
    PATH: [join(top, "bin"), process.env["PATH"]].join(delimiter),
    XDG_CONFIG_HOME: join(top, "config"),
    FAKE_SYSTEMD: state,
    AOS_HTTP: "off",
  });
  onTestFinished(async () => {
    await home.remove();
    rmSync(top, { recursive: true, force: true, maxRetries: 20 });
  });
});

const called = () => readFileSync(join(state, "called"), "utf8").trim().split("\n");
const servicePid = () => Number(readFileSync(join(state, "pid"), "utf8"));

test("up, down, status and a command that needs a daemon go through an installed service", async () => {
  const installed = await home.aos("service", "install", "--user", "-o", "json");

  expect(installed.json()).toEqual({ file, manager: "systemd", scope: "user", state: "active" });
  expect(daemonPid(home.folder)).toBe(servicePid());
  expect(called()).toContain("--user --no-ask-password enable agent-os.service");

  const first = servicePid();
  const down = await home.aos("down", "-o", "json");

  expect(down.json()).toEqual({ stopped: true, pid: first });
  expect([isRunning(first), called().at(-1)]).toEqual([
    false,
    "--user --no-ask-password stop agent-os.service",
  ]);
  expect((await home.aos("service", "status")).code).toBe(1);

  const ran = await home.aos("run", "examples/hello", "hi");

  expect(ran.stderr).toContain("started the service");
  expect(ran.code).toBe(0);
  expect((await home.aos("service", "status", "-o", "json")).json()).toMatchObject({
    installed: true,
    state: "active",
    isCurrent: true,
  });
  await home.aos("down");

  const up = await home.aos("up", "-o", "json"); // without -d, too

  expect(up.json()).toMatchObject({ pid: servicePid(), home: home.folder });
  expect((await home.aos("up", "--http", "off")).stderr).toContain("is a service");

  const removed = await home.aos("service", "uninstall", "-o", "json");

  expect(removed.json()).toEqual({ removed: true, file });
  expect([existsSync(file), existsSync(join(state, "pid"))]).toEqual([false, false]);
  expect((await home.aos("ps", "-a")).stdout).toContain("hello"); // by a daemon of its own, again
});

test("a daemon that was started by hand makes room for the service, and its processes go on in it", async () => {
  await home.aos("up", "-d");
  const { pid } = (await home.aos("spawn", "examples/approval", "-o", "json")).json() as {
    pid: string;
  };
  const before = daemonPid(home.folder)!;

  const installed = await home.aos("service", "install", "--user");

  expect(installed.stderr).toContain(`the daemon (pid ${before}) has stopped`);
  expect(daemonPid(home.folder)).toBe(servicePid());
  expect((await home.aos("show", pid)).code).toBe(0);
});

describe("nothing is written", () => {
  test("where the manager does not run; up starts the daemon itself even if the file is there", async () => {
    writeFileSync(join(state, "broken"), "");

    const refused = await home.aos("service", "install", "--user");
    const wasThere = existsSync(file);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, `[Service]\nEnvironment="AOS_HOME=${home.folder}"\n`);
    const up = await home.aos("up", "-d");

    expect([refused.code, wasThere]).toEqual([1, false]);
    expect(refused.stderr).toContain("systemd does not run here: Failed to connect to bus");
    expect(up.code).toBe(0);
  });

  test("over a unit of somebody else's, or for another home; such a unit is not removed", async () => {
    mkdirSync(join(file, ".."), { recursive: true });
    const theirs = `[Service]\nEnvironment="AOS_HOME=${home.folder}"\nExecStart=/bin/true\n`;
    writeFileSync(file, theirs);

    const install = await home.aos("service", "install", "--user");
    const uninstall = await home.aos("service", "uninstall");

    expect([install.code, uninstall.code]).toEqual([1, 1]);
    expect(readFileSync(file, "utf8")).toBe(theirs);

    writeFileSync(file, "# Written by `aos service install`.\nEnvironment=AOS_HOME=/other\n");

    expect((await home.aos("service", "install", "--user")).stderr).toContain("the home /other");
  });

  test("while the database is named in the shell only; in config.yaml or service.env it is enough", async () => {
    const env = { AOS_DATABASE_URL: "postgres://aos:hunter2@db.example/aos" };
    const install = () => home.aosWith({ env }, "service", "install", "--user", "--no-start");
    mkdirSync(home.folder, { recursive: true });
    const config = join(home.folder, "config.yaml");

    const refused = await install();
    const wasThere = existsSync(file);
    writeFileSync(join(home.folder, "service.env"), "AOS_DATABASE_URL=postgres://db.example/aos\n");
    const byVariables = await install();
    rmSync(join(home.folder, "service.env"));
    writeFileSync(config, "database: postgres://db.example/aos\n");
    const byConfig = await install();

    expect([refused.code, wasThere]).toEqual([1, false]);
    expect(refused.stderr).toContain("AOS_DATABASE_URL is set in this shell only");
    expect(refused.stderr).toContain(config);
    expect(refused.stderr).not.toContain("hunter2");
    expect([byVariables.code, byConfig.code]).toEqual([0, 0]);
  });

  test("for a user who does not exist, or with words that exclude each other", async () => {
    const install = (...words: string[]) => home.aos("service", "install", ...words);

    expect((await install("--as", "no-such-user")).stderr).toContain("no user no-such-user");
    expect((await install("--as", "a b")).stderr).toContain("not the name of a user");
    expect((await install("--user", "--system")).code).toBe(2);
    expect((await install("--user", "--as", "root")).code).toBe(2);
  });
});

const ODD = `o dd%h $x "q" \\n 'é`;

describe("the file is read by others", () => {
  test.skipIf(!has(ANALYZE))("systemd finds nothing to say about the unit", async () => {
    for (const [words, folder] of [
      [["--system"], home.folder],
      [["--system", "--as", "root"], home.folder],
      [["--user"], home.folder],
      [["--system"], join(top, ODD)],
    ] as const) {
      const printed = await home.aosWith(
        { env: { AOS_HOME: folder } },
        "service",
        "install",
        "--print",
        ...words,
      );
      const unit = join(top, "agent-os.service");
      writeFileSync(unit, printed.stdout);

      const verified = spawnSync(ANALYZE, ["verify", unit], { encoding: "utf8" });

      expect([verified.status, verified.stderr]).toEqual([0, ""]);
    }
  });

  test("a parser of property lists reads the paths that were written", async () => {
    const { launchdPlist } = await import("@aos/cli/parts");
    const spec = { scope: "user", command: ["/bin/aos", ODD], home: "/h", socket: "/<&>" } as const;
    const script =
      "import plistlib, json, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))";

    const read = spawnSync("python3", ["-c", script], {
      input: launchdPlist(spec),
      encoding: "utf8",
    });

    expect(read.stderr).toBe("");
    expect(JSON.parse(read.stdout)).toMatchObject({
      ProgramArguments: ["/bin/aos", ODD],
      EnvironmentVariables: { AOS_HOME: "/h", AOS_SOCKET: "/<&>" },
      KeepAlive: { SuccessfulExit: false },
      Umask: 0o077,
    });
  });
});
