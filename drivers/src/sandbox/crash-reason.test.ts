import { expect, test } from "vitest";
import { crashReason } from "./crash-reason.ts";

const NODE = `node:internal/modules/package_json_reader:316
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'left-pad' imported from /work/agent.mjs
${Array.from({ length: 14 }, (_, n) => `    at frame${n} (node:internal/modules/esm/resolve:${n}:9)`).join("\n")} {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v24.21.0
`;

test("of a loader's report the reason is kept, and not its frames (CRASH-REASON-1)", () => {
  const words = crashReason(NODE);

  expect(words).toContain("Cannot find package 'left-pad'");
  expect(words).not.toContain("frame3");
});

test("a reason that stands far above the last lines is kept (CRASH-REASON-1)", () => {
  const chatter = Array.from({ length: 40 }, (_, n) => `step ${n}`).join("\n");

  const words = crashReason(`TypeError: x is not a function\n${chatter}\n`);

  expect(words.split("\n")[0]).toBe("TypeError: x is not a function");
  expect(words).toContain("step 39");
  expect(words.split("\n").length).toBe(10); // CRASH-REASON-2
});

test("Python's last line is its reason, and what it printed before stays", () => {
  const words = crashReason(
    `starting\nTraceback (most recent call last):\n  File "a.py", line 1, in <module>\n    import tomli\nModuleNotFoundError: No module named 'tomli'\n`,
  );

  expect(words).toContain("starting");
  expect(words).toContain("No module named 'tomli'");
});

test("what is only frames is given as it is, and nothing is ever long (CRASH-REASON-2)", () => {
  expect(crashReason("    at one\n    at two\n")).toContain("at two");
  expect(crashReason(`${"x".repeat(100_000)}\n`.repeat(50)).length).toBeLessThanOrEqual(2000);
});
