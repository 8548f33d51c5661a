import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mediaTypeOf, withAttachments } from "./attachments.ts";

const bytes = (hex: string) => Buffer.from(hex, "hex");

test.each([
  ["a.txt", "89504e470d0a1a0a00", "image/png"], // what it is, not what it is called
  ["a", "ffd8ffe000", "image/jpeg"],
  ["a", "47494638396100", "image/gif"],
  ["a", "255044462d312e37", "application/pdf"],
  ["a", "524946460000000057454250", "image/webp"],
  ["a.CSV", "612c62", "text/csv"],
  ["a", "68656c6c6f", "text/plain"],
  ["a", "00ff00ff", "application/octet-stream"],
])("CLI-ATTACHMENTS-1: %s of %s is %s", (name, hex, mediaType) => {
  expect(mediaTypeOf(name, bytes(hex))).toBe(mediaType);
});

test("files go with the words, in their order", () => {
  const folder = mkdtempSync(join(tmpdir(), "aos-attach-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "a.md"), "# a");
  writeFileSync(join(folder, "b.csv"), "1,2");

  const input = withAttachments("look", [join(folder, "a.md"), join(folder, "b.csv")]);

  expect(input).toEqual({
    text: "look",
    attachments: [
      { mediaType: "text/markdown", data: "IyBh", name: "a.md" },
      { mediaType: "text/csv", data: "MSwy", name: "b.csv" },
    ],
  });
});

test("without files the input is as it was; with JSON, or a file that is not there, it is refused", () => {
  expect(withAttachments({ a: 1 }, [])).toEqual({ a: 1 });
  expect(() => withAttachments({ a: 1 }, ["x"])).toThrow("needs a text input");
  expect(() => withAttachments("a", ["/nowhere/x"])).toThrow("cannot read /nowhere/x");
});

test("CLI-ATTACHMENTS-2: more than a request has room for is refused", () => {
  const folder = mkdtempSync(join(tmpdir(), "aos-attach-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "big.bin");
  writeFileSync(file, Buffer.alloc(6 * 1024 * 1024));

  expect(() => withAttachments("a", [file, file])).toThrow("the limit is 11534336");
});
