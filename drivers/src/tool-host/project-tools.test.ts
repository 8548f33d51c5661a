import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { SysError, type Tool, type ToolScope } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import type { ProgramRunner } from "../tools/program-runner.ts";
import { projectForTest, trustedForTest } from "../../../tests/helpers/drivers/tool-project.ts";
import { createProjectTools, type ProjectToolsOptions } from "./project-tools.ts";

/** A machine without a sandbox: what needs one is not there. */
const runner = {
  sandbox: () => Promise.reject(new SysError("EACCES", "this machine has no sandbox")),
  private: [],
} as unknown as ProgramRunner;

const program = (name: string): string => `
name: ${name}
description: Count lines.
program: wc
input: { type: object, properties: {} }
argv: ["-l"]
`;

const builtIn = { name: "file.read" } as Tool;

function providerWith(more: Partial<ProjectToolsOptions> = {}) {
  const flaws: string[] = [];
  const provider = createProjectTools({
    runner,
    tools: [builtIn],
    trusted: trustedForTest,
    onFlaw: (flaw) => flaws.push(flaw),
    ...more,
  });
  const tools = async (...folders: string[]) => {
    const scope: ToolScope = { tenant: "default", folders };
    await provider.prepare(scope);
    return provider.tools(scope);
  };
  return { provider, flaws, tools };
}

const names = (tools: readonly Tool[]) => tools.map(({ name }) => name);

describe("the provider", () => {
  test("has what the project of a folder has, and nothing where there is none", async () => {
    const { folder } = projectForTest({ "a.yaml": program("a.lines") });
    mkdirSync(join(folder, "src"));
    const { tools } = providerWith();

    expect(names(await tools(join(folder, "src")))).toEqual(["a.lines"]);
    expect(await tools()).toEqual([]);
    expect(await tools(join(folder, ".."))).toEqual([]);
  });

  test("has the programs of the home for everyone", async () => {
    const home = projectForTest({ "h.yaml": program("h.lines"), "bad.yaml": "name: 7" });
    const homeFolder = join(home.folder, ".agents", "tools");
    const { tools, flaws } = providerWith({ homeFolder });

    const [tool] = await tools();

    expect(tool).toMatchObject({ name: "h.lines", source: "program" });
    expect(flaws).toEqual([expect.stringContaining("bad.yaml:1: ")]);
    expect(await providerWith({ homeFolder: join(homeFolder, "none") }).tools()).toEqual([]);
  });

  test("sees a change with the next who asks", async () => {
    const { folder, write } = projectForTest({ "a.yaml": program("a.lines") });
    const { tools } = providerWith();
    await tools(folder);

    write("b.yaml", program("b.lines"));

    expect(names(await tools(folder))).toEqual(["a.lines", "b.lines"]);
  });

  test("PROJECT-TOOLS-2: nothing of a project that is not trusted is there, and it is said once how to trust it", async () => {
    const { folder } = projectForTest({ "a.yaml": program("a.lines"), "b.ts": "" });
    let isTrusted = false;
    const { tools, flaws } = providerWith({
      trusted: (one, tenant) => (isTrusted ? trustedForTest(one, tenant) : undefined),
    });

    expect(await tools(folder)).toEqual([]);
    expect(flaws).toEqual([`the tools of ${folder} are not trusted: aos trust ${folder}`]);

    isTrusted = true;
    expect(names(await tools(folder))).toEqual(["a.lines"]);
    isTrusted = false;
    expect(await tools(folder)).toEqual([]);
  });

  test("PROJECT-TOOLS-3: takes the words of a project that the agent is not from for anybody's", async () => {
    const own = projectForTest({ "a.yaml": program("a.lines") });
    const other = projectForTest({ "b.yaml": program("b.lines") });
    const { tools } = providerWith();

    const [ofOwn, ofOther] = await tools(own.folder, other.folder);
    const [again] = await tools(own.folder, own.folder);

    expect(ofOwn).not.toHaveProperty("descriptionLabel");
    expect(ofOther).toMatchObject({
      name: "b.lines",
      descriptionLabel: { integrity: "untrusted", secrecy: "public" },
    });
    expect(again).not.toHaveProperty("descriptionLabel");
  });

  test("PROJECT-TOOLS-4: leaves out what cannot be got ready, says so once, and keeps the rest", async () => {
    const { folder } = projectForTest({ "a.yaml": program("a.lines"), "b.ts": "" });
    const { tools, flaws, provider } = providerWith();

    expect(names(await tools(folder))).toEqual(["a.lines"]);
    await tools(folder);

    const why = `${join(folder, ".agents/tools")}: this machine has no sandbox`;
    expect(flaws).toEqual([why]);
    expect(provider.flaws({ tenant: "default", folders: [folder] })).toEqual([{ message: why }]);
  });

  test("PROJECT-TOOLS-4: a project whose files cannot be looked at is left out", async () => {
    const { folder, write } = projectForTest();
    for (let i = 0; i <= 500; i++) write(`f${i}.ts`, "");
    const { tools, flaws } = providerWith();

    expect(await tools(folder)).toEqual([]);
    expect(flaws).toEqual([expect.stringContaining("more than 500 files")]);
  });

  test("rules may speak of the tools that somebody has, and of no others", async () => {
    const { folder } = projectForTest({ "a.yaml": program("a.lines") });
    const { provider, tools } = providerWith();

    expect(provider.mayComeToBe("a.lines")).toBe(false);
    await tools(folder);
    expect(provider.mayComeToBe("a.lines")).toBe(true);
    expect(provider.mayComeToBe("a.lnies")).toBe(false);
  });
});
