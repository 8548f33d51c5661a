import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "@aos/protocol";
import { memoryContentOf } from "./content.ts";
import { explain } from "./explain.ts";
import { readQuery } from "./query.ts";
import { rankCandidates } from "./retrieve.ts";
import { IndexSegment } from "./segment.ts";
import { trainedWeights } from "./trained-weights.ts";
import { quantize } from "./vector-table.ts";

type Files = Readonly<Record<string, Json>>;

function segmentOf(files: Files, segment = new IndexSegment()): IndexSegment {
  for (const [path, data] of Object.entries(files))
    segment.put({
      path,
      content: memoryContentOf(path, data),
      writtenAt: 0,
      writer: "agt_1",
      label: "trusted/public",
    });
  return segment;
}

const turn = (speaker: string, text: string): Json => ({ speaker, text });

function find(segment: IndexSegment, query: string, isVisible?: Uint8Array) {
  const { found } = rankCandidates({
    scope: [{ segment, isVisible }],
    query: readQuery(query),
    weights: trainedWeights(),
    limit: 10,
  });
  return found.map(({ row, score }) => ({ path: row.file.path, score }));
}

const visibleOf = (segment: IndexSegment, isSeen: (path: string) => boolean): Uint8Array =>
  Uint8Array.from(segment.rows, (row) => (row !== undefined && isSeen(row.file.path) ? 1 : 0));

const talk: Files = {
  "/mem/shared/log/1/1": turn("Ada", "Did you decide about the port of the gateway?"),
  "/mem/shared/log/1/2": turn("Bo", "Yes, 9443 from Monday on."),
  "/mem/shared/log/1/3": turn("Ada", "Good. How is your sister?"),
  "/mem/shared/log/2/1": turn("Bo", "The weather is lovely."),
  "/mem/shared/log/2/2": turn("Ada", "I bought a boat."),
};

test("an answer is found by the question before it", () => {
  const [first, second] = find(segmentOf(talk), "what was decided about the gateway port");

  expect([first?.path, second?.path]).toContain("/mem/shared/log/1/2");
});

test("who is asked about counts", () => {
  const segment = segmentOf({
    "/mem/shared/log/1/1": turn("Ada", "My new boat has a red sail."),
    "/mem/shared/log/2/1": turn("Bo", "My new boat has a red sail."),
  });

  expect(find(segment, "What does Bo's boat look like?")[0]?.path).toBe("/mem/shared/log/2/1");
  expect(find(segment, "What does Ada's boat look like?")[0]?.path).toBe("/mem/shared/log/1/1");
});

test("SEGMENT-1, RETRIEVE-1: the order in which files were put changes nothing", () => {
  const backwards = Object.fromEntries(Object.entries(talk).reverse());

  expect(find(segmentOf(backwards), "gateway port")).toEqual(find(segmentOf(talk), "gateway port"));
});

test("paths with numbers are in the order of the numbers", () => {
  const segment = segmentOf({
    "/mem/shared/log/9": turn("Ada", "Which harbour?"),
    "/mem/shared/log/10": turn("Bo", "Bergen, at the pier."),
    "/mem/shared/log/1": turn("Bo", "Nothing."),
  });

  const { before } = segment.sort();

  expect(before[segment.rowsOf("/mem/shared/log/10")[0]!]).toBe(
    segment.rowsOf("/mem/shared/log/9")[0],
  );
});

describe("RETRIEVE-2, TEXT-SCORES-1: what may not be seen", () => {
  const words = array(constantFrom("port", "gateway", "boat", "harbour", "ferry", "sail"), {
    minLength: 1,
    maxLength: 6,
  });
  const files = (folder: string) =>
    array(words, { minLength: 1, maxLength: 6 }).map((all) =>
      Object.fromEntries(
        all.map((text, at) => [`/mem/shared/${folder}/${at}`, turn("Ada", text.join(" "))]),
      ),
    );

  test("changes no score, no order and no count", () => {
    assert(
      property(files("ours"), files("ours/hidden"), words, (ours, theirs, query) => {
        const alone = segmentOf(ours);
        const both = segmentOf({ ...theirs, ...ours });
        const visible = visibleOf(both, (path) => path in ours);

        expect(find(both, query.join(" "), visible)).toEqual(find(alone, query.join(" ")));
      }),
    );
  });

  test("is no neighbour", () => {
    const segment = segmentOf(talk);
    const visible = visibleOf(segment, (path) => path !== "/mem/shared/log/1/1");

    expect(find(segment, "gateway port", visible)).toEqual([]);
  });

  test("is no candidate beside a turn that matches", () => {
    const segment = segmentOf(talk);
    const visible = visibleOf(segment, (path) => path !== "/mem/shared/log/1/2");

    expect(find(segment, "gateway port", visible).map(({ path }) => path)).toEqual([
      "/mem/shared/log/1/1",
    ]);
  });
});

test("SEGMENT-2: a removed or replaced file leaves nothing behind", () => {
  const { "/mem/shared/log/1/1": _, ...rest } = talk;
  const segment = segmentOf({ ...talk, "/mem/shared/log/2/1": turn("Bo", "gateway port port") });
  segment.remove("/mem/shared/log/1/1");
  segmentOf({ "/mem/shared/log/2/1": talk["/mem/shared/log/2/1"]! }, segment);

  for (const query of ["gateway port", "boat", "lovely weather"])
    expect(find(segment, query)).toEqual(find(segmentOf(rest), query));
});

test("RETRIEVE-3: a text without a word of the query is found by its vector, others by their words", () => {
  const segment = segmentOf({
    "/mem/semantic/a/1": "The vehicle needs petrol.",
    "/mem/semantic/a/2": "The car is blue.",
    "/mem/semantic/a/3": "Lunch at noon.",
  });
  segment.embed(segment.rowsOf("/mem/semantic/a/1")[0]!, quantize([1, 0.1]));
  segment.embed(segment.rowsOf("/mem/semantic/a/3")[0]!, quantize([-1, 0.1]));

  const { found } = rankCandidates({
    scope: [{ segment }],
    query: readQuery("car fuel", { vector: quantize([1, 0]) }),
    weights: trainedWeights(),
    limit: 10,
  });

  const paths = found.slice(0, 2).map(({ row }) => row.file.path);
  expect(paths).toContain("/mem/semantic/a/1");
  expect(paths).toContain("/mem/semantic/a/2");
});

test("EXPLAIN-1: each result says why, the strongest reason first", () => {
  const query = readQuery("gateway port");
  const { found, text } = rankCandidates({
    scope: [{ segment: segmentOf(talk) }],
    query,
    weights: trainedWeights(),
    limit: 10,
  });
  const asked = found.find(({ row }) => row.file.path === "/mem/shared/log/1/1")!;
  const answer = found.find(({ row }) => row.file.path === "/mem/shared/log/1/2")!;

  const why = explain(asked, query, text, trainedWeights());
  const because = explain(answer, query, text, trainedWeights());

  expect(why.map(({ says }) => says).join("; ")).toContain("gateway");
  expect(because.map(({ feature }) => feature)).toContain("reply");
  expect(why.map(({ added }) => added)).toEqual(
    why.map(({ added }) => added).toSorted((a, b) => b - a),
  );
});

test("RETRIEVE-4: the candidates of many segments are no more than those of one", () => {
  const scope = Array.from({ length: 300 }, (_, at) => ({
    segment: segmentOf({
      [`/mem/shared/${at}/1`]: turn("Ada", "gateway port"),
      [`/mem/shared/${at}/2`]: turn("Bo", at === 7 ? "gateway port gateway port" : "the port"),
    }),
  }));

  const { found } = rankCandidates({
    scope: [...scope],
    query: readQuery("gateway port"),
    weights: trainedWeights(),
    limit: 10,
  });

  expect(found.length).toBeLessThan(1000);
  expect(found[0]?.row.file.path).toMatch(/^\/mem\/shared\/7\//);
});
