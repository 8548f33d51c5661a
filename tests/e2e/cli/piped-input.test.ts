// What is piped in is the input, whatever it is (cli/src/read-input.ts).

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestHome, type TestHome } from "../home.ts";

const AOS = join(import.meta.dirname, "../../../cli/bin/aos");
const BYTES = Buffer.from([0x00, 0xff, 0xfe, 0x80, 0x41, 0xc3, 0x28]);

let home: TestHome;
let work: string;
beforeAll(async () => {
  home = createTestHome({ AOS_HTTP: "off" });
  work = mkdtempSync(join(tmpdir(), "aos-e2e-piped-"));
  writeFileSync(join(work, "bytes"), BYTES);
  writeFileSync(join(work, "text"), "from a file\n");
  // It gives back what it is given.
  writeFileSync(
    join(work, "same.yaml"),
    "apiVersion: aos/v1\nkind: Agent\nname: same\nprogram: recall\n",
  );
  await home.aos("status");
});
afterAll(async () => {
  await home.remove();
  rmSync(work, { recursive: true, force: true, maxRetries: 20 });
});

/** What the run of a line was given, by its journal. */
async function given(line: string): Promise<unknown> {
  const ran = await home.shell(line.replaceAll("aos ", `${AOS} `), { cwd: work });
  const pid = /agt_\w+/.exec(ran.stderr)?.[0] ?? "";
  const logs = await home.aos("logs", pid, "-o", "json");
  const start = JSON.parse(logs.stdout.split("\n")[0]!) as { input: unknown };
  return start.input;
}

test("a pipe is the input of run, with and without -", async () => {
  expect(await given("echo data | aos run same.yaml")).toBe("data");
  expect(await given("printf 'two\\nlines\\n' | aos run same.yaml -")).toBe("two\nlines");
  expect(await given("aos run same.yaml < text")).toBe("from a file");
});

test("a slow writer is waited for, and an empty one is no input", async () => {
  expect(await given("(sleep 1; echo late) | aos run same.yaml")).toBe("late");
  expect(await given("true | aos run same.yaml")).toBeNull();
  expect(await given("aos run same.yaml")).toBeNull(); // /dev/null
});

test("what is given counts, and the pipe is left alone", async () => {
  expect(await given("echo pipe | aos run same.yaml word")).toBe("word");
  expect(await given("aos run same.yaml @text")).toBe("from a file\n");
  expect(await given("aos run same.yaml '@nobody here'")).toBe("@nobody here");
});

test("bytes that are no text arrive as they are", async () => {
  const attached = (name: string) => ({
    text: "",
    attachments: [{ mediaType: "application/octet-stream", data: BYTES.toString("base64"), name }],
  });

  expect(await given("aos run same.yaml --input @bytes")).toEqual(attached("bytes"));
  expect(await given("aos run same.yaml @bytes")).toEqual(attached("bytes"));
  expect(await given("cat bytes | aos run same.yaml")).toEqual(attached("standard input"));
});

test("one agent's answer is the next one's question", async () => {
  const keeper = (name: string) =>
    `printf 'apiVersion: aos/v1\\nkind: Agent\\nname: ${name}\\npersistent: true\\nmodel: scripted/${name}\\ncapabilities: ["model:scripted/*:infer"]\\n' > ${name}.yaml; ` +
    `mkdir -p $AOS_HOME/scripts; printf 'turns: [{ when: { last: user }, say: "${name}({{last}})" }]\\n' > $AOS_HOME/scripts/${name}.yaml; ` +
    `${AOS} spawn ${name}.yaml`;
  const a = (await home.shell(keeper("a"), { cwd: work })).stdout.trim();
  const b = (await home.shell(keeper("b"), { cwd: work })).stdout.trim();

  const ran = await home.shell(`echo x | ${AOS} invoke ${a} | ${AOS} invoke ${b}`, { cwd: work });

  expect(ran.stdout).toBe("b(a(x))\n");
});
