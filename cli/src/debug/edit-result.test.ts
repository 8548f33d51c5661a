import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { editResult, readEdited, resultIn } from "./edit-result.ts";
import { callRecord, startRecord } from "../../../tests/helpers/cli/moments.ts";

/** An editor that does this to its file. */
function editorThat(does: string): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), "aos editor "));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "editor.sh");
  writeFileSync(file, `#!/bin/sh\n${does}\n`);
  chmodSync(file, 0o755);
  return { EDITOR: `'${file}' --wait` };
}

test("what the editor leaves is the result; its options are its own", () => {
  const env = editorThat(`test "$1" = --wait && printf '{"n": 2}' > "$2"`);

  expect(editResult({ n: 1 }, env)).toEqual({ result: { n: 2 } });
});

test("EDIT-RESULT-1: nobody else can read the file, and it is gone afterwards", () => {
  const env = editorThat(`printf '["%s", "%s"]' "$(stat -c %a "$2")" "$2" > "$2"`);

  const edited = editResult(null, env) as { result: [string, string] };

  expect(edited.result[0]).toBe("600");
  expect(() => rmSync(edited.result[1])).toThrow("ENOENT");
});

test("an editor that fails changes nothing", () => {
  expect(editResult(1, editorThat("exit 3"))).toEqual({
    problem: expect.stringContaining("ended with 3"),
  });
});

test("EDIT-RESULT-2: what is as it was, or is not JSON, is not taken", () => {
  expect(readEdited('{"a": 1}', '{ "a":1 }\n')).toEqual({
    problem: expect.stringContaining("the result is unchanged"),
  });
  expect(readEdited("1", "{")).toEqual({ problem: expect.stringContaining("not JSON") });
});

test("only what a call came to can be edited; a failure begins as nothing", () => {
  expect(resultIn(callRecord(1, { ok: { a: 1 } }))).toEqual({ a: 1 });
  expect(resultIn(callRecord(1, { ok: undefined }))).toBeNull();
  expect(resultIn(callRecord(1, { err: { code: "EACCES", message: "no" } }))).toBeNull();
  expect(resultIn(startRecord)).toBeUndefined();
});
