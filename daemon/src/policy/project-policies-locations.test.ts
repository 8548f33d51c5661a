import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { homeOf } from "../home.ts";
import { operatorPolicyFiles, untrustedPolicies } from "./project-policies.ts";
import { readPolicyFile } from "./policy-text.ts";

const projectAt = (place: string) => untrustedPolicies.projectsOf([place])[0];

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "aos-places-")));
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (path: string) => {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), "version: 1\n");
};

test("POLICY-LOCATIONS-2: the nearest .agents with a policy counts, also through a link", () => {
  put("a/.agents/policy.yaml");
  put("a/b/.agents/agents/x.yaml");
  put("a/b/c/.agents/security.md");
  mkdirSync(join(folder, "a/b/c/d"));
  symlinkSync(join(folder, "a/b/c/d"), join(folder, "link"));

  expect(projectAt(join(folder, "a"))).toBe(join(folder, "a"));
  expect(projectAt(join(folder, "a/b"))).toBe(join(folder, "a"));
  expect(projectAt(join(folder, "a/b/c/d"))).toBe(join(folder, "a/b/c"));
  expect(projectAt(join(folder, "link"))).toBe(join(folder, "a/b/c"));
  expect(projectAt(join(folder, "a/.agents/agents"))).toBe(join(folder, "a"));
  expect(untrustedPolicies.placesOf(join(folder, "a/b/c"))).toEqual([
    {
      layer: `project:${folder}/a/b/c#security`,
      file: join(folder, "a/b/c/.agents/security.md"),
    },
  ]);
});

test("what is no file is there, and broken: it does not count as absent", () => {
  mkdirSync(join(folder, ".agents/policy.yaml"), { recursive: true });

  expect(projectAt(folder)).toBe(folder);
  expect(readPolicyFile(join(folder, ".agents/policy.yaml"), "x")?.broken).toMatchObject([
    { message: "is not a file" },
  ]);
});

test("POLICY-LOCATIONS-1: the operator's layers are found in order, without the tests beside them", () => {
  put("policy.d/b.yaml");
  put("policy.d/a.yml");
  put("policy.d/a.test.yaml");
  put("policy.d/README");

  const places = operatorPolicyFiles(homeOf({ AOS_HOME: folder }), ["more.yaml"]);

  expect(places.map(({ layer }) => layer)).toEqual([
    "organisation",
    "organisation:a",
    "organisation:b",
    `organisation:${folder}/more.yaml`,
  ]);
});
