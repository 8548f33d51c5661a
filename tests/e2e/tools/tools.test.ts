// `aos tool ls`, `show` and `call`, as people and scripts use them, on a real daemon.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Ending, ToolDetail, ToolReport } from "@aos/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestHome, type TestHome } from "../home.ts";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));

let home: TestHome;
let folder: string;

const CITIES = `
import { defineTool, z } from "agent-os";

export const size = defineTool({
  name: "city.size",
  version: "1",
  description: "Say how many people live in a city.",
  tags: ["geography"],
  input: z.strictObject({ city: z.string() }),
  output: z.strictObject({ people: z.number() }),
  effect: "read",
  run: async ({ city }) => ({ people: city.length }),
});

export const notes = defineTool({
  name: "city.notes",
  version: "1",
  description: "Read what was noted of a city.",
  input: z.strictObject({ city: z.string() }),
  effect: "read",
  touches: [{ kind: "file", resource: "/work/{city}.txt", verb: "read" }],
  run: async ({ city }, context) => (await context.read(\`/work/\${city}.txt\`)).text,
});

export const old = defineTool({
  name: "city.old",
  version: "1",
  description: "Was used before.",
  input: z.strictObject({}),
  effect: "read",
  deprecated: "use city.size",
  run: async () => null,
});
`;

const COUNT = `
name: text.count
description: Count the lines of a text.
program: wc
input: { type: object, required: [text], properties: { text: { type: string } } }
stdin: text
argv: ["-l"]
`;

const write = (name: string, text: string): void => {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
};
const aos = (...words: string[]) => home.aosWith({ cwd: folder }, ...words);
const json = async <T>(...words: string[]): Promise<T> =>
  (await aos(...words, "-o", "json")).json() as T;

beforeAll(async () => {
  home = createTestHome();
  folder = mkdtempSync(join(tmpdir(), "aos-e2e-tools-"));
  write(".agents/tools/cities.ts", CITIES);
  write(".agents/tools/broken.ts", 'import "no-such-package";');
  write(".agents/tools/count.yaml", COUNT);
  write("Bern.txt", "bears\n");
  mkdirSync(join(home.folder, "tools"), { recursive: true });
  writeFileSync(join(home.folder, "tools/upper.yaml"), COUNT.replace("text.count", "home.count"));
  await home.aos("up", "-d");
  await aos("trust", "--yes");
});
afterAll(async () => {
  await home.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

describe("aos tool ls", () => {
  test("lists what the system, the home and this folder's project have", async () => {
    const tools = await json<ToolReport[]>("tool", "ls");
    const named = (name: string) => tools.find((tool) => tool.name === name);

    expect(named("file.read")).toMatchObject({ source: "built-in", effect: "read", calls: 0 });
    expect(named("city.size")).toMatchObject({ source: "project", tags: ["geography"] });
    expect(named("city.old")).toMatchObject({ deprecated: "use city.size" });
    expect(named("text.count")).toMatchObject({ source: "program" });
    expect(named("home.count")).toMatchObject({ source: "program" });
    expect(named("text.count")).not.toHaveProperty("score");
    expect((await aos("tool", "ls")).stdout).toMatch(/city.old \(deprecated\)/);
  });

  test("what does not load is named with file, line and reason there, by run, doctor and the log", async () => {
    write(".agents/tools/typo.yaml", COUNT.replace("description:", "descripton:"));
    write(".agents/tools/syntax.ts", "const a = 1;\nconst b = = 2;\n");
    write(".agents/mcp.yaml", "servers:\n  a: { comand: [x] }\n");
    write("AGENTS.md", "x".repeat(40_000));
    writeFileSync(join(home.folder, "tools/torn.yaml"), "name: [\n");
    await aos("trust", "--yes");

    const listed = await aos("tool", "ls", "-o", "json");
    const ran = await aos("run", join(REPOSITORY, "examples/hello"), "hi");
    const examined = await aos("doctor");
    const log = readFileSync(join(home.folder, "daemon.log"), "utf8");

    for (const name of ["tools/typo.yaml", "tools/syntax.ts", "mcp.yaml", "AGENTS.md"])
      rmSync(join(folder, name === "AGENTS.md" ? name : `.agents/${name}`));
    rmSync(join(home.folder, "tools/torn.yaml"));
    await aos("trust", "--yes");
    expect(listed.json()).toBeInstanceOf(Array);
    const places = [
      /\.agents\/tools\/typo\.yaml:\d+: .*descripton/,
      /\.agents\/tools\/syntax\.ts:2: /,
      /\.agents\/tools\/broken\.ts:1: Cannot find package/,
      /tools\/torn\.yaml:\d+: /,
      /\.agents\/mcp\.yaml:2: servers\.a\.comand: unknown field/,
    ];
    for (const said of [listed.stderr, ran.stderr, examined.stdout, log])
      for (const place of places) expect(said).toMatch(place);
    expect(ran.stderr).toMatch(/AGENTS\.md of .* was not read: AGENTS\.md has 40000 bytes/);
    expect(examined.code).not.toBe(0);
  });

  test("has a project's tools in that project only", async () => {
    const tools = (await home.aosWith({ cwd: tmpdir() }, "tool", "ls", "-o", "json")).json();
    const names = (tools as ToolReport[]).map(({ name }) => name);

    expect(names).toContain("home.count");
    expect(names).not.toContain("city.size");
  });

  test("finds tools by name, by tag and by what is meant", async () => {
    const first = async (...words: string[]) =>
      (await json<ToolReport[]>("tool", "ls", ...words))[0];

    expect(await first("city.size")).toMatchObject({
      name: "city.size",
      score: expect.any(Number),
    });
    expect((await first("geography"))?.name).toBe("city.size");
    const meant = await json<ToolReport[]>("tool", "ls", "inhabitants of Paris");
    expect(meant.map(({ name }) => name)).toContain("city.size");
    expect(meant[0]?.searchedBy).toBe("words and meaning");
  });
});

describe("aos tool show", () => {
  test("shows the arguments, the result and what a call needs", async () => {
    const tool = await json<ToolDetail>("tool", "show", "city.size");

    expect(tool).toMatchObject({
      name: "city.size",
      sandbox: "process",
      needs: ["tool:city.size:call"],
      input: { properties: { city: { type: "string" } }, required: ["city"] },
      output: { properties: { people: { type: "number" } } },
      lastFailure: null,
    });
    expect(tool.version).toMatch(/^1\+[0-9a-f]{12}$/);
    expect((await aos("tool", "show", "city.size")).stdout).toMatch(/runs in +the sandbox/);
  });

  test("names what is near to a tool that is not there, and what could not be loaded", async () => {
    const ran = await aos("tool", "show", "city.sise", "-o", "json");

    expect(ran.code).toBe(1);
    expect(ran.error()).toMatchObject({
      code: "ENOENT",
      message: "unknown tool city.sise",
      hint: expect.stringMatching(
        /did you mean city.size\?.*not loaded: \/.*\.agents\/tools\/broken.ts:1: .*no-such-package/,
      ),
    });
  });
});

describe("aos tool call", () => {
  test("prints the result, and the call is counted and journaled", async () => {
    const ran = await aos("tool", "call", "city.size", '{"city": "Bern"}');

    expect(ran.code).toBe(0);
    expect(ran.json()).toEqual({ people: 4 });
    const pid = /agt_\w+/.exec(ran.stderr)?.[0] ?? "";
    expect((await aos("logs", pid, "-o", "json")).stdout).toContain('"city.size"');
    expect(await json<ToolDetail>("tool", "show", "city.size")).toMatchObject({
      calls: 1,
      failures: 0,
      p50Ms: expect.any(Number),
    });
  });

  test("takes arguments from a file and from standard input", async () => {
    write("args.json", '{"city": "Paris"}');

    const file = await aos("tool", "call", "city.size", "@args.json");
    const piped = await home.aosWith(
      { cwd: folder, stdin: '{"city": "Oslo"}' },
      "tool",
      "call",
      "city.size",
      "-",
    );

    expect(file.json()).toEqual({ people: 5 });
    expect(piped.json()).toEqual({ people: 4 });
  });

  test("may touch what this call touches: the workspace is the folder that is given", async () => {
    const notes = ["tool", "call", "city.notes", '{"city": "Bern"}'];

    expect(await aos(...notes, "--dir", ".")).toMatchObject({ code: 0, stdout: "bears\n" });
    const narrowed = await aos(
      ...notes,
      "--dir",
      ".",
      "-c",
      "file:/work/Oslo.txt:read",
      "-o",
      "json",
    );
    expect(narrowed.code).toBe(96);
    expect(narrowed.stdout + narrowed.stderr).toMatch(/EACCES/);
  });

  test("leaves the folder alone with --cow", async () => {
    const args = '{"path": "/work/Bern.txt", "text": "none\\n"}';

    const ran = await aos("tool", "call", "file.write", args, "--dir", ".", "--cow");

    expect(ran.code).toBe(0);
    expect(readFileSync(join(folder, "Bern.txt"), "utf8")).toBe("bears\n");
  });

  test("calls programs that are declared as data", async () => {
    const args = '{"text": "a\\nb\\n"}';
    const ran = await json<Ending>("tool", "call", "text.count", args);
    const ofHome = await json<Ending>("tool", "call", "home.count", args);

    expect(ran.output).toMatchObject({ code: 0, stdout: "2\n" });
    expect(ofHome.output).toMatchObject({ code: 0, stdout: "2\n" });
  });

  test.each([
    [["city.size", "{city: Bern}"], 2, "EINVAL", /ARGS/],
    [["city.size", '{"town": "Bern"}'], 2, "EINVAL", /city.size: [^]*city/],
    [["city.sise", "{}"], 1, "ENOENT", /unknown tool city.sise/],
  ] as const)("%j is refused before anything starts", async (words, code, failure, why) => {
    const ran = await aos("tool", "call", ...words, "-o", "json");

    expect(ran.code).toBe(code);
    expect(ran.error()).toMatchObject({ code: failure, message: expect.stringMatching(why) });
  });

  test("a call over its time is stopped, and says so", async () => {
    const slow = CITIES.replace("({ people: city.length })", "new Promise<never>(() => {})");
    write(".agents/tools/slow.ts", slow.replaceAll('name: "city.', 'name: "slow.'));

    await aos("trust", "--yes");
    const ran = await aos("tool", "call", "slow.size", '{"city": "x"}', "-t", "300ms");

    rmSync(join(folder, ".agents/tools/slow.ts"));
    expect(ran.stderr).toMatch(/longer than 300 ms/);
    expect(ran.code).toBe(66);
  });

  test("a tool that is changed on disk is not there until it is trusted, and then it is the new one", async () => {
    write(".agents/tools/cities.ts", CITIES.replace("city.length", "city.length * 1000"));

    const stranger = await aos("tool", "call", "city.size", '{"city": "Bern"}');
    await aos("trust", "--yes");
    const ran = await aos("tool", "call", "city.size", '{"city": "Bern"}');

    expect(stranger.stderr).toMatch(/unknown tool city\.size[^]*not trusted: aos trust/);
    expect(ran.json()).toEqual({ people: 4000 });
  });
});
