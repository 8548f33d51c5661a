import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openLog } from "./log.ts";

function logged(scrub: (text: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), "aos-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "daemon.log");
  const log = openLog({ level: "info", file, scrub });
  log.error({ err: new Error("the server said hunter2") }, "a request failed");
  return readFileSync(file, "utf8");
}

test("G1: every line is scrubbed, what an error carries included", () => {
  const text = logged((line) => line.replaceAll("hunter2", "[secret:X]"));

  expect(text).toContain("the server said [secret:X]");
  expect(text).not.toContain("hunter2");
});

test("G1: a line that cannot be scrubbed is not written", () => {
  const text = logged(() => {
    throw new Error("no");
  });

  expect(text).not.toContain("hunter2");
  expect(JSON.parse(text)).toMatchObject({ level: 50 });
});
