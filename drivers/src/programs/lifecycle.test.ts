// How a foreign program starts, is told things, and ends.

import { existsSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  callLine,
  saying,
  startProgram,
  closeSandboxAfterwards,
} from "../../../tests/helpers/drivers/fake-kernel.ts";

closeSandboxAfterwards();

const EXIT = `os.write(1, b'{"jsonrpc":"2.0","id":"x","method":"exit","params":{"code":3,"output":"done"}}\\n')`;

test("the first line is start, with the input and the last checkpoint", async () => {
  const echo = `start = json.loads(sys.stdin.readline())
os.write(1, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "exit", "params": {"code": 0, "output": start}}).encode() + b"\\n")`;

  const fresh = startProgram({ ...saying([], echo), input: { text: "häy\u2028 😀" } });
  const again = startProgram({ ...saying([], echo), input: 1, state: null });

  expect(await fresh.ended).toEqual({
    kind: "returned",
    code: 0,
    output: {
      jsonrpc: "2.0",
      method: "start",
      params: { protocol: 1, input: { text: "häy\u2028 😀" } },
    },
  });
  expect(await again.ended).toMatchObject({ output: { params: { input: 1, state: null } } });
});

test("calls are heard in order, and answers and failures are told by id", async () => {
  const kernel = startProgram({
    ...saying(
      [callLine("a", "read", { path: "/x" }), callLine(2, "now")],
      `sys.stdin.readline(); said = [json.loads(sys.stdin.readline()) for _ in range(2)]
os.write(1, json.dumps({"jsonrpc": "2.0", "id": 3, "method": "exit", "params": {"code": 0, "output": said}}).encode() + b"\\n")`,
    ),
    answer: ({ name }) =>
      name === "now" ? 5 : { err: { code: "ENOENT", message: "no file", hint: "list first" } },
  });

  const end = await kernel.ended;

  expect(kernel.calls).toEqual([
    { id: "a", name: "read", args: { path: "/x" } },
    { id: 2, name: "now", args: {} },
  ]);
  const data = { code: "ENOENT", message: "no file", hint: "list first" };
  expect(end).toMatchObject({
    output: [
      { jsonrpc: "2.0", id: "a", error: { code: -32000, message: "no file", data } },
      { jsonrpc: "2.0", id: 2, result: 5 },
    ],
  });
});

test("exit counts when the process has ended", async () => {
  const kernel = startProgram(saying([], EXIT));

  expect(await kernel.ended).toEqual({ kind: "returned", code: 3, output: "done" });
});

test("a program that stays after exit is ended after the grace, and has returned", async () => {
  const kernel = startProgram({
    ...saying([], `${EXIT}\ntime.sleep(60)`),
    options: { exitGraceMs: 100 },
  });

  expect(await kernel.ended).toEqual({ kind: "returned", code: 3, output: "done" });
});

test("a program killed from outside crashed, with what it last said on stderr", async () => {
  const kernel = startProgram(
    saying(
      [callLine(1, "now")],
      `sys.stderr.write("out of luck\\n"); sys.stderr.flush(); os.write(1, b'{"jsonrpc"'); os.kill(os.getpid(), 9)`,
    ),
  );

  expect(await kernel.ended).toEqual({
    kind: "crashed",
    reason: "it was killed by SIGKILL in the middle of a line; it last said:\nout of luck",
  });
  expect(kernel.calls).toHaveLength(1);
});

test("an end with a status crashed; an end with status 0 and no exit misbehaved", async () => {
  const failing = startProgram(saying([], "sys.exit(4)"));
  const quiet = startProgram(saying([], "sys.exit(0)"));

  expect(await failing.ended).toEqual({ kind: "crashed", reason: "it ended with status 4" });
  expect(await quiet.ended).toEqual({
    kind: "misbehaved",
    reason: "it ended without calling exit",
  });
});

test("an id may be used again once it was answered, and calls that were answered do not count", async () => {
  const kernel = startProgram({
    ...saying(
      [],
      `sys.stdin.readline()
for i in range(20):
    os.write(1, b'{"jsonrpc":"2.0","id":1,"method":"now"}\\n'); sys.stdin.readline()
${EXIT}`,
    ),
    answer: () => 1,
    options: { maxPendingCalls: 2, maxPendingBytes: 100 },
  });

  expect(await kernel.ended).toMatchObject({ kind: "returned" });
  expect(kernel.calls).toHaveLength(20);
});

test("a program that closes its input can be told what it likes", async () => {
  const kernel = startProgram({
    ...saying(
      [],
      `os.close(0)
for i in range(5): os.write(1, b'{"jsonrpc":"2.0","id":%d,"method":"now"}\\n' % i); time.sleep(0.02)
${EXIT}`,
    ),
    answer: () => "x".repeat(100_000),
  });

  expect(await kernel.ended).toMatchObject({ kind: "returned" });
  expect(kernel.calls).toHaveLength(5);
});

test("the children that a program leaves behind when it exits die with it", async () => {
  const kernel = startProgram({
    ...saying(
      [],
      `import subprocess
subprocess.Popen(["sh", "-c", "touch began; while [ ! -e over ]; do sleep 0.05; done; touch lived"], stdout=2)
while not os.path.exists("began"): time.sleep(0.01)
${EXIT}`,
    ),
    isWritable: true,
  });

  await kernel.ended;
  writeFileSync(join(kernel.folder, "over"), "");
  await delay(1000);

  expect(existsSync(join(kernel.folder, "lived"))).toBe(false);
});

test("a program that closes its output and stays is ended after the grace", async () => {
  const kernel = startProgram({
    ...saying([], "os.close(1); time.sleep(60)"),
    options: { exitGraceMs: 100 },
  });

  expect(await kernel.ended).toEqual({
    kind: "crashed",
    reason: "it closed its output without calling exit, and did not end",
  });
});

test("an end is told even when a child that left the group holds the output open", async () => {
  const kernel = startProgram(
    saying(
      [],
      `import subprocess; subprocess.Popen(["sleep", "3"], start_new_session=True); sys.exit(4)`,
    ),
  );

  expect(await kernel.ended).toMatchObject({ kind: "crashed" });
});

test("stop ends a hung program and its children at once, and nothing more is heard", async () => {
  const kernel = startProgram({
    ...saying(
      [],
      `import subprocess, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sh", "-c", "trap '' TERM HUP; echo $$ > new; mv new pid; sleep 0.7; touch lived; sleep 60"])
while not os.path.exists("pid"): time.sleep(0.01)
os.write(1, b'{"jsonrpc":"2.0","id":1,"method":"now"}\\n')
while True: time.sleep(1)`,
    ),
    isWritable: true,
  });
  await kernel.called("now");

  const began = performance.now();
  await Promise.all([kernel.program.stop(), kernel.program.stop()]);
  const tookMs = performance.now() - began;
  kernel.program.deliver({ kind: "answer", id: 1, ok: 1 });
  kernel.signal("SIGTERM");
  await delay(1000);

  expect(tookMs).toBeLessThan(900);
  expect(existsSync(join(kernel.folder, "pid"))).toBe(true);
  expect(existsSync(join(kernel.folder, "lived"))).toBe(false);
  expect(kernel.endings).toEqual([]);
});

test("a program that ended can be told and stopped again; both do nothing", async () => {
  const kernel = startProgram(saying([], EXIT));
  await kernel.ended;

  kernel.signal("SIGTERM");
  await kernel.program.stop();

  expect(kernel.endings).toHaveLength(1);
});

test("a program sees a clean environment, its folder, and the node that we run on", async () => {
  vi.stubEnv("SECRET_OF_THE_DAEMON", "42").stubEnv("PATH", "/usr/bin:/bin");
  onTestFinished(() => void vi.unstubAllEnvs());
  const text = `const output = { env: process.env, folder: process.cwd(), node: process.execPath };
console.log(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "exit", params: { code: 0, output } }));
process.stdin.destroy();`;

  const kernel = startProgram({ files: { "env.mjs": text }, options: { env: { GIVEN: "1" } } });

  const end = await kernel.ended;
  const { env, folder, node } = (end as unknown as { output: Surroundings }).output;
  const theSandboxs = ["HOME", "LANG", "PWD", "TMPDIR"];
  expect(Object.keys(env).sort()).toEqual(
    ["GIVEN", ...theSandboxs, "PATH", "PYTHONHASHSEED"].sort(),
  );
  expect(env).toMatchObject({ HOME: "/tmp", TMPDIR: "/tmp" });
  expect(realpathSync(folder)).toBe(realpathSync(kernel.folder));
  expect(realpathSync(node)).toBe(realpathSync(process.execPath));
});

test("a flood on standard error is handed on and held in a bound", async () => {
  const kernel = startProgram(
    saying([], `for i in range(200): os.write(2, b"e" * 10_000 + b"\\n")\nsys.exit(1)`),
  );

  const end = await kernel.ended;

  expect(kernel.stderr()).toHaveLength(200 * 10_001);
  expect(end.kind === "crashed" && end.reason.length).toBeLessThan(2100);
});

interface Surroundings {
  readonly env: Record<string, string>;
  readonly folder: string;
  readonly node: string;
}
