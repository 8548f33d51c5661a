import { describe, expect, test } from "vitest";
import { readSkillText } from "./skill-text.ts";

const text = (front: string, body = "Do it.\n") => `---\n${front}\n---\n${body}`;
const problems = (front: string, folder = "a-skill") => readSkillText(text(front), folder).problems;

const GOOD = "name: a-skill\ndescription: Does it. Use when it must be done.";

test("all that the specification has is read", () => {
  const front = `${GOOD}
license: Apache-2.0
compatibility: Needs git
metadata:
  author: somebody
  version: "1.0"
allowed-tools: file.read   git.*`;

  expect(readSkillText(text(front, "\n# Steps\n"), "a-skill")).toEqual({
    problems: [],
    skill: {
      name: "a-skill",
      description: "Does it. Use when it must be done.",
      license: "Apache-2.0",
      compatibility: "Needs git",
      metadata: { author: "somebody", version: "1.0" },
      allowedTools: ["file.read", "git.*"],
      body: "# Steps\n",
    },
  });
});

test("what is not said is not there; no tools is not all tools", () => {
  const { skill } = readSkillText(text(GOOD), "a-skill");
  const none = readSkillText(text(`${GOOD}\nallowed-tools: ""`), "a-skill");

  expect(skill).toEqual({
    name: "a-skill",
    description: "Does it. Use when it must be done.",
    body: "Do it.\n",
  });
  expect(none.skill?.allowedTools).toEqual([]);
});

test("lines may end as on Windows, and there may be no body", () => {
  expect(readSkillText(text(GOOD).replaceAll("\n", "\r\n"), "a-skill").problems).toEqual([]);
  expect(readSkillText(`---\n${GOOD}\n---`, "a-skill").skill?.body).toBe("");
});

describe("SKILL-TEXT-1: a problem says the line and the field", () => {
  test.each([
    ["name: A-Skill\ndescription: d", "SKILL.md:2: name: only a-z"],
    ["name: a--skill\ndescription: d", "SKILL.md:2: name: only a-z"],
    ["name: -a\ndescription: d", "SKILL.md:2: name: only a-z"],
    ["name: a-\ndescription: d", "SKILL.md:2: name: only a-z"],
    [`name: ${"a".repeat(65)}\ndescription: d`, "SKILL.md:2: name: at most 64"],
    ["name: another\ndescription: d", "SKILL.md:2: name: must be the name of its folder, a-skill"],
    ["name: a-skill", "description: is missing"],
    ["description: d", "name: is missing"],
    ["name: a-skill\ndescription: ''", "SKILL.md:3: description: says nothing"],
    ["name: a-skill\ndescription: '  '", "SKILL.md:3: description: says nothing"],
    [`name: a-skill\ndescription: ${"d".repeat(1025)}`, "description: at most 1024"],
    [`${GOOD}\ncompatibility: ${"d".repeat(501)}`, "SKILL.md:4: compatibility: at most 500"],
    [`${GOOD}\ncompatibility: ''`, "compatibility: says nothing"],
    [`${GOOD}\nmetadata:\n  version: 1.0`, "SKILL.md:5: metadata.version: must be a text"],
    [`${GOOD}\nmetadata: [a]`, "metadata"],
    [`${GOOD}\nallowed-tools: [file.read]`, "allowed-tools: must be a text"],
    [`${GOOD}\nallowed-tools:`, "allowed-tools: must be a text"],
    [`${GOOD}\nallowed_tools: x`, "SKILL.md:4: allowed_tools: unknown field; did you mean"],
    [`${GOOD}\nversion: 1`, "SKILL.md:4: version: unknown field"],
    [`${GOOD}\nname: a-skill`, "SKILL.md:4: "],
    ["- a", "SKILL.md:"],
    ["name: [", "SKILL.md:"],
  ])("%s", (front, problem) => {
    expect(problems(front).join("\n")).toContain(problem);
    expect(readSkillText(text(front), "a-skill").skill).toBeUndefined();
  });

  test.each(["# No front matter\n", "", "---\nname: a-skill\n", " ---\n---\n"])("%j", (whole) => {
    expect(readSkillText(whole, "a-skill").problems[0]).toContain("front matter");
  });

  test("64, 1024 and 500 characters are not too many", () => {
    const name = "a".repeat(64);
    const front = `name: ${name}\ndescription: ${"d".repeat(1024)}\ncompatibility: ${"c".repeat(500)}`;

    expect(problems(front, name)).toEqual([]);
  });
});
