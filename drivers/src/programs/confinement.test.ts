// What holds a foreign program: it sees what it needs to start, and the pipe is its only way out.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
  symlinkSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createSandbox, describeReport } from "../sandbox/index.ts";
import {
  saying,
  startProgram,
  theSandbox,
  type FakeProgramOptions,
  closeSandboxAfterwards,
  libraries,
} from "../../../tests/helpers/drivers/fake-kernel.ts";

closeSandboxAfterwards();

/** Ends with what the expression is, or with the error that it throws. */
const telling = (expression: string): FakeProgramOptions =>
  saying(
    [],
    `import socket, subprocess
def look():
    try: return ${expression}
    except Exception as error: return type(error).__name__ + ": " + str(error)
os.write(1, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "exit", "params": {"code": 0, "output": look()}}).encode() + b"\\n")`,
  );

async function told(expression: string, more: Partial<FakeProgramOptions> = {}): Promise<unknown> {
  const end = await startProgram({ ...telling(expression), ...more }).ended;
  return "output" in end ? end.output : end;
}

/** Where this repository lies below /tmp, the libraries of a program do, too. */
const isNotOurs = (name: string): boolean =>
  !libraries.some((path) => realpathSync(path).startsWith(`${realpathSync("/tmp")}/${name}/`));

function scratch(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "aos-confine-")));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("CONFINE-1 a program has no socket of any kind", () => {
  test.each(["AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_VSOCK"])("%s", async (family) => {
    expect(await told(`socket.socket(socket.${family}) and "open"`)).toMatch(/^PermissionError/);
  });

  test("it has none where something listens either", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };

    const output = await told(
      `socket.create_connection(("127.0.0.1", ${port}), 2) and "connected"`,
    );

    expect(output).toMatch(/Error/);
  });
});

describe("a program sees", () => {
  test("its folder and cannot write to it, nor to the system", async () => {
    expect(await told(`os.listdir(".")`)).toEqual(["say.py"]);
    expect(await told(`open("x", "w") and "wrote"`)).toMatch(/Read-only|Permission/);
    expect(await told(`open("/usr/x", "w") and "wrote"`)).toMatch(/Read-only|Permission/);
  });

  test("it has a private /tmp, and no file of the machine", async () => {
    const folder = scratch();
    writeFileSync(join(folder, "secret"), "42");

    const there = (await told(`os.listdir("/tmp")`)) as string[];
    expect(there.filter(isNotOurs)).toEqual([expect.stringMatching(/^aos-program-/)]);
    expect(await told(`open(${JSON.stringify(join(folder, "secret"))}).read()`)).toMatch(/No such/);
    expect(await told(`open("/tmp/mine", "w").write("abc")`)).toBe(3);
  });

  test("CONFINE-2: it sees nothing of the daemon's environment, not even by its parents", async () => {
    vi.stubEnv("SECRET_OF_THE_DAEMON", "4242");
    onTestFinished(() => void vi.unstubAllEnvs());

    const seen = await told(
      `"".join(open(f"/proc/{pid}/environ").read() for pid in os.listdir("/proc") if pid.isdigit())`,
    );

    expect(String(seen)).toContain("PYTHONHASHSEED=0");
    expect(String(seen)).not.toContain("4242");
  });

  test("PROGRAM-VIEW-2 nothing that the daemon keeps for itself", async () => {
    const folder = scratch();
    mkdirSync(join(folder, "home"));
    writeFileSync(join(folder, "home", "key"), "42");
    const run = { folder, command: ["sh", "-c", "cat home/key >&2; ls home >&2; exit 3"] };

    const open = startProgram(run);
    const hidden = startProgram({ ...run, options: { private: [join(folder, "home")] } });

    expect(await open.ended).toMatchObject({ reason: expect.stringContaining("42key") });
    expect(await hidden.ended).toMatchObject({
      reason: "it ended with status 3; it last said:\ncat: home/key: No such file or directory",
    });
    expect(hidden.stderr()).not.toContain("42");
  });

  test("PROGRAM-VIEW-1 of /tmp no more than the file that it is", async () => {
    const file = join(tmpdir(), `aos-alone-${process.pid}.sh`);
    const other = join(tmpdir(), `aos-other-${process.pid}`);
    onTestFinished(() => [file, other].forEach((path) => rmSync(path, { force: true })));
    writeFileSync(file, "ls >&2; exit 3", { mode: 0o644 });
    writeFileSync(other, "");

    const kernel = startProgram({ folder: tmpdir(), command: ["sh", file.split("/").at(-1)!] });

    await kernel.ended;
    const there = kernel.stderr().trim().split("\n");
    expect(there.filter(isNotOurs)).toEqual([`aos-alone-${process.pid}.sh`]);
  });
});

describe("an interpreter", () => {
  test("an interpreter of the system is found by its path", async () => {
    const kernel = startProgram({
      ...telling("sys.prefix"),
      command: ["/usr/bin/python3", "say.py"],
    });

    expect(await kernel.ended).toMatchObject({ output: "/usr" });
  });

  test("of a virtual environment outside of the folder is itself", async () => {
    const folder = scratch();
    execFileSync("/usr/bin/python3", ["-m", "venv", "--without-pip", join(folder, "env")]);

    const command = [join(folder, "env/bin/python"), "say.py"];

    expect(await startProgram({ ...telling("sys.prefix"), command }).ended).toMatchObject({
      output: join(folder, "env"),
    });
  });

  test("behind a shim of Python is found, and another shim is passed over or explained", async () => {
    const folder = scratch();
    mkdirSync(join(folder, "shims"));
    for (const name of ["python3", "sh", "ruby"]) {
      const text = `#!/bin/sh\n[ "$PWD" = / ] && exec ${folder}/python3 "$@"\n`;
      writeFileSync(join(folder, "shims", name), text, { mode: 0o755 });
    }
    symlinkSync("/usr/bin/python3", join(folder, "python3"));
    vi.stubEnv("PATH", `${join(folder, "shims")}:/usr/bin:/bin`);
    onTestFinished(() => void vi.unstubAllEnvs());

    expect(await told("sys.executable")).toBe(realpathSync("/usr/bin/python3"));
    expect(await startProgram({ command: ["sh", "-c", "exit 5"] }).ended).toMatchObject({
      reason: "it ended with status 5",
    });
    expect(await startProgram({ command: ["ruby", "x.rb"] }).ended).toMatchObject({
      kind: "misbehaved",
      reason: expect.stringContaining("name the program itself"),
    });
  });

  test("that a file of the folder names is found", async () => {
    const text = `#!/usr/bin/env node\nprocess.stderr.write(process.execPath);process.exit(3)`;
    const kernel = startProgram({ files: { run: text }, command: ["./run"] });

    expect(await kernel.ended).toMatchObject({ kind: "crashed" });
    expect(kernel.stderr()).toBe(realpathSync(process.execPath));
  });
});

describe.runIf(process.getuid?.() === 0)("PROGRAM-VIEW-3 when the daemon is root", () => {
  /** What it says of a file that only root can read. */
  const seenIn = async (mode: number): Promise<string> => {
    const folder = scratch();
    writeFileSync(join(folder, "private"), "42", { mode: 0o600 });
    chmodSync(folder, mode);
    const kernel = startProgram({ folder, command: ["sh", "-c", "cat private >&2; exit 3"] });
    await kernel.ended;
    return kernel.stderr();
  };

  test("a program has a user of its own", async () => {
    expect(await seenIn(0o755)).toMatch(/Permission denied/);
  });

  test("in a folder that others cannot read it is the folder's owner", async () => {
    expect(await seenIn(0o700)).toBe("42");
  });
});

describe("a program is ended by the limit, which is named, of its", () => {
  test("the limit of memory ends it, and is named", async () => {
    const kernel = startProgram({
      ...saying([], "x = bytearray(200_000_000); time.sleep(60)"),
      options: { runLimits: { memoryBytes: 64 * 2 ** 20 } },
    });

    expect(await kernel.ended).toMatchObject({
      kind: "crashed",
      reason: expect.stringContaining("ended at a limit (memory: more than 64 MiB)"),
    });
  });

  test("the limit of processes ends it, and is named", async () => {
    const kernel = startProgram({
      ...saying([], "import subprocess\nfor i in range(50): subprocess.Popen(['sleep', '60'])"),
      options: { runLimits: { processes: 10 } },
    });

    expect(await kernel.ended).toMatchObject({ kind: "crashed" });
  });

  test("open files", async () => {
    const many = `[open("/dev/null") for _ in range(500)] and "opened"`;

    expect(await told(many, { options: { runLimits: { openFiles: 64 } } })).toMatch(/Too many/);
    expect(await told(many)).toBe("opened");
  });
});

describe("without a sandbox", () => {
  test("CHILD-3 nothing runs, and the reason says what to do", async () => {
    const sandbox = createSandbox({ require: ["fs", "disk"] });
    onTestFinished(async () => (await sandbox).close());

    const end = await startProgram({ ...telling("1"), options: { sandbox: () => sandbox } }).ended;

    expect(end).toMatchObject({
      kind: "misbehaved",
      reason: expect.stringMatching(
        /does not enforce disk \(advisory\), which sandbox\.require demands \(/,
      ),
    });
  });

  test("it runs where the operator wrote `none`, and sees the machine", async () => {
    const sandbox = createSandbox({ level: "none" });
    onTestFinished(async () => (await sandbox).close());
    const folder = scratch();
    writeFileSync(join(folder, "secret"), "42");

    const seen = await told(`open(${JSON.stringify(join(folder, "secret"))}).read()`, {
      options: { sandbox: () => sandbox },
    });

    expect(seen).toBe("42");
  });
});

test("what holds a program is told when it starts", async () => {
  const held: string[] = [];
  const onStarted = (pid: string, heldBy: string) => void held.push(pid, heldBy);

  await startProgram({ ...telling("1"), options: { onStarted } }).ended;

  expect(held).toEqual(["agt_test", describeReport((await theSandbox()).report)]);
});

test("CHILD-2 a program that is stopped before it runs never does", async () => {
  const kernel = startProgram({
    ...saying([], `open("ran", "w"); time.sleep(60)`),
    isWritable: true,
  });

  await kernel.program.stop();

  expect(kernel.endings).toEqual([]);
});
