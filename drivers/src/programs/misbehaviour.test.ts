// A foreign program may do what it likes: the kernel hears a clear reason and goes on.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  callLine,
  saying,
  startProgram,
  closeSandboxAfterwards,
} from "../../../tests/helpers/drivers/fake-kernel.ts";

closeSandboxAfterwards();

describe("a line that is no call ends the program", () => {
  const wrong: [string, string | string[], string][] = [
    ["not JSON", "hello", "not JSON"],
    ["an empty line", "", "not JSON"],
    ["a list", "[]", "not a JSON object"],
    ["null", "null", "not a JSON object"],
    ["a wrong version", '{"jsonrpc":"1.0","id":1,"method":"now"}', "jsonrpc"],
    ["no id", '{"jsonrpc":"2.0","method":"now"}', "no id"],
    ["an id of null", '{"jsonrpc":"2.0","id":null,"method":"now"}', "the id of a call"],
    [
      "an id that a number cannot hold",
      callLine("x", "now").replace('"x"', "9007199254740993"),
      "id",
    ],
    ["no method", '{"jsonrpc":"2.0","id":1}', "no method"],
    ["an id still under way", [callLine(1, "now"), callLine(1, "now")], "still under way"],
    [
      "a line nested too deep",
      `{"jsonrpc":"2.0","id":1,"x":${"[".repeat(99_999)}`,
      "nested deeper",
    ],
    [
      "an exit code out of range",
      callLine(1, "exit", { code: 999 }),
      "exit with wrong arguments: code",
    ],
  ];

  test.each(wrong)("%s", async (_what, lines, reason) => {
    const kernel = startProgram(saying([lines].flat()));

    const end = await kernel.ended;

    expect(end).toMatchObject({ kind: "misbehaved", reason: expect.stringContaining(reason) });
  });

  test("bytes that are not UTF-8", async () => {
    const kernel = startProgram(
      saying([], String.raw`os.write(1, b"\xff\xfe\n"); sys.stdin.read()`),
    );

    expect(await kernel.ended).toMatchObject({
      kind: "misbehaved",
      reason: expect.stringContaining("not UTF-8"),
    });
  });
});

test("an unknown call is answered with -32601, and ends the program", async () => {
  const kernel = startProgram({
    ...saying(
      [callLine(7, "format_disk")],
      "sys.stdin.readline(); sys.stderr.write(sys.stdin.readline())",
    ),
    options: { lastWordsMs: 5000 },
  });

  const end = await kernel.ended;

  expect(end).toEqual({ kind: "misbehaved", reason: 'there is no system call "format_disk"' });
  expect(JSON.parse(kernel.stderr())).toMatchObject({ id: 7, error: { code: -32601 } });
  expect(kernel.calls).toEqual([]);
});

test("a program that goes on after an unknown call is not heard, and killed", async () => {
  const kernel = startProgram(
    saying([callLine(7, "format_disk"), callLine(8, "now")], "time.sleep(60)"),
  );

  expect(await kernel.ended).toMatchObject({ kind: "misbehaved" });
  expect(kernel.calls).toEqual([]);
});

test("a line of 100 MB is refused while it streams, in little memory", async () => {
  const before = process.memoryUsage().rss;
  let highest = before;
  const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 1);
  const kernel = startProgram(
    saying(
      [],
      `for i in range(100): os.write(1, b"x" * 1_000_000)\nos.write(1, b"\\n"); time.sleep(60)`,
    ),
  );

  const end = await kernel.ended;
  clearInterval(watch);

  expect(end).toEqual({ kind: "misbehaved", reason: "a line is longer than 16777216 bytes" });
  expect((highest - before) / 1e6).toBeLessThan(90);
});

test("a line just as long as allowed is heard, whatever the pieces it comes in", async () => {
  const line = callLine(1, "write", { path: "/x", data: "x".repeat(100_000) });
  const byPieces = `line = ${JSON.stringify(line)}.encode()
for i in range(0, len(line), 7001): os.write(1, line[i:i+7001]); time.sleep(0.001)
os.write(1, b"\\n"); sys.stdin.read()`;
  const run = saying([], byPieces);

  const fits = startProgram({ ...run, options: { maxLineBytes: line.length } });
  const passes = startProgram({ ...run, options: { maxLineBytes: line.length - 1 } });

  expect((await fits.called("write")).args).toMatchObject({ path: "/x" });
  expect(await passes.ended).toMatchObject({ kind: "misbehaved" });
});

test("more than 1000 calls under way end the program", async () => {
  const lines = Array.from({ length: 1001 }, (_, id) => callLine(id, "now"));
  const kernel = startProgram(saying(lines));

  expect(await kernel.ended).toEqual({
    kind: "misbehaved",
    reason: "more than 1000 calls wait for an answer",
  });
  expect(kernel.calls).toHaveLength(1000);
});

test("a few calls of many bytes under way end the program", async () => {
  const lines = Array.from({ length: 3 }, (_, id) => callLine(id, "write", "x".repeat(500)));
  const kernel = startProgram({ ...saying(lines), options: { maxPendingBytes: 1500 } });

  expect(await kernel.ended).toMatchObject({ reason: expect.stringContaining("pass 1500 bytes") });
  expect(kernel.calls).toHaveLength(2);
});

test("a program that does not read what it is told is ended before it fills the memory", async () => {
  const kernel = startProgram({
    ...saying(
      [],
      `for i in range(200): os.write(1, json.dumps({"jsonrpc": "2.0", "id": i, "method": "now"}).encode() + b"\\n")
time.sleep(60)`,
    ),
    answer: () => "x".repeat(1_000_000),
  });

  const end = await kernel.ended;

  expect(end).toMatchObject({
    kind: "misbehaved",
    reason: expect.stringContaining("does not read"),
  });
  expect(kernel.calls.length).toBeLessThan(70);
});

test.each([
  ["a line", String.raw`print("bye", flush=True); time.sleep(60)`],
  ["half a line, much later", String.raw`time.sleep(0.2); os.write(1, b"{"); time.sleep(60)`],
])("%s after exit ends the program as misbehaved", async (_what, rest) => {
  const kernel = startProgram(saying([callLine(1, "exit", { code: 0, output: 42 })], rest));

  expect(await kernel.ended).toEqual({ kind: "misbehaved", reason: "output after exit" });
});

test("what does not start says what was not found", async () => {
  const missing = startProgram({ command: ["no-such-program", "x"] });
  const noFolder = startProgram({ command: ["python3"], folder: "/no/such/folder" });
  const notExecutable = startProgram({ command: ["/etc/passwd"] });
  const nothing = startProgram({ command: [] });
  const broken = startProgram({ command: ["python3", "a\0b"] });

  expect(await missing.ended).toEqual({
    kind: "misbehaved",
    reason: 'the command "no-such-program" was not found',
  });
  expect(await noFolder.ended).toMatchObject({
    reason: expect.stringContaining("/no/such/folder"),
  });
  expect(await notExecutable.ended).toMatchObject({
    reason: expect.stringContaining("not executable"),
  });
  expect(await nothing.ended).toMatchObject({ reason: "the program has no command" });
  expect(await broken.ended).toMatchObject({ kind: "misbehaved" });
});

test("the children of a program that broke the protocol are ended with it", async () => {
  const kernel = startProgram({
    ...saying(
      [],
      `import subprocess
subprocess.Popen(["sh", "-c", "touch began; sleep 0.7; touch grandchild-lived"])
while not os.path.exists("began"): time.sleep(0.01)
print("nonsense", flush=True)
time.sleep(60)`,
    ),
    isWritable: true,
  });

  await kernel.ended;
  await delay(1000);

  expect(existsSync(join(kernel.folder, "began"))).toBe(true);
  expect(existsSync(join(kernel.folder, "grandchild-lived"))).toBe(false);
});
