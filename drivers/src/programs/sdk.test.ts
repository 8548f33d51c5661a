// Both clients, end to end: the same small programs in Python and in TypeScript make the same calls
// and come to the same end.

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  startProgram,
  type FakeResponder,
  type FakeProgramOptions,
  closeSandboxAfterwards,
} from "../../../tests/helpers/drivers/fake-kernel.ts";

closeSandboxAfterwards();

const inRepository = (path: string) => new URL(`../../../${path}`, import.meta.url);
const pythonFolder = fileURLToPath(inRepository("sdk/python"));

const python = (text: string): FakeProgramOptions => ({
  files: {
    "agent.py": `import sys as s; s.path.insert(0, ${JSON.stringify(pythonFolder)})\n${text}`,
  },
});
const typescript = (text: string): FakeProgramOptions => ({
  files: {
    "agent.mts": `import { runProgram, SysError } from ${JSON.stringify(inRepository("sdk/src/index.ts").href)};\n${text}`,
  },
});

/** The same program in both languages. */
const both = (programs: { py: string; ts: string }): [string, FakeProgramOptions][] => [
  ["python", python(programs.py)],
  ["typescript", typescript(programs.ts)],
];

const echoing: FakeResponder = ({ name, args }) => ({ name, args });

describe("a program makes calls and returns", () => {
  test.each(
    both({
      py: `import aos
def main(sys, input, state=None):
    print("a stray print")
    sys.write("/mem/working/x", input)
    sys.write(3, None)
    answer = sys.exec("mail.send", {"to": "ä"}, on_doubt="retry", timeout_ms=5)
    return {"answer": answer, "state": state}
aos.run(main)`,
      ts: `runProgram(async (sys, input, state = null) => {
  console.log("a stray print");
  await sys.write("/mem/working/x", input);
  await sys.write(3, null);
  const answer = await sys.exec("mail.send", { to: "ä" }, { onDoubt: "retry", timeoutMs: 5 });
  return { answer, state };
});`,
    }),
  )("%s", async (_language, run) => {
    const kernel = startProgram({ ...run, input: [1, "😀"], state: { at: 7 }, answer: echoing });

    const end = await kernel.ended;

    const sent = { tool: "mail.send", args: { to: "ä" }, onDoubt: "retry", timeoutMs: 5 };
    expect(kernel.calls).toEqual([
      { id: 1, name: "write", args: { path: "/mem/working/x", data: [1, "😀"] } },
      { id: 2, name: "write", args: { fd: 3, data: null } },
      { id: 3, name: "exec", args: sent },
    ]);
    expect(end).toEqual({
      kind: "returned",
      code: 0,
      output: { answer: { name: "exec", args: sent }, state: { at: 7 } },
    });
    expect(kernel.stderr()).toContain("a stray print");
  });
});

describe("a failed call can be caught; one that is not ends the program with 1", () => {
  test.each(
    both({
      py: `import aos
def main(sys, input):
    try: sys.read("/x")
    except aos.SysError as e: sys.write("/seen", [e.code, e.message, e.hint, e.retry_after])
    sys.read("/x")
aos.run(main)`,
      ts: `runProgram(async (sys) => {
  try { await sys.read("/x"); }
  catch (e) { if (e instanceof SysError) await sys.write("/seen", [e.code, e.message, e.hint, e.retryAfter]); }
  await sys.read("/x");
});`,
    }),
  )("%s", async (_language, run) => {
    const err = { code: "EAGAIN", message: "full", hint: "wait", retryAfter: 50 } as const;
    const kernel = startProgram({
      ...run,
      answer: ({ name }) => (name === "read" ? { err } : null),
    });

    const end = await kernel.ended;

    expect(kernel.calls[1]?.args).toMatchObject({ data: ["EAGAIN", "full", "wait", 50] });
    const error = { code: "EAGAIN", message: "full", hint: "wait" };
    expect(end).toEqual({ kind: "returned", code: 1, output: { error } });
  });
});

describe("an error of the program's own ends it with 1, with the trace on stderr", () => {
  test.each([
    [
      "python",
      python(`import aos\ndef main(sys, input): raise KeyError("who")\naos.run(main)`),
      "KeyError",
    ],
    [
      "typescript",
      typescript(`runProgram(async () => { throw new TypeError("who"); });`),
      "TypeError",
    ],
    [
      "not awaited",
      typescript(
        `runProgram((sys) => { void sys.now().then(() => { throw new RangeError("who"); }); return sys.receive(); });`,
      ),
      "RangeError",
    ],
    [
      "no JSON",
      python(`import aos\ndef main(sys, input): return float("nan")\naos.run(main)`),
      "EINVAL",
    ],
    ["no JSON", typescript(`runProgram(async () => 1n);`), "EINVAL"],
  ])("%s", async (_language, run, code) => {
    const kernel = startProgram({ ...run, answer: ({ name }) => (name === "now" ? 1 : undefined) });

    expect(await kernel.ended).toMatchObject({ code: 1, output: { error: { code } } });
    expect(kernel.stderr()).toContain(code === "EINVAL" ? "not JSON" : code);
  });
});

describe("a handler runs while a call waits, and may make calls itself", () => {
  test.each(
    both({
      py: `import aos
def main(sys, input):
    seen = []
    def on(signal):
        seen.append(signal); sys.checkpoint(seen)
    sys.handle("SIGUSR2", on)
    message = sys.receive()
    sys.handle("SIGUSR2", "default")
    sys.exit(7, [message, seen])
aos.run(main)`,
      ts: `runProgram(async (sys) => {
  const seen = [];
  await sys.handle("SIGUSR2", async (signal) => { seen.push(signal); await sys.checkpoint(seen); });
  const message = await sys.receive();
  await sys.handle("SIGUSR2", "default");
  return sys.exit(7, [message, seen]);
});`,
    }),
  )("%s", async (_language, run) => {
    const kernel = startProgram({
      ...run,
      answer: ({ name }, kernel) => {
        if (name === "receive") {
          kernel.signal("SIGUSR2");
          return undefined;
        }
        if (name === "checkpoint") {
          // The answer to the outer call comes before that to the handler's own.
          kernel.program.deliver({ kind: "answer", id: 2, ok: "hello" });
        }
        return null;
      },
    });

    expect(await kernel.ended).toEqual({
      kind: "returned",
      code: 7,
      output: ["hello", ["SIGUSR2"]],
    });
    expect(kernel.calls.map(({ name }) => name)).toEqual([
      "handle",
      "receive",
      "checkpoint",
      "handle",
    ]);
  });
});

describe("calls made at once are told apart, in whatever order they are answered", () => {
  test.each(
    both({
      py: `import aos
def main(sys, input):
    a, b, c = sys.all([("read", {"path": "/a"}), ("read", {"path": "/b"}), ("now", {})], errors="return")
    try: sys.all([("now", {}), ("read", {"path": "/a"})])
    except aos.SysError as error: return [a.code, b, c, error.code]
aos.run(main)`,
      ts: `runProgram(async (sys) => {
  const code = (error) => error.code;
  const first = await Promise.all([sys.read("/a").catch(code), sys.read("/b"), sys.now()]);
  return [...first, await Promise.all([sys.now(), sys.read("/a")]).catch(code)];
});`,
    }),
  )("%s", async (_language, run) => {
    const kernel = startProgram({
      ...run,
      answer: ({ name }, { calls, program }) => {
        if (name !== "now") return undefined;
        if (calls.length === 3) {
          program.deliver({ kind: "answer", id: 2, ok: "b" });
          program.deliver({ kind: "answer", id: 1, err: { code: "ENOENT", message: "a" } });
        } else {
          program.deliver({ kind: "answer", id: 5, err: { code: "EACCES", message: "a" } });
        }
        return 9;
      },
    });

    expect(await kernel.ended).toMatchObject({ code: 0, output: ["ENOENT", "b", 9, "EACCES"] });
  });
});

test("a large value goes through in both directions", async () => {
  const text = "ä".repeat(3_000_000);
  const run = python(`import aos\naos.run(lambda sys, input: sys.exec("echo", input))`);
  const kernel = startProgram({ ...run, input: text, answer: () => text });

  expect(await kernel.ended).toEqual({ kind: "returned", code: 0, output: text });
});
