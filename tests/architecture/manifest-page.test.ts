// docs/man/agent-yaml.md and docs/man/config-yaml.md are read off the schemas (man.test.ts compares the files): every field
// has a meaning there, and no meaning is of a field that there is not.

import { expect, test } from "vitest";
import { configMeanings } from "../../scripts/man/config-meanings.ts";
import { configFields, manifestFields } from "../../scripts/man/fields.ts";

test("every field of a manifest has a description in its schema", () => {
  const fields = manifestFields();

  expect(fields.length).toBeGreaterThan(40);
  expect(fields.filter(({ node }) => !node.description).map(({ path }) => path)).toEqual([]);
});

test("config-meanings.ts has every setting of config.yaml, and no other", () => {
  const paths = configFields().map(({ path }) => path);

  expect(paths.length).toBeGreaterThan(80);
  expect(Object.keys(configMeanings).toSorted()).toEqual(paths.toSorted());
});
