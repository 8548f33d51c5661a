// `aos ctx ingest`, `ask`, `ls` and `rm`, typed.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CollectionReport, ContextAnswer } from "@aos/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestProject, type TestProject } from "../project.ts";

let project: TestProject;
let docs: string;
beforeAll(() => {
  project = createTestProject();
  docs = join(project.folder, "handbook");
  mkdirSync(docs);
  writeFileSync(join(docs, "gateway.md"), "# Gateway\n\n## Port\n\nIt listens on port 8080.\n");
  writeFileSync(join(docs, "ferry.md"), "# Ferry\n\nThe ferry leaves at nine.\n");
  writeFileSync(join(docs, ".env"), "KEY=1\n");
});
afterAll(() => project.remove());

const ingested = async (...more: string[]) =>
  (
    (await project.aos("ctx", "ingest", docs, ...more, "-o", "json")).json() as {
      collections: object[];
    }
  ).collections[0];

test("a folder is ingested, asked, brought up to date and forgotten", async () => {
  const nothing = await project.aos("ctx", "ls", "-o", "json");
  expect(nothing.json()).toEqual([]);
  expect(await ingested("--dry-run")).toMatchObject({ added: 2, dryRun: true });
  expect(await ingested()).toMatchObject({
    name: "handbook",
    added: 2,
    skipped: [{ file: ".env", reason: "secret-like" }],
  });

  const [text, json, listed, files] = await Promise.all([
    project.aos("ctx", "ask", "which port does the gateway listen on", "--in", "handbook"),
    project.aos("ctx", "ask", "when does the ferry leave", "--tokens", "200", "-o", "json"),
    project.aos("ctx", "ls", "-o", "json"),
    project.aos("ctx", "ls", "handbook"),
  ]);

  expect(text.stdout).toMatch(/^\[1\] gateway\.md:3-5 {2}\(Gateway › Port; .*untrusted\/public/);
  expect(text.stdout).toContain("It listens on port 8080.");
  const answer = json.json() as ContextAnswer;
  expect(answer.passages[0]).toMatchObject({ file: "ferry.md", label: "untrusted/public" });
  expect(answer.tokens).toBeLessThanOrEqual(200);
  expect(listed.json() as CollectionReport[]).toMatchObject([
    { name: "handbook", path: "/mem/shared/handbook", files: 2, label: "untrusted/public" },
  ]);
  expect(files.stdout).toContain("gateway.md");

  rmSync(join(docs, "ferry.md"));
  writeFileSync(join(docs, "gateway.md"), "# Gateway\n\n## Port\n\nIt listens on port 9090.\n");
  expect(await ingested()).toMatchObject({ added: 0, changed: 1, removed: 1, unchanged: 0 });
  const changed = await project.aos("ctx", "ask", "which port does the gateway listen on");
  expect(changed.stdout).toContain("9090");
  expect(changed.stdout).not.toContain("8080");

  expect(await ingested("--trusted")).toMatchObject({ changed: 1 });
  const trusted = (await project.aos("ctx", "ls", "-o", "json")).json() as CollectionReport[];
  expect(trusted).toMatchObject([{ label: "trusted/public" }]);
  expect((await project.aos("ctx", "rm", "handbook")).stdout).toBe("1 file is forgotten.\n");
  const gone = await project.aos("ctx", "ask", "which port", "--in", "handbook");
  expect(gone.stderr).toContain("there is no collection handbook");
});

test("what cannot be ingested or asked says so", async () => {
  const [missing, several, size] = await Promise.all([
    project.aos("ctx", "ingest", join(project.folder, "none")),
    project.aos("ctx", "ingest", docs, project.folder, "--name", "x"),
    project.aos("ctx", "ingest", docs, "--max-size", "99"),
  ]);

  expect(missing.stderr).toContain("there is no file or folder");
  expect(several.stderr).toContain("--name is for one folder");
  expect(size.stderr).toContain("--max-size must be between 1 and 12");
});
