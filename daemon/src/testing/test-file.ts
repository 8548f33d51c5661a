// Test file: files with tests of agents, parsed strictly.
//
// TEST-FILE-1  An unknown field, an invalid label or model, or a repeated name of a test is an error with file and
//     line, before anything runs.

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { readLabel } from "@aos/kernel";
import { nearest, SysError } from "@aos/protocol";
import { parseYaml, readYaml, type FieldProblem } from "../yaml-file.ts";
import { testFileSchema, type AgentTest } from "./test-schema.ts";

/** A test, and where it is written. */
export interface TestDefinition {
  readonly test: AgentTest;
  readonly file: string;
  /** What its relative paths begin from. */
  readonly folder: string;
  /** Texts of files beside it that are not written yet, by their paths in the test. */
  readonly beside?: Readonly<Record<string, string>>;
}

/** No test that people keep is larger. */
const MOST_BYTES = 32 * 1024 * 1024;

export function readTestFile(file: string): TestDefinition[] {
  return readTests(testFileText(file), file);
}

export function readTests(text: string, file: string): TestDefinition[] {
  const { tests } = readYaml(text, file, testFileSchema, ({ tests }) => complaints(tests)).read;
  return tests.map((test) => ({ test, file, folder: dirname(resolve(file)) }));
}

/** A policy's own tests have the same kind of name, and are `aos policy test`'s. */
export function isTestFile(file: string): boolean {
  try {
    const { written } = parseYaml(testFileText(file), file);
    return !(typeof written === "object" && written !== null && "cases" in written);
  } catch {
    return true; // who reads it says what is wrong
  }
}

export function testFileText(file: string): string {
  try {
    const text = readFileSync(file, "utf8");
    if (text.length <= MOST_BYTES) return text;
  } catch (error) {
    throw new SysError("EINVAL", `cannot read ${file}: ${(error as Error).message}`);
  }
  throw new SysError("EINVAL", `${file} is larger than ${MOST_BYTES} bytes`);
}

/** TEST-FILE-1: what the schema cannot say. */
function complaints(tests: readonly AgentTest[]): FieldProblem[] {
  const names = tests.map(({ name }) => name);
  return tests.flatMap((test, index) => {
    const at = (...path: (string | number)[]) => ["tests", index, ...path];
    return [
      ...(names.indexOf(test.name) === index
        ? []
        : [{ path: at("name"), message: "another test of this file has this name" }]),
      ...labelsOf(test).flatMap(([path, label]) => {
        const message = flawOfLabel(label);
        return message === undefined ? [] : [{ path: at(...path), message }];
      }),
      ...(test.expect.requests === "recorded" && test.replay === undefined
        ? [{ path: at("expect", "requests"), message: "only a replay has recorded requests" }]
        : []),
      ...(test.folder !== undefined && typeof test.agent === "string"
        ? [{ path: at("folder"), message: "is for a manifest that is written into the test" }]
        : []),
      ...answersOf(test, at),
      ...(test.expect.calls?.exactly ?? []).flatMap(({ call }, i) =>
        call === undefined
          ? []
          : [
              {
                path: at("expect", "calls", i),
                message: "a list of all calls is of tools; put it under includes or excludes",
              },
            ],
      ),
    ];
  });
}

type Path = (string | number)[];

function labelsOf({ label, tools, messages = [], expect }: AgentTest): [Path, string][] {
  const found: [Path, string | undefined][] = [
    [["label"], label],
    [["expect", "label"], expect.label],
    ...messages.map((one, i): [Path, string | undefined] => [["messages", i, "label"], one.label]),
    ...Object.entries(tools).flatMap(([name, fake]): [Path, string | undefined][] => [
      [["tools", name, "label"], fake.label],
      ...(fake.answers ?? []).map((one, i): [Path, string | undefined] => [
        ["tools", name, "answers", i, "label"],
        one.label,
      ]),
    ]),
  ];
  return found.filter((pair): pair is [Path, string] => pair[1] !== undefined);
}

function flawOfLabel(label: string): string | undefined {
  try {
    readLabel(label);
    return undefined;
  } catch {
    return `there is no label ${JSON.stringify(label)}; one is trusted/public or untrusted/secret`;
  }
}

const WORDS_OF_PEOPLE = ["allow", "deny"];

/** Of a rule or a tool a person says yes or no; only a question is answered with other words. */
function answersOf({ approvals }: AgentTest, at: (...path: Path) => Path): FieldProblem[] {
  if (typeof approvals === "string") return [];
  return approvals.flatMap(({ question, answer }, index) => {
    if (question !== undefined || WORDS_OF_PEOPLE.includes(answer)) return [];
    const meant = nearest(answer, WORDS_OF_PEOPLE);
    const advice = meant === undefined ? "" : `; did you mean ${meant}?`;
    return [{ path: at("approvals", index, "answer"), message: `is allow or deny${advice}` }];
  });
}
