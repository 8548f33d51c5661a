import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TrustLookup } from "@aos/protocol";
import { inspectSkill, skillLimits } from "./skill-folder.ts";
import { createSkillRegistry, SYSTEM_SKILLS, type SkillRegistry } from "./skill-registry.ts";

let top: string;
let project: string;
let user: string;
let system: string;
let skills: SkillRegistry;
let trusted: TrustLookup;

const trustAnyFolder: TrustLookup = (folder) => ({
  folder,
  digest: "",
  copy: folder,
  files: new Map(),
});

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "aos-skills-")));
  project = join(top, "project");
  user = join(top, "home", "skills");
  system = join(top, "system");
  skills = createSkillRegistry({
    user,
    system,
    trusted: (place, tenant) => trusted(place, tenant),
    trustsText: () => true,
  });
  trusted = trustAnyFolder;
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const scope = () => ({ tenant: "t", folders: [project] });
const ofProject = () => join(project, ".agents", "skills");

function put(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function putSkill(place: string, name: string, description = "It does.", more = ""): string {
  const folder = join(place, name);
  put(
    join(folder, "SKILL.md"),
    `---\nname: ${name}\ndescription: ${description}\n${more}---\nSteps of ${description}`,
  );
  return folder;
}

test("SKILL-REGISTRY-1: of two with one name the nearer counts", async () => {
  putSkill(ofProject(), "both", "of the project");
  putSkill(user, "both", "of the user");
  putSkill(user, "mine", "of the user");
  putSkill(system, "mine", "of the system");
  putSkill(system, "last", "of the system");

  const found = (await skills.all(scope())).map(({ name, source }) => [name, source]);
  const { text } = (await skills.read(scope(), "both", "SKILL.md"))!;

  expect(found).toEqual([
    ["both", "project"],
    ["mine", "user"],
    ["last", "system"],
  ]);
  expect(text).toContain("Steps of of the project");
  expect((await skills.cards({ tenant: "t", folders: [] }))[0]).toMatchObject({
    name: "both",
    description: "of the user",
  });
});

test("SKILL-REGISTRY-1: one with problems is offered to nobody, and hides what is farther", async () => {
  putSkill(ofProject(), "bad", "d", "version: 1\n");
  putSkill(user, "bad", "of the user");

  expect(await skills.cards(scope())).toEqual([]);
  expect(await skills.read(scope(), "bad", "SKILL.md")).toBeUndefined();
  expect(await skills.files(scope(), "bad")).toBeUndefined();
  expect((await skills.all(scope()))[0]?.problems[0]).toContain("version: unknown field");
});

test("an agent of a project has that project's skills", async () => {
  putSkill(ofProject(), "one");

  const cards = await skills.cards({
    tenant: "t",
    folders: [join(project, ".agents", "agents")],
  });

  expect(cards.map(({ name }) => name)).toEqual(["one"]);
});

test("files are listed with SKILL.md first, and read by their path", async () => {
  const folder = putSkill(ofProject(), "one", "d", "allowed-tools: file.read git.*\n");
  put(join(folder, "scripts", "x.py"), "print(1)");
  put(join(folder, "A.md"), "a");

  expect(await skills.files(scope(), "one")).toEqual(["SKILL.md", "A.md", "scripts/x.py"]);
  expect(await skills.read(scope(), "one", "scripts/x.py")).toEqual({
    text: "print(1)",
    places: [join(folder, "scripts/x.py")],
  });
  expect((await skills.read(scope(), "one", "SKILL.md"))?.allowedTools).toEqual([
    "file.read",
    "git.*",
  ]);
  expect(await skills.read(scope(), "one", "gone.md")).toBeUndefined();
  expect(await skills.read(scope(), "other", "SKILL.md")).toBeUndefined();
});

describe("SKILL-FOLDER-1: nothing outside the folder is read", () => {
  const read = (path: string) => skills.read(scope(), "one", path);
  let folder: string;
  beforeEach(() => {
    folder = putSkill(ofProject(), "one");
    put(join(top, "secret"), "the secret");
  });

  test("a path that leads out is refused", async () => {
    await expect(read("../../../../secret")).rejects.toMatchObject({ code: "EACCES" });
  });

  test("by a link to a file: the skill is not offered at all", async () => {
    symlinkSync(join(top, "secret"), join(folder, "notes.md"));

    expect((await skills.all(scope()))[0]?.problems).toEqual(["notes.md leads out of the skill"]);
    expect(await read("notes.md")).toBeUndefined();
  });

  test("by a link that is put there after it was looked at", async () => {
    const { readSkillFile } = await import("./skill-folder.ts");
    symlinkSync(join(top, "secret"), join(folder, "notes.md"));
    symlinkSync(top, join(folder, "deep"));

    await expect(readSkillFile(folder, "notes.md")).rejects.toMatchObject({ code: "EACCES" });
    await expect(readSkillFile(folder, "deep/secret")).rejects.toMatchObject({ code: "EACCES" });
  });

  test("by a second name of a file", async () => {
    linkSync(join(top, "secret"), join(folder, "notes.md"));

    await expect(read("notes.md")).rejects.toMatchObject({
      message: expect.not.stringContaining(top),
    });
  });

  test("by a folder that is a link, of the skill or of all", async () => {
    const elsewhere = putSkill(join(top, "elsewhere"), "linked");
    symlinkSync(elsewhere, join(ofProject(), "linked"));
    const other = join(top, "other");
    mkdirSync(join(other, ".agents"), { recursive: true });
    symlinkSync(ofProject(), join(other, ".agents", "skills"));

    const linked = (await skills.all(scope())).find(({ name }) => name === "linked");
    const others = await skills.all({ tenant: "t", folders: [other] });

    expect(linked?.problems).toContain("it is a link, or not a folder");
    expect(others).toEqual([]);
  });

  test("a link that stays inside is none of these", async () => {
    put(join(folder, "a.md"), "a");
    symlinkSync("a.md", join(folder, "b.md"));

    expect((await read("b.md"))?.text).toBe("a");
  });
});

describe("SKILL-FOLDER-2: a skill is small, and text", () => {
  const problemsOf = async () => (await inspectSkill(ofProject(), "one")).problems.join("\n");

  test("a SKILL.md that is too long", async () => {
    const folder = putSkill(ofProject(), "one");
    put(join(folder, "SKILL.md"), "x".repeat(skillLimits.entryBytes + 1));

    expect(await problemsOf()).toContain(`the limit is ${skillLimits.entryBytes}`);
  });

  test("a skill with too many files is refused", async () => {
    const folder = putSkill(ofProject(), "one");
    for (let n = 0; n < skillLimits.files; n++) put(join(folder, `${n}.md`), "");

    expect(await problemsOf()).toContain(`more than ${skillLimits.files} files`);
  });

  test("a skill with too many folders is refused", async () => {
    const folder = putSkill(ofProject(), "one");
    for (let n = 0; n < skillLimits.files; n++) mkdirSync(join(folder, `${n}`));

    expect(await problemsOf()).toContain(`more than ${skillLimits.files} files and folders`);
  });

  test("so one that is too large or too deep is refused", async () => {
    const folder = putSkill(ofProject(), "one");
    put(join(folder, "large"), new Uint8Array(skillLimits.allBytes + 1));
    put(join(folder, "a/b/c/d/e/f/g.md"), "");

    expect(await problemsOf()).toContain(`the limit is ${skillLimits.allBytes}`);
    expect(await problemsOf()).toContain("a/b/c/d/e/f is too deep");
  });

  test("what is no text, or a large file, is listed and not read", async () => {
    const folder = putSkill(ofProject(), "one");
    put(join(folder, "logo.png"), new Uint8Array([0xff, 0xfe, 0x00]));
    put(join(folder, "large.md"), "x".repeat(skillLimits.fileBytes + 1));

    expect(await skills.files(scope(), "one")).toContain("logo.png");
    await expect(skills.read(scope(), "one", "logo.png")).rejects.toThrow("is not text");
    await expect(skills.read(scope(), "one", "large.md")).rejects.toThrow("bytes; the limit is");
  });

  test("a folder without a SKILL.md is no skill", async () => {
    put(join(ofProject(), "one", "README.md"), "x");

    expect(await problemsOf()).toContain("SKILL.md: SKILL.md does not exist");
  });
});

test("a place that cannot be read is said, not passed over", async () => {
  mkdirSync(join(project, ".agents"), { recursive: true });
  symlinkSync("skills", ofProject());

  await expect(skills.cards(scope())).rejects.toMatchObject({
    code: "EUPSTREAM",
    message: "the skills of the project cannot be read: ELOOP",
  });
});

test("the skills that come with the system have no problems", async () => {
  const shipped = await createSkillRegistry({
    user,
    system: SYSTEM_SKILLS,
    trusted: trustAnyFolder,
    trustsText: () => true,
  }).all({
    tenant: "t",
    folders: [],
  });

  expect(shipped.map(({ name, problems }) => [name, problems])).toEqual([
    ["review-change", []],
    ["write-skill", []],
  ]);
});

test("SKILL-REGISTRY-2: skills of a folder that is not trusted are offered to nobody, and hide no other", async () => {
  putSkill(ofProject(), "mine", "A stranger's.");
  putSkill(ofProject(), "shared", "A stranger's.");
  putSkill(user, "shared", "The user's.");
  trusted = () => undefined;

  const cards = await skills.cards(scope());
  const all = await skills.all(scope());

  expect(cards.map(({ description }) => description)).toEqual(["The user's."]);
  expect(await skills.read(scope(), "mine", "SKILL.md")).toBeUndefined();
  expect(all.find(({ name }) => name === "mine")!.problems).toEqual([
    `${project} is not trusted: aos trust ${project}`,
  ]);
});
