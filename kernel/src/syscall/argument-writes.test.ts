// What the arguments of a call leave to be written: the parts of a state, and where a request goes on from.

import { describe, expect, test } from "vitest";
import type { PendingCall, Process } from "../process/process.ts";
import { argumentWrites } from "./settlement.ts";
import { callOf, processOf } from "../../../tests/helpers/kernel/process.ts";

describe("the parts of a state", () => {
  const [one, two] = [
    { digest: "p1", body: "one" },
    { digest: "p2", body: "two" },
  ];
  const checkpoint = (process: Process, seq: number, ...blobs: PendingCall["blobs"]) =>
    argumentWrites(process, callOf("checkpoint", {}, { blobs }), seq).map((write) => {
      const { digest, state } = write as { digest: string; state: number };
      return [digest, state];
    });

  test("are put with the record whose state they are of, unless the state before had them", () => {
    const process = processOf({});

    expect(checkpoint(process, 8, one!)).toEqual([["p1", 8]]);
    expect(checkpoint(process, 9, one!, two!)).toEqual([["p2", 9]]);
    expect(checkpoint(process, 10, two!)).toEqual([]);
    expect(checkpoint(process, 11, one!)).toEqual([["p1", 11]]);
  });

  test("are put again after a state without parts: those of older states may be gone", () => {
    const process = processOf({});
    checkpoint(process, 8, one!);
    checkpoint(process, 9);

    expect(checkpoint(process, 10, one!)).toEqual([["p1", 10]]);
  });

  test("the next model request goes on from the messages of this one", () => {
    const process = processOf({});
    const chain = {} as never;

    argumentWrites(process, callOf("infer", {}, { chain }), 8);
    argumentWrites(process, callOf("exec"), 9);

    expect(process.lastChain).toBe(chain);
  });
});
