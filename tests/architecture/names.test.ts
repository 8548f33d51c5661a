// The words of the code are those of docs/glossary.md, and a name means one thing.

import { describe, expect, test } from "vitest";
import { repeatedNames } from "./import-map.ts";
import {
  avoidedWords,
  exportedNames,
  idleRepeated,
  newlyRepeated,
  readGlossary,
  repeated,
  unknownWords,
} from "./names.ts";
import { readLines, sourceFiles } from "./source-files.ts";

const files = sourceFiles();
const glossary = readGlossary(files.find(({ path }) => path === "docs/glossary.md")!);

describe("the house", () => {
  test("NAMES-1: an exported name is declared in one file, but for fewer than 40", () => {
    expect(exportedNames(files).length).toBeGreaterThan(3_000);
    expect(newlyRepeated(files)).toEqual([]);
    expect(Object.keys(repeatedNames).length).toBeLessThan(40);
  });

  test("an exception from NAMES-1 is removed when nothing needs it", () => {
    expect(idleRepeated(files)).toEqual([]);
  });

  test("NAMES-2: folders, classes and interfaces are called by words of the glossary", () => {
    expect(unknownWords(files, glossary)).toEqual([]);
  });

  test("NAMES-3: no type is called by a word that the glossary avoids", () => {
    expect(avoidedWords(files, glossary)).toEqual([]);
  });
});

describe("the rules can fail", () => {
  const small = readGlossary(
    readLines(
      "docs/glossary.md",
      [
        "## Parts of the code",
        "- **registry**: what is known by name (avoid: book, shelf)",
        "- **inference slot**: …",
        "## Folders",
        "- `kernel`: `bus` messages",
      ].join("\n"),
    ),
    ["queue", "entry"],
  );

  test("a name that two files declare is found, and a re-export is none", () => {
    const one = readLines("kernel/src/bus/one.ts", "export const zebra = 1;");
    const two = readLines("cli/src/two.ts", "export interface zebra {}");
    const three = readLines("cli/src/index.ts", 'export { zebra } from "./two.ts";');
    const spec = readLines("cli/src/two.test.ts", "export const zebra = 2;");

    expect(repeated([one, two, three, spec])).toEqual([
      "zebra: kernel/src/bus/one.ts, cli/src/two.ts",
    ]);
    expect(newlyRepeated([one, two])).toHaveLength(1);
    expect(idleRepeated([one, two])).toEqual(Object.keys(repeatedNames));
    expect(repeated([one, three, spec])).toEqual([]);
  });

  test("a folder or a type that the glossary lacks is found, by its last word", () => {
    const known = readLines(
      "kernel/src/bus/known.ts",
      "export class TokenRegistry {}\nexport interface FairQueues {}\nexport class LogEntries {}",
    );
    const folder = readLines("kernel/src/cellar/one.ts", "");
    const type = readLines("kernel/src/bus/one.ts", "export interface RegistryDesk {}");

    expect(unknownWords([known], small)).toEqual([]);
    expect(unknownWords([folder], small)).toContain("folder cellar");
    expect(unknownWords([type], small)).toContain("kernel/src/bus/one.ts: RegistryDesk (desk)");
  });

  test("a type that ends with a word to avoid is found", () => {
    const type = readLines("kernel/src/bus/one.ts", "export type ToolShelf = string;");

    expect(avoidedWords([type], small)).toEqual(["kernel/src/bus/one.ts: ToolShelf"]);
  });
});
