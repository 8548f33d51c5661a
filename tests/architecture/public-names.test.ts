// What people read and copy names the package and its four doors, never a room of the repository.

import { expect, test } from "vitest";
import { readLines, sourceFiles, type SourceFile } from "./source-files.ts";

const FOR_PEOPLE = /^(README\.md|docs\/|examples\/|cli\/templates\/)/;
const ROOM = /@aos\/\w+/;
/** An import of the package by a door that it does not have. */
const OTHER_DOOR = /["']agent-os\/(?!(client|sdk|protocol|package\.json)["'])/;

const trespasses = (files: readonly SourceFile[]): string[] =>
  files
    .filter(({ path }) => FOR_PEOPLE.test(path))
    .flatMap(({ path, lines }) =>
      lines.flatMap((text, index) =>
        ROOM.test(text) || OTHER_DOOR.test(text) ? [`${path}:${index + 1}: ${text.trim()}`] : [],
      ),
    );

test("documents, examples and templates import agent-os, its client, sdk and protocol, and no room", () => {
  expect(trespasses(sourceFiles())).toEqual([]);
});

test("a room's name and an unknown door are found", () => {
  const files = [
    readLines("docs/a.md", 'import { createKernel } from "@aos/daemon";'),
    readLines("examples/a/agent.ts", 'import { x } from "agent-os/kernel";'),
    readLines("docs/b.md", 'import { createClient } from "agent-os/client";'),
    readLines("kernel/src/a.ts", 'import { x } from "@aos/protocol";'),
  ];

  expect(trespasses(files).map((line) => line.split(":")[0])).toEqual([
    "docs/a.md",
    "examples/a/agent.ts",
  ]);
});
