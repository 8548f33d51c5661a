// What a process sees below /skills.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json, Sys, Tool } from "@aos/protocol";
import { expect, onTestFinished, test } from "vitest";
import { createSkillRegistry, trustAnyFolder } from "@aos/daemon/parts";
import { bootForTest, codeOf, manifest } from "../../helpers/kernel.ts";
import { allowBut } from "../../helpers/policy.ts";
import { providerOf } from "./skill-provider.ts";

const long = "0123456789".repeat(100);
const skills = providerOf({
  one: { description: "The first.", files: { "scripts/x.py": "print(1)", "long.md": long } },
  "one-more": {},
  other: {},
});

async function run(
  work: (sys: Sys) => Promise<Json>,
  names: string[] | undefined,
  provider = skills,
) {
  const { kernel } = await bootForTest({ programs: { work }, skills: provider });
  const given = manifest("work", names === undefined ? {} : { skills: names });
  const pid = await kernel.spawn({ manifest: given });
  return (await kernel.wait(pid)).output;
}

test("the skills that the manifest names are there, without any capability", async () => {
  const output = await run(
    async (sys) => [
      await sys.list("/skills"),
      await sys.list("/skills/one"),
      await sys.list("/skills/one/scripts"),
      await sys.read("/skills/one/SKILL.md"),
      await sys.read("/skills/one/scripts/x.py"),
      await sys.read("/self/skills"),
    ],
    ["one"],
  );

  expect(output).toEqual([
    ["/skills/one/SKILL.md"],
    ["/skills/one/SKILL.md", "/skills/one/scripts/x.py", "/skills/one/long.md"],
    ["/skills/one/scripts/x.py"],
    "Steps of one.",
    "print(1)",
    [{ name: "one", description: "The first." }],
  ]);
});

test("SKILLS-1: others, and what is not there, cannot be told apart", async () => {
  const refused = (paths: string[]) => async (sys: Sys) => {
    const codes: string[] = [];
    for (const path of paths) codes.push(await codeOf(sys.read(path)));
    return [codes, await sys.list("/skills"), await codeOf(sys.list("/skills/other"))];
  };
  const paths = ["other/SKILL.md", "none/SKILL.md", "one/none.md", "one"].map(
    (p) => `/skills/${p}`,
  );

  expect(await run(refused(paths), ["one"])).toEqual([
    ["ENOENT", "ENOENT", "ENOENT", "ENOENT"],
    ["/skills/one/SKILL.md"],
    "ENOENT",
  ]);
  expect(await run(refused(["/skills/one/SKILL.md"]), undefined)).toEqual([
    ["ENOENT"],
    [],
    "ENOENT",
  ]);
});

test("a name with * stands for those that begin so", async () => {
  const listed = async (sys: Sys) => sys.list("/skills");

  expect(await run(listed, ["one*"])).toEqual([
    "/skills/one/SKILL.md",
    "/skills/one-more/SKILL.md",
  ]);
  expect(await run(listed, ["*"])).toHaveLength(3);
});

test("a long file is read in pieces; a short one whole", async () => {
  const output = await run(
    async (sys) => [
      await sys.read("/skills/one/long.md", { length: 400 }),
      await sys.read("/skills/one/long.md", { offset: 995, length: 400 }),
      await sys.read("/skills/one/long.md", { length: 1000 }),
    ],
    ["one"],
  );

  expect(output).toEqual([
    { text: long.slice(0, 400), next: 400, of: 1000 },
    { text: long.slice(995), next: null, of: 1000 },
    long,
  ]);
});

test("nothing can be written, removed or searched there, and a path is a plain one", async () => {
  const output = await run(
    async (sys) => [
      await codeOf(sys.write("/skills/one/SKILL.md", "x")),
      await codeOf(sys.remove("/skills/one/SKILL.md")),
      await codeOf(sys.search("/skills", "x")),
      await codeOf(sys.read("/skills/one/../other/SKILL.md")),
    ],
    ["one"],
  );

  expect(output).toEqual(["EACCES", "EACCES", "EACCES", "EINVAL"]);
});

test("SKILLS-2: skills are trusted, but for what a process wrote there that had read the untrusted", async () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "aos-skill-label-")));
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 20 }));
  const put = (name: string) => {
    const folder = join(top, ".agents", "skills", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "SKILL.md"), `---\nname: ${name}\ndescription: d\n---\nbody`);
    return join(folder, "SKILL.md");
  };
  put("mine");
  const forged = put("forged");
  const web: Tool = tool("web", [], { integrity: "untrusted", secrecy: "public" });
  const writer: Tool = {
    ...tool("write", [{ kind: "file", resource: forged, verb: "write" }]),
    effect: "idempotent",
  };
  const forge = async (sys: Sys): Promise<Json> => {
    await sys.exec("web", {});
    return sys.exec("write", {});
  };
  const read = (name: string) => async (sys: Sys) => sys.read(`/skills/${name}/SKILL.md`);
  const seen = async (sys: Sys) => sys.read("/self/skills");
  const { kernel } = await bootForTest({
    programs: { forge, mine: read("mine"), forged: read("forged"), seen },
    tools: [web, writer],
    skills: createSkillRegistry({
      user: join(top, "none"),
      system: join(top, "none"),
      trusted: trustAnyFolder,
      trustsText: () => true,
    }),
    policy: allowBut(), // the one that ships asks a person before .agents is changed
  });
  const capabilities = ["tool:web:call", "tool:write:call", `file:${top}/**:write`];
  const labelOf = async (program: string) => {
    const given = manifest(program, { skills: ["*"], capabilities });
    const pid = await kernel.spawn({ manifest: given, folder: top });
    expect(await kernel.wait(pid)).toMatchObject({ state: "completed" });
    return (await kernel.show(pid)).labels.integrity;
  };

  expect(await labelOf("forged")).toBe("trusted");
  expect(await labelOf("seen")).toBe("trusted");
  expect(await labelOf("forge")).toBe("untrusted");
  expect(await labelOf("forged")).toBe("untrusted");
  expect(await labelOf("seen")).toBe("untrusted"); // its description is in there
  expect(await labelOf("mine")).toBe("trusted");
});

const TRUSTED: Tool["label"] = { integrity: "trusted", secrecy: "public" };

const tool = (name: string, touches: ReturnType<Tool["touches"]>, label = TRUSTED): Tool => ({
  name,
  version: "1",
  description: "",
  input: {},
  effect: "read",
  label: label!,
  touches: () => touches,
  run: async () => "done",
});
