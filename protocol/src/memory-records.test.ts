import { expect, test } from "vitest";
import { factFile, factReference, readEpisode, readFact, subjectKey } from "./memory-records.ts";
import { syscallToolNamed } from "./syscall-tools.ts";

const fact = { text: "The port is 9443", subject: "gateway port", source: "operator" };

test("MEMORY-RECORDS-1: the same fact has the same path, however it is spaced", () => {
  const { path, data } = factFile(fact);

  expect(path).toMatch(/^\/mem\/semantic\/facts\/gateway-port\/[0-9a-f]{16}$/);
  expect(factFile({ ...fact, text: "The  port\nis 9443 ", confidence: 1 }).path).toBe(path);
  expect(factFile({ ...fact, text: "The port is 9444" }).path).not.toBe(path);
  expect(data).toEqual({ kind: "fact", ...fact, confidence: 0.8 });
  expect(readFact(data)).toEqual(data);
});

test("MEMORY-RECORDS-2: a replacement is in the folder of what it replaces", () => {
  const replaces = factReference.parse("/mem/semantic/facts/gateway-port/0a1b");

  const { path, data } = factFile({ text: "The port is 1", source: "agent", replaces });

  expect(replaces).toBe("gateway-port/0a1b");
  expect(path).toMatch(/^\/mem\/semantic\/facts\/gateway-port\//);
  expect(data.replaces).toBe(replaces);
});

test.each(["../x", "a", "a/../b", "/mem/semantic/x", "/etc/facts/a/b", "a/b/c", "a b/c"])(
  "MEMORY-RECORDS-2: %s names no fact",
  (text) => {
    expect(factReference.safeParse(text).success).toBe(false);
  },
);

test("a subject is known by its words, and by all of its characters where it has others", () => {
  expect(subjectKey("Ada's  e-mail")).toBe("ada-e-mail");
  expect(subjectKey("Ada’s e-mail")).toBe("ada-e-mail");
  expect(subjectKey("Straße")).toMatch(/^s-[0-9a-f]{16}$/);
  expect(subjectKey("Strasse")).not.toBe(subjectKey("Straße"));
  expect(subjectKey("…")).toMatch(/^s-/);
  expect(subjectKey(undefined)).toBeUndefined();
});

test("other data is no record", () => {
  for (const data of [null, "fact", [], { kind: "fact" }, { ...fact, kind: "note" }])
    expect([readFact(data), readEpisode(data)]).toEqual([undefined, undefined]);
  const episode = { kind: "episode", goal: "g", action: "a", result: "r", outcome: "bad" };
  expect(readEpisode(episode)).toEqual(episode);
  expect(readEpisode({ ...episode, outcome: "unknown" })).toBeUndefined();
});

test("MEMORY-TOOLS-2: a model is shown label, time, path and contradictions of what it recalls", () => {
  const { path, data } = factFile(fact);
  const found = {
    path,
    data,
    score: 0.5,
    writer: "agt_1",
    label: "untrusted/public",
    writtenAt: 0,
    contradicts: ["/mem/semantic/facts/gateway-port/1"],
    why: [{ feature: "coverage", says: "words: port", added: 1 }],
  };

  const both = [found, { path: "/x", data: 7 }] as never;
  const shown = syscallToolNamed("memory.recall")!.result(both, {});

  expect(shown).toEqual([
    {
      path,
      ...data,
      label: "untrusted/public",
      writtenAt: "1970-01-01T00:00:00.000Z",
      contradicts: found.contradicts,
      why: "words: port",
    },
    { path: "/x", data: 7 },
  ]);
});
