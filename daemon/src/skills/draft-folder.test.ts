import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DraftFolder } from "./draft-folder.ts";

let home: string;
let drafts: DraftFolder;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "aos-drafts-"));
  drafts = new DraftFolder(join(home, "drafts"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const text = (name: string, body = "Do it.") =>
  `---\nname: ${name}\ndescription: Does it.\n---\n${body}\n`;
const skills = (): string => join(home, "skills");

test("DRAFT-FOLDER-1: an approved draft is a folder of skills, and a draft no more", async () => {
  const draft = await drafts.put("deploy", text("deploy"));

  const to = await drafts.approve(draft, skills());

  expect(readFileSync(join(to, "SKILL.md"), "utf8")).toBe(text("deploy"));
  expect(await drafts.all()).toEqual([]);
  expect(readdirSync(join(home, "drafts"))).toEqual([]);
});

test("a draft can be edited; its digest follows the text", async () => {
  const { digest, folder } = await drafts.put("deploy", text("deploy"));
  writeFileSync(join(folder, "SKILL.md"), text("deploy", "Do it twice."));

  const edited = await drafts.one("deploy");

  expect(edited.digest).not.toBe(digest);
  expect(edited.skill?.body).toBe("Do it twice.\n");
});

test("DRAFT-FOLDER-1: what is no skill is not approved", async () => {
  const draft = await drafts.put("deploy", text("other"));

  await expect(drafts.approve(draft, skills())).rejects.toMatchObject({ code: "EINVAL" });
  expect(await drafts.all()).toHaveLength(1);
});

test("DRAFT-FOLDER-2: neither a skill nor another draft is replaced", async () => {
  const draft = await drafts.put("deploy", text("deploy"));
  mkdirSync(join(skills(), "deploy"), { recursive: true });
  writeFileSync(join(skills(), "deploy", "SKILL.md"), "mine");

  await expect(drafts.put("deploy", text("deploy"))).rejects.toMatchObject({ code: "EEXIST" });
  await expect(drafts.approve(draft, skills())).rejects.toMatchObject({ code: "EEXIST" });
  expect(readFileSync(join(skills(), "deploy", "SKILL.md"), "utf8")).toBe("mine");
  expect(readdirSync(join(home, "drafts"))).toEqual(["deploy"]);
});

test("a rejected draft is gone", async () => {
  await drafts.reject(await drafts.put("deploy", text("deploy")));

  expect(readdirSync(join(home, "drafts"))).toEqual([]);
  await expect(drafts.one("deploy")).rejects.toMatchObject({ code: "ENOENT" });
});

test.each(["../skills", ".hidden", "A", "a b", "", "a".repeat(65)])(
  "%j is no name of a draft",
  async (name) => {
    await expect(drafts.put(name, text(name))).rejects.toMatchObject({ code: "EINVAL" });
    await expect(drafts.one(name)).rejects.toMatchObject({ code: "ENOENT" });
  },
);
