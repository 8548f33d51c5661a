// `aos init`: every template runs, passes its own tests, and does what its README and its hints say.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { templates } from "@aos/cli/parts";
import { createTestHome, type TestHome } from "../home.ts";

let home: TestHome;
let work: string;
beforeAll(() => {
  home = createTestHome({ AOS_HTTP: "off" });
  work = mkdtempSync(join(tmpdir(), "aos-e2e-init-"));
});
afterAll(async () => {
  await home.remove();
  rmSync(work, { recursive: true, force: true, maxRetries: 20 });
});

const here = (...words: string[]) => home.aosWith({ cwd: work }, ...words);

describe.each(Object.keys(templates))("%s", (template) => {
  const folder = `try-${template}`;
  let next: string[];
  beforeAll(async () => {
    const made = await here("init", template, folder);
    expect(made.code).toBe(0);
    next = made.stderr.split("\n").flatMap((line) => /^ {2}(.+)$/.exec(line)?.[1] ?? []);
  });

  test("has a manifest, a README and tests, under its own name", async () => {
    for (const file of ["agent.yaml", "README.md", `.agents/tests/${folder}.test.yaml`])
      expect(readFileSync(join(work, folder, file), "utf8")).not.toContain("__NAME__");
    expect(readFileSync(join(work, folder, "agent.yaml"), "utf8")).toContain(`name: ${folder}\n`);
    expect(readFileSync(join(work, folder, "README.md"), "utf8").split("\n")[0]).toBe(
      `# ${folder}`,
    );
  });

  test("passes its own tests, and what it says comes next works", async () => {
    const [cd, ...lines] = next;
    const cwd = join(work, folder);
    const said = new Map<string, string>();

    for (const line of lines) {
      const words = line.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ""));
      const running = home.aosWith({ cwd }, ...words.slice(1));
      // What a server says of its tools is untrusted: a person is asked.
      if (template === "mcp" && words[1] === "run") await approveNext();
      const ran = await running;
      expect({ line, ...ran }).toMatchObject({ line, code: 0 });
      said.set(words[1]!, ran.stdout);
    }

    expect(cd).toBe(`cd ${folder}`);
    expect([...said.keys()].toSorted()).toEqual(["logs", "run", "test", "trust"]);
    expect(said.get("run")).toMatch(/\S/);
    expect(said.get("run")).not.toMatch(/\bE[A-Z]+:/); // no tool was missing
    expect(said.get("test")).toMatch(/^ok /);
    expect(said.get("logs")).toContain(`"kind":"end"`);
    if (template === "approval") rmSync(`/tmp/${folder}-ledger.txt`, { force: true });
  });
});

async function approveNext(): Promise<void> {
  await expect.poll(async () => (await home.client.questions({})).length).toBe(1);
  const [question] = await home.client.questions({});
  await home.client.answer({ id: question!.id, choice: question!.choices[0]! });
}

test("--model puts a real model in the place of the script, and the tests still pass", async () => {
  const made = await here("init", "team", "writers", "--model", "anthropic/claude-sonnet-4-5");
  const cwd = join(work, "writers");

  await home.aosWith({ cwd }, "trust", "--yes");
  const tested = await home.aosWith({ cwd }, "test");

  expect(made.code).toBe(0);
  const manifest = readFileSync(join(cwd, "agent.yaml"), "utf8");
  expect(manifest).not.toContain("scripted/");
  expect(manifest).toContain("model:anthropic/claude-sonnet-4-5:infer");
  expect(tested.stdout).toMatch(/^ok /);
});

test("nothing is written over, and nothing half (INIT-1)", async () => {
  writeFileSync(join(work, "README.md"), "mine\n");

  const ran = await here("init", "hello", ".", "--name", "mine", "-o", "json");

  expect(ran.code).toBe(1);
  expect(ran.error()).toMatchObject({ code: "EEXIST", hint: expect.stringContaining("aos init") });
  expect(readFileSync(join(work, "README.md"), "utf8")).toBe("mine\n");
  expect(existsSync(join(work, "agent.yaml"))).toBe(false);
});

test.each([
  [["init", "helo"], /unknown template helo\nhint: did you mean hello\?/],
  [["init", "python", "p", "--model", "a/b"], /the template python is a program and asks no model/],
  [["init", "hello", "h", "--model", "gpt"], /"gpt" is no name of a model\nhint: PROVIDER\/MODEL/],
  [["init", "hello", "Not A Name"], /"not a name" is not a valid agent name\nhint: .*--name/],
])("%j is refused", async (words, said) => {
  const ran = await here(...words);

  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(said);
});
