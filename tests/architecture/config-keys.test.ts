// Every key of config.yaml that a page of docs/ names, as in `scheduler.running`, is one that the schema has.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { configSchema } from "@aos/daemon/parts";

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly anyOf?: readonly Node[];
}

const schema = z.toJSONSchema(configSchema, { io: "input", unrepresentable: "any" }) as Node;

/** Written like keys, and names of something else: tools, metrics, files, fields of a manifest. */
const OTHERS =
  /^(?:http\.(?:fetch|send|request)|limits\.maxSteps|mcp\.(?:[A-Z]+|docs)(?:\.[A-Z]+)?|\w[\w.]*\.(?:yaml|json|jsonl|md|key|lock|log|db|sock))$/;

const DOCS = "docs";
/** Its options are called like keys, and are in milliseconds (create-kernel-page.test.ts). */
const OPTIONS_PAGE = "create-kernel.md";
const KEY = /`([a-z][A-Za-z]*(?:\.[A-Za-z]+)+)`/g;

function has(node: Node, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return true;
  if (node.anyOf !== undefined) return node.anyOf.some((one) => has(one, [step, ...rest]));
  const below = node.properties?.[step];
  if (below !== undefined) return has(below, rest);
  const { additionalProperties: any } = node;
  return typeof any === "object" ? has(any, rest) : any === true;
}

const wrongIn = (text: string): string[] =>
  [...text.matchAll(KEY)]
    .map(([, key]) => key!)
    .filter((key) => !OTHERS.test(key) && has(schema, key.split(".").slice(0, 1)))
    .filter((key) => !has(schema, key.split(".")));

test("every key of config.yaml that a page names is there", () => {
  const pages = readdirSync(DOCS).filter((name) => name.endsWith(".md") && name !== OPTIONS_PAGE);

  const wrong = pages.flatMap((name) =>
    wrongIn(readFileSync(join(DOCS, name), "utf8")).map((key) => `${DOCS}/${name}: ${key}`),
  );

  expect(wrong).toEqual([]);
});

test("a key that is misspelt is found, and one below a name of somebody's own is not", () => {
  expect(wrongIn("set `scheduler.runing` or `scheduler.running`")).toEqual(["scheduler.runing"]);
  expect(wrongIn("`providers.NAME.timeouts` and `tool.name`")).toEqual([]);
  expect(wrongIn("`providers.NAME.timeout`")).toEqual(["providers.NAME.timeout"]);
});
