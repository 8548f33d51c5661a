// docs/journal.md has every kind of record and the version of the format.

import { readFileSync } from "node:fs";
import { RECORD_SCHEMA, type JournalRecord } from "@aos/protocol";
import { expect, test } from "vitest";

/** The compiler refuses this list when it lacks a kind, or has one that there is not. */
const kinds = Object.keys({
  call: true,
  crash: true,
  end: true,
  fork: true,
  grant: true,
  intent: true,
  outcome: true,
  restart: true,
  revoke: true,
  signal: true,
  start: true,
} satisfies Record<JournalRecord["kind"], true>);

const page = readFileSync("docs/journal.md", "utf8");

test("every kind of record has a row", () => {
  for (const kind of kinds) expect(page).toMatch(new RegExp(`^\\| \`${kind}\` +\\|`, "m"));
});

test("the row of start has the version that records are written in", () => {
  expect(page).toMatch(new RegExp(`^\\| \`start\` .*format version, ${RECORD_SCHEMA}\\)`, "m"));
});
