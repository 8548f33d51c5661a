import { expect, test } from "vitest";
import { manifestSchema } from "./manifest.ts";

const problems = (more: object): string[] => {
  const read = manifestSchema.safeParse({
    apiVersion: "aos/v1",
    kind: "Agent",
    name: "it",
    ...more,
  });
  return (read.error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
};

test("what could never come to anything is refused when it is read", () => {
  const ladder = { model: ["a/1", "a/2"], escalate_on: ["low_confidence"] };

  expect(problems({ model: "a/1", escalate_on: ["loop"] })).toEqual([
    "escalate_on: needs a `model` that is a list of two or more",
  ]);
  expect(problems({ escalate_on: ["loop"] })).toHaveLength(1);
  expect(problems(ladder)).toEqual([
    "escalate_on: low_confidence needs `confidence` with its threshold",
  ]);
  expect(problems({ memory: { episodes: true } })).toEqual([
    "memory: needs capabilities for /mem/episodic (episodes), /mem/semantic (extract)",
  ]);
  expect(problems({ memory: { extract: "rules" }, capabilities: ["tool:*:call"] })).toHaveLength(1);
  expect(problems({ memory: { episodes: false, extract: "off" } })).toEqual([]);
  expect(
    problems({ memory: { extract: "rules", model: "a/b" }, capabilities: ["memory:/mem/**:*"] }),
  ).toEqual(["memory: model needs `extract: model`"]);
  expect(problems({ history: { messages: 4 } })).toEqual([
    "history: is for an agent that is `persistent`",
  ]);
});

test("what means something is read", () => {
  expect(
    problems({
      model: ["a/1", "a/2"],
      escalate_on: ["low_confidence", "loop"],
      confidence: { threshold: 0.5 },
      persistent: true,
      history: { messages: 4 },
    }),
  ).toEqual([]);
  expect(problems({ model: ["a/1"] })).toEqual([]);
});

test("PGVECTOR-MOUNT-3: a manifest mounts no PostgreSQL database, declares nothing trusted, and hides no facts", () => {
  const login = { host: "127.0.0.1", database: "d", user: "u" };
  const qdrant = { driver: "qdrant", url: "http://127.0.0.1:6333", collection: "c" };

  expect(problems({ mounts: { db: { driver: "postgres", ...login } } })).toEqual([
    "mounts: db: a PostgreSQL database is mounted by config.yaml only",
  ]);
  expect(problems({ mounts: { db: { driver: "pgvector", ...login, table: "t" } } })).toEqual([
    "mounts: db: a PostgreSQL database is mounted by config.yaml only",
  ]);
  expect(problems({ mounts: { q: { ...qdrant, integrity: "trusted" } } })).toEqual([
    "mounts: q: only config.yaml may say that a mount is trusted",
  ]);
  expect(problems({ mounts: { facts: { ...qdrant, semantic: true } } })).toEqual([
    expect.stringMatching(/^mounts\.facts: .*needs another name$/),
  ]);
  expect(problems({ mounts: { notes: { ...qdrant, semantic: true } } })).toEqual([]);
});
